// The bridge from a request body that is pulled to a connection that takes bytes when its socket does. The pump task feeds
// it; it is held while enough waits, so that a slow peer slows the caller's sequence and memory stays bounded.

package import Foundation

/// The bytes of one streamed request body on their way to the connection.
package final class OutboundChannel: Sendable {
    /// How the body ended.
    package enum Ending: Sendable {
        case finished
        case failed(any Error)
    }

    private struct State {
        var chunks: [Data] = []
        var buffered = 0
        var isOpen = false
        var isClosed = false
        var ending: Ending?
        var opener: UnsafeContinuation<Void, any Error>?
        var waiter: UnsafeContinuation<Void, any Error>?
    }

    private static let highWaterMark = 512 << 10

    private let state = Lock(State())
    // Tells the connection that there is something to take; called from the pump's thread.
    private let notify: @Sendable () -> Void

    package init(notify: @escaping @Sendable () -> Void) { self.notify = notify }

    // MARK: The pump

    /// Feeds the body into the channel once the connection wants it. Runs in the pump's task.
    package func pump(_ feed: @Sendable (@escaping RequestBody.Sink) async throws -> Void) async {
        do {
            try await untilOpen()
            try await feed { try await self.send($0) }
            end(.finished)
        } catch {
            end(.failed(error))
        }
    }

    private func untilOpen() async throws {
        try await withUnsafeThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<Void, any Error>? in
                if state.isClosed { return .failure(CancellationError()) }
                if state.isOpen { return .success(()) }
                state.opener = continuation
                return nil
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    private func send(_ data: Data) async throws {
        // An empty chunk would end the chunked coding.
        guard !data.isEmpty else { return }
        // A continuation orders memory by itself, but the thread sanitizer does not see it where the resume comes first.
        defer { state.withLock { _ in } }
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            let (outcome, notifies) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
                if state.isClosed { return (.failure(CancellationError()), false) }
                let wasEmpty = state.chunks.isEmpty
                state.chunks.append(data)
                state.buffered += data.count
                if state.buffered < Self.highWaterMark { return (.success(()), wasEmpty) }
                state.waiter = continuation
                return (nil, wasEmpty)
            }
            if notifies { notify() }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    private func end(_ ending: Ending) {
        let notifies = state.withLock { state in
            state.ending = ending
            return !state.isClosed
        }
        if notifies { notify() }
    }

    // MARK: The connection

    /// Lets the pump start.
    package func open() {
        let opener = state.withLock { state in
            state.isOpen = true
            defer { state.opener = nil }
            return state.opener
        }
        opener?.resume()
    }

    /// Takes what waits; the ending comes once all has been taken.
    package func take() -> (chunks: [Data], ending: Ending?) {
        let (chunks, ending, waiter) = state.withLock { state in
            let chunks = state.chunks
            state.chunks = []
            state.buffered = 0
            defer { state.waiter = nil }
            return (chunks, state.ending, state.waiter)
        }
        waiter?.resume()
        return (chunks, ending)
    }

    /// Ends the pump: nothing more is wanted.
    package func close() {
        let (opener, waiter) = state.withLock { state in
            state.isClosed = true
            state.chunks = []
            defer {
                state.opener = nil
                state.waiter = nil
            }
            return (state.opener, state.waiter)
        }
        opener?.resume(throwing: CancellationError())
        waiter?.resume(throwing: CancellationError())
    }

    /// Whether the pump's side has given all it has, or nothing is in it at the moment: the caller holds back.
    package var isWaitingForCaller: Bool {
        state.withLock { $0.isOpen && $0.chunks.isEmpty && $0.ending == nil }
    }
}
