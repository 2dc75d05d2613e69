// The bridge from a callback that must not block to a consumer that pulls. The producer appends on the connection's
// thread; the consumer takes chunks in its own task, without changing threads when bytes are waiting. Above the high-water
// mark the producer is asked to pause, below the low-water mark it is told to go on.

package import Foundation

/// What a channel tells the transfer that feeds it. Called from any thread; must not block.
package protocol ByteChannelSource: AnyObject, Sendable {
    /// The consumer has made room: go on.
    func resumeSending()
    /// The consumer's task was cancelled: end the transfer, then fail the channel with `CancellationError`.
    func cancelTransfer()
    /// Nobody will take the rest: end the transfer.
    func abandonTransfer()
}

/// A bounded queue of bytes between one producer and one consumer.
package final class ByteChannel: Sendable {
    /// When a producer has to pause and when it may go on, in bytes.
    package struct WaterMarks: Sendable {
        package var high: Int
        package var low: Int

        package init(high: Int = 256 << 10, low: Int = 64 << 10) {
            self.high = high
            self.low = low
        }
    }

    private enum Ending {
        case finished
        case failed(any Error)
    }

    private struct State {
        var chunks: [Data] = []
        var head = 0
        var buffered = 0
        var isPaused = false
        var ending: Ending?
        var waiter: UnsafeContinuation<Data?, any Error>?
    }

    private enum Step {
        case chunk(Data, resumes: Bool)
        case ended
        case failed(any Error)
        case mustWait
    }

    // Chunks up to this size are joined while they wait, so that a consumer gets few large ones.
    private static let joinLimit = 64 << 10

    private let state = Lock(State())
    private let marks: WaterMarks
    private let source: any ByteChannelSource

    package init(marks: WaterMarks = WaterMarks(), source: any ByteChannelSource) {
        self.marks = marks
        self.source = source
    }

    // MARK: Producer

    /// Adds bytes by copying them; true when the producer has to pause until `resumeSending`.
    package func append(copying bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bytes.isEmpty else { return false }
        var given: Data?
        let (waiter, pauses) = state.withLock { state -> (UnsafeContinuation<Data?, any Error>?, Bool) in
            if let waiter = state.waiter {
                state.waiter = nil
                given = Data(bytes)
                return (waiter, false)
            }
            if state.head < state.chunks.count, state.chunks[state.chunks.count - 1].count < Self.joinLimit {
                state.chunks[state.chunks.count - 1].append(contentsOf: bytes)
            } else {
                state.chunks.append(Data(bytes))
            }
            return (nil, Self.addedBytes(bytes.count, &state, marks))
        }
        waiter?.resume(returning: given)
        return pauses
    }

    /// Adds bytes without copying them; true when the producer has to pause until `resumeSending`.
    package func append(_ data: Data) -> Bool {
        guard !data.isEmpty else { return false }
        let (waiter, pauses) = state.withLock { state -> (UnsafeContinuation<Data?, any Error>?, Bool) in
            if let waiter = state.waiter {
                state.waiter = nil
                return (waiter, false)
            }
            state.chunks.append(data)
            return (nil, Self.addedBytes(data.count, &state, marks))
        }
        waiter?.resume(returning: data)
        return pauses
    }

    private static func addedBytes(_ count: Int, _ state: inout State, _ marks: WaterMarks) -> Bool {
        state.buffered += count
        if state.buffered >= marks.high { state.isPaused = true }
        return state.isPaused
    }

    /// Ends the bytes: the consumer gets what waits, then the end.
    package func finish() { end(.finished, discarding: false) }

    /// Ends with an error: the consumer gets what waits, then the error; at once when `discarding`.
    package func fail(_ error: any Error, discarding: Bool = false) { end(.failed(error), discarding: discarding) }

    private func end(_ ending: Ending, discarding: Bool) {
        let waiter = state.withLock { state -> UnsafeContinuation<Data?, any Error>? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            if discarding { Self.discard(&state) }
            defer { state.waiter = nil }
            return state.waiter
        }
        switch ending {
        case .finished: waiter?.resume(returning: nil)
        case .failed(let error): waiter?.resume(throwing: error)
        }
    }

    /// Bytes that wait for the consumer.
    package var bufferedBytes: Int { state.withLock { $0.buffered } }

    /// Whether the producer is paused by a consumer that does not keep up.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: Consumer

    /// The next bytes, or nil at the end. One consumer at a time.
    ///
    /// - Throws: what the producer failed with; `CancellationError` when the task is cancelled, and then the transfer
    ///   has ended.
    nonisolated(nonsending) package func next() async throws -> Data? {
        if Task.isCancelled { return try await nextWhenCancelled() }
        switch take() {
        case .chunk(let data, let resumes):
            if resumes { source.resumeSending() }
            return data
        case .ended: return nil
        case .failed(let error): throw error
        case .mustWait: break
        }
        // A continuation orders memory by itself, but the thread sanitizer does not see it where the resume comes first.
        defer { state.withLock { _ in } }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { park($0) }
        } onCancel: {
            source.cancelTransfer()
        }
    }

    nonisolated(nonsending) private func nextWhenCancelled() async throws -> Data? {
        let isOver = state.withLock { state -> Bool in
            Self.discard(&state)
            return state.ending != nil
        }
        if !isOver {
            source.cancelTransfer()
            // Bytes that were on their way already are not the end.
            while (try? await withUnsafeThrowingContinuation { park($0) }) != nil {}
        }
        throw CancellationError()
    }

    /// Tells the source that nobody will take the rest; for an iterator that is dropped.
    package func abandon() {
        let isOver = state.withLock { state -> Bool in
            Self.discard(&state)
            return state.ending != nil
        }
        if !isOver { source.abandonTransfer() }
    }

    private func take() -> Step {
        state.withLock { Self.take(&$0, marks) }
    }

    private static func take(_ state: inout State, _ marks: WaterMarks) -> Step {
        if state.head < state.chunks.count {
            let data = state.chunks[state.head]
            state.chunks[state.head] = Data()
            state.head += 1
            if state.head == state.chunks.count {
                state.chunks.removeAll(keepingCapacity: true)
                state.head = 0
            }
            state.buffered -= data.count
            let resumes = state.isPaused && state.buffered <= marks.low
            if resumes { state.isPaused = false }
            return .chunk(data, resumes: resumes && state.ending == nil)
        }
        switch state.ending {
        case .finished: return .ended
        case .failed(let error): return .failed(error)
        case nil: return .mustWait
        }
    }

    private func park(_ continuation: UnsafeContinuation<Data?, any Error>) {
        let step = state.withLock { state -> Step in
            let step = Self.take(&state, marks)
            if case .mustWait = step { state.waiter = continuation }
            return step
        }
        switch step {
        case .chunk(let data, let resumes):
            if resumes { source.resumeSending() }
            continuation.resume(returning: data)
        case .ended: continuation.resume(returning: nil)
        case .failed(let error): continuation.resume(throwing: error)
        case .mustWait: break
        }
    }

    private static func discard(_ state: inout State) {
        state.chunks = []
        state.head = 0
        state.buffered = 0
    }
}
