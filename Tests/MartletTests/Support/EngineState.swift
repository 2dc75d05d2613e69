// Looks into the engine: waiting for a state of its books, and holding its loop up to bring about a race on purpose.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension MartletClient {
    /// Waits until the engine's books are in a state; each look runs on the loop, so that it sees what the loop has done.
    func waitUntil(
        atMost limit: Duration = .seconds(10), sourceLocation: SourceLocation = #_sourceLocation,
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
        guard let loop = executor as? EventLoop else { throw TestServerError.timedOut("the event loop") }
        let blocked = TestSignal()
        loop.execute {
            blocked.fire()
            gate.wait()
        }
        defer { gate.signal() }
        try await blocked.wait(timeout: .seconds(10))
        return try await body()
    }
}
