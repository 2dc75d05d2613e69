// The loop as an executor: no wake-up is lost, no job either, and timers do not wait for jobs.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct EventLoopTests {
    /// Each thread waits for its job before it gives the next, so that the loop goes to sleep and is woken all the time.
    @Test(.timeLimit(.minutes(5))) func noWakeUpIsLost() async {
        let loop = EventLoop()
        let rounds = Soak.count(20_000, soak: 1_000_000)
        let threads = 4
        let (ended, signal) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<threads {
            let started = DetachedThread.start(name: "hammer") {
                let done = DispatchSemaphore(value: 0)
                for round in 0..<rounds {
                    // Off beat, so that enqueueing falls into every moment of falling asleep.
                    var spin = (round &* 7 &+ number &* 13) % 200
                    while spin > 0 { spin -= 1 }
                    loop.execute { done.signal() }
                    done.wait()
                }
                signal.yield(rounds)
            }
            #expect(started)
        }
        var total = 0
        for await rounds in ended.prefix(threads) { total += rounds }
        #expect(total == threads * rounds)
        loop.close()
    }

    @Test func jobsOfOneThreadRunInTheirOrder() async {
        let loop = EventLoop()
        let seen = Lock<[Int]>([])
        for number in 0..<5_000 { loop.execute { seen.withLock { $0.append(number) } } }
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        #expect(seen.withLock { $0 } == Array(0..<5_000))
        loop.close()
    }

    @Test(arguments: [false, true]) func jobAfterTheEndStillRuns(_ wasUsed: Bool) async {
        let loop = EventLoop()
        if wasUsed { await withCheckedContinuation { continuation in loop.execute { continuation.resume() } } }
        loop.close()
        // The thread may be leaving, or have left: whichever it is, the job runs.
        for _ in 0..<200 {
            await withCheckedContinuation { continuation in
                loop.execute {
                    #expect(loop.isCurrent)
                    continuation.resume()
                }
            }
        }
        #expect(!loop.isCurrent)
    }

    @Test func taskThatPrefersTheExecutorOutlivesTheClient() async throws {
        let client = MartletClient()
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: client.executor) {
            var steps = 0
            for await _ in gate { steps += 1 }
            return steps
        }
        await client.shutdown()
        for _ in 0..<3 { opener.yield() }
        opener.finish()
        #expect(await task.value == 3)
    }

    @Test func timerFiresOnTimeUnderLoadOfJobs() async {
        let loop = EventLoop()
        let alarm = Alarm(delay: .milliseconds(20))
        loop.execute { loop.attach(alarm) }
        // Work for a while, and more that makes itself anew: a timer that waited for its end would never fire.
        for _ in 0..<200_000 { loop.execute { alarm.work() } }
        for _ in 0..<4 { alarm.workForever(on: loop) }
        let lateness = await alarm.lateness()
        #expect(lateness >= .zero)
        // Two thousand fit into the delay; counted, since a busy machine may be late by any time.
        #expect(alarm.jobsBeforeIt < 100_000)
        loop.close()
    }

    @Test func closedLoopLetsGoOfItsHandler() async {
        let loop = EventLoop()
        weak let handler: Alarm? = await attachAlarm(to: loop)
        #expect(handler != nil)
        loop.close()
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
            if handler == nil { break }
        }
        #expect(handler == nil)
    }

    private func attachAlarm(to loop: EventLoop) async -> Alarm {
        let alarm = Alarm(delay: .seconds(100))
        await withCheckedContinuation { continuation in
            loop.execute {
                loop.attach(alarm)
                continuation.resume()
            }
        }
        return alarm
    }
}

/// A handler with one timer.
private final class Alarm: EventLoopHandler {
    private let due: MonotonicInstant
    private let fired = Lock<MonotonicInstant?>(nil)
    private let rings = TestSignal()
    private let jobs = Lock(0)

    /// How many jobs ran before the timer fired.
    var jobsBeforeIt: Int { jobs.withLock { $0 } }

    init(delay: Duration) { due = TimeSource.system.now() + delay }

    func socketsReady(_ ready: [EventLoop.Readiness]) {}

    func pause() {}

    func turn(now: MonotonicInstant) -> EventLoop.Needs {
        let isDue = fired.withLock { fired in
            if fired == nil, now >= due { fired = now }
            return fired != nil
        }
        guard isDue else { return EventLoop.Needs(wakeAt: due) }
        rings.fire()
        return EventLoop.Needs()
    }

    private var isOver: Bool { fired.withLock { $0 != nil } }

    /// Ten microseconds of work until the timer has fired.
    func work() {
        guard !isOver else { return }
        jobs.withLock { $0 += 1 }
        let end = TimeSource.system.now() + .microseconds(10)
        while TimeSource.system.now() < end {}
    }

    func workForever(on loop: EventLoop) {
        guard !isOver else { return }
        work()
        loop.execute { self.workForever(on: loop) }
    }

    /// How late the timer was.
    func lateness() async -> Duration {
        await rings.wait()
        return fired.withLock { $0?.since(due) } ?? .seconds(-1)
    }
}
#endif
