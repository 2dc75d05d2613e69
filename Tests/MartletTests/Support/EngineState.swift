// Looks into the engine: waiting for a state of its books, and holding its loop up to bring about a race on purpose.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension MartletClient {
    /// Waits until the engine's books are in a state; each look runs on the loop, so that it sees what the loop has done.
    func waitUntil(
        atMost limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
        _ isReached: (SessionRegistry.Ledger) -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while true {
            let ledger = await socketTransport?.ledger() ?? .init()
            if isReached(ledger) { return }
            guard ContinuousClock.now < end else {
                Issue.record("The books stay at \(ledger)", sourceLocation: sourceLocation)
                throw TestServerError.timedOut("a state of the books")
            }
            await Task.yield()
        }
    }

    /// Runs `body` while the loop's thread stands still: what happens meanwhile comes to the loop in one turn.
    func whileLoopIsBlocked<Result>(_ body: () async throws -> Result) async throws -> Result {
        let gate = DispatchSemaphore(value: 0)
        guard let loop = socketTransport?.registries.first?.loop else {
            throw TestServerError.timedOut("the event loop")
        }
        let blocked = TestSignal()
        loop.execute {
            blocked.fire()
            gate.wait()
        }
        defer { gate.signal() }
        try await blocked.wait(timeout: .seconds(60))
        return try await body()
    }

    /// Sends a call from the loop's own thread, after holding that thread up: what the peer does meanwhile comes to the loop only
    /// when the call has chosen its connection.
    func sendFromHeldLoop<Result: Sendable>(
        after peer: @escaping @Sendable (DispatchSemaphore) -> Void,
        _ call: @escaping @Sendable (MartletClient) async throws -> Result
    ) async throws -> Result {
        let client = self
        return try await Task(executorPreference: executor) {
            holdThread(peer)
            return try await call(client)
        }.value
    }
}

extension MartletClient {
    /// The engine's books as they are now.
    var ledger: SessionRegistry.Ledger {
        get async { await socketTransport?.ledger() ?? .init() }
    }
}

extension Result where Success == String {
    /// The value, or the error as text.
    var text: String {
        switch self {
        case .success(let text): text
        case .failure(let error): "\(error)"
        }
    }
}

/// Blocks the calling thread until `body`, or somebody whom it has told, signals.
private func holdThread(_ body: (DispatchSemaphore) -> Void) {
    let gate = DispatchSemaphore(value: 0)
    body(gate)
    _ = gate.wait(timeout: .now() + 60)
}

extension SessionRegistry {
    /// The exchanges that wait for their own callers and not for their peers.
    var heldBackCount: Int { exchanges.values.count { $0.connection?.isHeldBackByCaller == true } }

    /// The bytes of each body that wait for its consumer.
    var heldBytes: [Int] { exchanges.values.compactMap { $0.channel?.bufferedBytes } }
}

extension MartletClient {
    /// Waits until the engine has read ahead as far as it may, so that only the consumers of so many calls are awaited.
    func waitUntilHeldBack(_ count: Int = 1) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while await socketTransport?.registries.first?.heldBackCount != count {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("the engine to be held back") }
            await Task.yield()
        }
    }
}
