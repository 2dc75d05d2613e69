// The steps of a transfer on their way to whoever looks on. The transfer never waits for the onlooker: of progress the newest is
// kept, and every other step. A task carries the transfer, so that it goes on between two steps; the iterator owns and cancels it.

import Foundation

/// Steps that wait to be taken, at most one of them progress.
final class TransferSteps<Step: Sendable>: Sendable {
    private struct State {
        var steps: [Step] = []
        /// Whether the last of the steps may be replaced.
        var endsInProgress = false
        var ending: Result<Void, any Error>?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Adds a step; progress comes in place of progress that nobody has taken.
    func post(_ step: Step, isProgress: Bool = false) {
        wake { state in
            guard state.ending == nil else { return }
            if isProgress, state.endsInProgress { state.steps.removeLast() }
            state.steps.append(step)
            state.endsInProgress = isProgress
        }
    }

    /// Ends the steps; those that wait are still given.
    func finish(_ ending: Result<Void, any Error>) {
        wake { state in if state.ending == nil { state.ending = ending } }
    }

    /// The next step; nil at the end. One consumer at a time.
    nonisolated(nonsending) func next() async throws -> Step? {
        while true {
            let (step, ending) = state.withLock { state -> (Step?, Result<Void, any Error>?) in
                guard !state.steps.isEmpty else { return (nil, state.ending) }
                let step = state.steps.removeFirst()
                if state.steps.isEmpty { state.endsInProgress = false }
                return (step, nil)
            }
            if let step { return step }
            if let ending {
                try ending.get()
                return nil
            }
            await withUnsafeContinuation { park($0) }
        }
    }

    /// Waits for the end, and takes no step.
    nonisolated(nonsending) func untilEnd() async {
        while state.withLock({ $0.ending == nil }) {
            state.withLock { $0.steps.removeAll() }
            await withUnsafeContinuation { park($0) }
        }
    }

    private func park(_ continuation: UnsafeContinuation<Void, Never>) {
        let isReady = state.withLock { state in
            if !state.steps.isEmpty || state.ending != nil { return true }
            state.waiter = continuation
            return false
        }
        if isReady { continuation.resume() }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

/// A transfer under way in a task of its own, and the steps that it takes.
///
/// Dropped, it cancels the transfer.
final class RunningTransfer<Step: Sendable>: Sendable {
    private let steps = TransferSteps<Step>()
    private let task: Task<Void, Never>

    /// Starts the transfer, which is given where its steps go.
    init(_ run: @escaping @Sendable (TransferSteps<Step>) async throws -> Void) {
        let steps = steps
        task = Task { @concurrent in
            do {
                try await run(steps)
                steps.finish(.success(()))
            } catch {
                steps.finish(.failure(error))
            }
        }
    }

    deinit { task.cancel() }

    /// The next step; nil at the end.
    ///
    /// - Throws: what the transfer failed with; `CancellationError` when the caller's task is cancelled, and then the transfer has
    ///   ended.
    nonisolated(nonsending) func next() async throws -> Step? {
        let (task, steps) = (task, steps)
        return try await withTaskCancellationHandler {
            let outcome: Result<Step?, any Error>
            do {
                outcome = .success(try await steps.next())
            } catch {
                outcome = .failure(error)
            }
            if Task.isCancelled {
                await steps.untilEnd()
                throw CancellationError()
            }
            return try outcome.get()
        } onCancel: {
            task.cancel()
        }
    }
}
