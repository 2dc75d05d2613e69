// The clock that a test moves.

import MartletTesting
import Testing

@Suite struct TestClockTests {
    @Test func wakesThoseWhoseTimeHasCome() async throws {
        let clock = TestClock()
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(10)) }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early.value
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(9))
        try await late.value
        #expect(clock.now.offset == .seconds(10))
    }

    @Test func doesNotSleepForWhatIsPast() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: .init(offset: .seconds(4)), tolerance: nil)
        #expect(clock.sleeps == [.zero])
    }

    @Test func advancesItselfWhenAsked() async throws {
        let clock = TestClock(advancesItself: true)
        try await clock.sleep(for: .seconds(100))
        try await clock.sleep(for: .seconds(200))
        #expect(clock.sleeps == [.seconds(100), .seconds(200)])
        #expect(clock.now.offset == .seconds(300))
    }

    @Test func endsASleepThatIsCancelled() async throws {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }
}
