// Threads for calls that block: bounded, gone when idle, and nothing is kept longer than it is needed.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct WorkerPoolTests {
    @Test func everyJobRunsOnce() async {
        let pool = WorkerPool(name: "test", limit: 4, idleSeconds: 1)
        let (ran, signal) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<2_000 { #expect(pool.submit { signal.yield(number) }) }
        var seen: Set<Int> = []
        for await number in ran.prefix(2_000) { seen.insert(number) }
        #expect(seen.count == 2_000)
        #expect(pool.threadCount <= 4)
    }

    @Test func jobsBeyondTheQueueAreRefused() async {
        let pool = WorkerPool(name: "test", limit: 1, queueLimit: 2, idleSeconds: 1)
        let gate = DispatchSemaphore(value: 0)
        let isRunning = TestSignal()
        #expect(
            pool.submit {
                isRunning.fire()
                gate.wait()
            })
        await isRunning.wait()
        #expect(pool.submit {})
        #expect(pool.submit {})
        #expect(!pool.submit {})
        gate.signal()
    }

    @Test func threadsLeaveWhenTheyAreIdle() async throws {
        let pool = WorkerPool(name: "test", limit: 4, idleSeconds: 0)
        for _ in 0..<8 { _ = pool.submit {} }
        let end = ContinuousClock.now + .seconds(60)
        while pool.threadCount > 0, ContinuousClock.now < end { await Task.yield() }
        #expect(pool.threadCount == 0)
        let ranAgain = TestSignal()
        #expect(pool.submit { ranAgain.fire() })
        try await ranAgain.wait(timeout: .seconds(60))
    }

    /// A pool that is never idle lets go of each job as soon as it has run.
    @Test func busyPoolKeepsNothingOfWhatHasRun() async {
        let pool = WorkerPool(name: "test", limit: 1, idleSeconds: 1)
        let alive = Lock(0)
        let (ran, signal) = AsyncStream.makeStream(of: Int.self)
        let next = DispatchSemaphore(value: 0)
        for number in 0..<100 {
            let mark = Mark(alive)
            _ = pool.submit {
                next.wait()
                withExtendedLifetime(mark) {}
                signal.yield(number)
            }
        }
        #expect(alive.withLock { $0 } == 100)
        for _ in 0..<50 { next.signal() }
        for await number in ran where number == 49 { break }
        // The fiftieth may not have been let go of yet.
        #expect(alive.withLock { $0 } <= 51)
        for _ in 0..<50 { next.signal() }
    }

    private final class Mark: Sendable {
        private let alive: Lock<Int>

        init(_ alive: Lock<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }

        deinit { alive.withLock { $0 -= 1 } }
    }
}
