// The timers as a pure value, against the simplest thing that does the same: a list that is searched.

import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct TimerQueueTests {
    private func instant(_ nanoseconds: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(nanoseconds))
    }

    @Test func timersComeDueInTheOrderOfTheirDeadlines() {
        var queue = TimerQueue()
        for value in [5, 1, 4, 2, 3] { queue.schedule(LoopTimer(), at: instant(value), for: Bell(value)) }
        #expect(queue.nextDeadline == instant(1))
        var due: [Int] = []
        while let (_, target) = queue.popDue(at: instant(4)) { due.append(Bell.number(target)) }
        #expect(due == [1, 2, 3, 4])
        #expect(queue.count == 1)
        #expect(queue.nextDeadline == instant(5))
    }

    @Test func cancelledTimerNeverComesDue() {
        var queue = TimerQueue()
        let timer = LoopTimer()
        queue.schedule(timer, at: instant(1), for: Bell(1))
        queue.cancel(timer)
        queue.cancel(timer)
        #expect(!timer.isScheduled)
        #expect(queue.popDue(at: .distantFuture) == nil)
        #expect(queue.nextDeadline == .distantFuture)
    }

    @Test func movedTimerComesDueOnceAtItsNewDeadline() {
        var queue = TimerQueue()
        let timer = LoopTimer()
        queue.schedule(timer, at: instant(1), for: Bell(1))
        queue.schedule(timer, at: instant(9), for: Bell(9))
        #expect(queue.popDue(at: instant(8)) == nil)
        #expect(queue.popDue(at: instant(9)).map { Bell.number($0.target) } == 9)
        #expect(queue.count == 0)
    }

    @Test(arguments: 0..<10) func anyMixOfOperationsKeepsTheOrder(_ seed: UInt64) {
        var random = SeededNumbers(seed)
        var queue = TimerQueue()
        let timers = (0..<60).map { _ in LoopTimer() }
        var model: [Int: Int] = [:]
        var now = 0
        for _ in 0..<Soak.count(1_000, soak: 10_000) {
            let number = Int.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let deadline = now + Int.random(in: 0..<500, using: &random)
                queue.schedule(timers[number], at: instant(deadline), for: Bell(number))
                model[number] = deadline
            case 2:
                queue.cancel(timers[number])
                model[number] = nil
            default:
                now += Int.random(in: 0..<30, using: &random)
                while let (timer, bell) = queue.popDue(at: instant(now)) {
                    let target = Bell.number(bell)
                    #expect(timer === timers[target])
                    #expect(model[target] == model.values.min())
                    #expect(model.removeValue(forKey: target).map { $0 <= now } == true)
                }
            }
            #expect(queue.count == model.count)
            #expect(queue.nextDeadline == model.values.min().map(instant) ?? .distantFuture)
        }
    }
}
#endif

#if SocketTransport && os(Linux)
/// A target that is told apart by its number.
private final class Bell: RegistryTimerTarget {
    private let number: Int

    init(_ number: Int) { self.number = number }

    static func number(_ target: any RegistryTimerTarget) -> Int { (target as? Bell)?.number ?? -1 }

    func timerFired(in registry: isolated SessionRegistry) {}
}
#endif

/// Random numbers that a seed decides.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
