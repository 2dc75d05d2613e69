// The driver of refreshes: one under way at a time, in a task of its own that belongs to none of those who wait for it. A caller that
// is cancelled leaves; the refresh goes on, since a server that has handed out a new credential may have withdrawn the old one.

/// A credential, and those who wait for a new one.
final class CredentialRefresher<Credential: Sendable>: Sendable {
    typealias Refresh = @Sendable (Credential?) async throws -> Credential
    typealias Current = (credential: Credential, generation: Int)

    private typealias Waiter = CheckedContinuation<Current?, any Error>

    private struct Box {
        var state: RefreshState<Credential>
        /// The number of the refresh that is under way.
        var flight = 0
        /// How the last one failed, and its number.
        var failure: (flight: Int, error: MartletError)?
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0

        mutating func takeWaiters() -> [Waiter] {
            let all = waiters.sorted { $0.key < $1.key }.map(\.value)
            waiters = [:]
            return all
        }
    }

    private let box: Lock<Box>
    private let clock: PolicyClock
    private let isDue: @Sendable (Credential, Duration) -> Bool
    private let refresh: Refresh

    init(
        _ credential: Credential?, window: RefreshWindow?, clock: PolicyClock,
        isDue: @escaping @Sendable (Credential, Duration) -> Bool, refresh: @escaping Refresh
    ) {
        let state = RefreshState(credential, window: window, now: clock.now())
        box = Lock(Box(state: state))
        self.clock = clock
        self.isDue = isDue
        self.refresh = refresh
    }

    /// The credential, whatever is thought of it.
    var credential: Credential? { box.withLock { $0.state.credential } }

    /// How many wait; for tests.
    var waiterCount: Int { box.withLock { $0.waiters.count } }

    /// The credential if it can be used without waiting.
    func currentAtOnce() -> Current? {
        guard let current = box.withLock({ $0.state.current }) else { return nil }
        guard !isDue(current.credential, clock.now().since(current.obtained)) else { return nil }
        return (current.credential, current.generation)
    }

    /// Takes a credential that came from elsewhere.
    func set(_ credential: Credential) {
        let now = clock.now()
        let waiters = box.withLock { box in
            box.state.set(credential, at: now)
            box.flight += 1
            return box.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    func refuse(_ generation: Int) { box.withLock { $0.state.refuse(generation) } }

    /// A credential that is newer than the one that was refused, if any; nil for the refresh itself, which has to do without.
    ///
    /// - Throws: `authenticationFailed` with what the refresh failed with, `excessiveRefresh`, `CancellationError`.
    nonisolated(nonsending) func current(after refused: Int?) async throws -> Current? {
        guard !RefreshScope.ids.contains(ObjectIdentifier(self)) else { return nil }
        while true {
            try Task.checkCancellation()
            if refused == nil, let current = currentAtOnce() { return current }
            if let current = try await step(after: refused) { return current }
        }
    }

    /// One look at the state, and the wait that follows from it; nil to look again.
    nonisolated(nonsending) private func step(after refused: Int?) async throws -> Current? {
        let snapshot = box.withLock { $0.state.current }
        let now = clock.now()
        let isDue = snapshot.map { self.isDue($0.credential, now.since($0.obtained)) } ?? false
        let due = isDue ? snapshot?.generation : nil
        let (decision, flight) = box.withLock { box in
            let decision = box.state.next(after: refused, due: due, at: now)
            if case .start = decision { box.flight += 1 }
            return (decision, box.flight)
        }
        switch decision {
        case .use(let credential, let generation): return (credential, generation)
        case .fail(let error): throw error
        case .lookAgain: return nil
        case .join: return try await wait(for: flight)
        case .start(let old):
            start(from: old, flight)
            return try await wait(for: flight)
        }
    }

    private func start(from old: Credential?, _ flight: Int) {
        let ids = RefreshScope.ids + [ObjectIdentifier(self)]
        Task {
            let result = await RefreshScope.$ids.withValue(ids) { await self.refreshed(from: old) }
            self.end(result, flight)
        }
    }

    private func refreshed(from old: Credential?) async -> Result<Credential, MartletError> {
        do {
            return .success(try await refresh(old))
        } catch {
            return .failure(
                MartletError(.authenticationFailed, "The credential could not be refreshed.", underlying: error))
        }
    }

    private func end(_ result: Result<Credential, MartletError>, _ flight: Int) {
        let now = clock.now()
        let (waiters, current): ([Waiter], Current?) = box.withLock { box in
            guard box.flight == flight, box.state.isRefreshing else { return ([], nil) }
            box.state.end(result, at: now)
            if case .failure(let error) = result { box.failure = (flight, error) }
            let generation = box.state.generation
            return (box.takeWaiters(), (try? result.get()).map { ($0, generation) })
        }
        for waiter in waiters {
            switch result {
            case .success: waiter.resume(returning: current)
            case .failure(let error): waiter.resume(throwing: error)
            }
        }
    }

    /// Waits for the refresh to end; nil when it has ended well already, or was overtaken.
    nonisolated(nonsending) private func wait(for flight: Int) async throws -> Current? {
        let id = box.withLock { box in
            box.lastWaiter += 1
            return box.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let outcome: Result<Current?, any Error>? = box.withLock { box in
                    if let failure = box.failure, failure.flight == flight { return .failure(failure.error) }
                    guard box.flight == flight, box.state.isRefreshing, !Task.isCancelled else { return .success(nil) }
                    box.waiters[id] = waiter
                    return nil
                }
                if let outcome { waiter.resume(with: outcome) }
            }
        } onCancel: {
            box.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }
}

/// The refreshes that the current task is part of.
private enum RefreshScope {
    @TaskLocal static var ids: [ObjectIdentifier] = []
}
