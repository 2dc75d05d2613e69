// The latch that orders a test and its peer.

import MartletTesting
import Testing

@Suite struct TestSignalTests {
    @Test func resumesAllWhoWait() async throws {
        let signal = TestSignal()
        let waiters = (0..<10).map { _ in Task { await signal.wait() } }
        signal.fire()
        for waiter in waiters { await waiter.value }
        #expect(signal.hasFired)
    }

    @Test func returnsAtOnceOnceItHasFired() async throws {
        let signal = TestSignal()
        signal.fire()
        signal.fire()
        try await signal.wait(timeout: .zero)
        await signal.wait()
    }

    @Test func returnsWhenTheWaitingTaskIsCancelled() async {
        let signal = TestSignal()
        let task = Task { await signal.wait() }
        task.cancel()
        await task.value
        #expect(!signal.hasFired)
    }

    @Test func isBounded() async {
        await #expect(throws: TestServerError.timedOut("the signal within 0.01 seconds")) {
            try await TestSignal().wait(timeout: .milliseconds(10))
        }
    }
}
