// A clock that stands still until a test moves it, so that retries, delays and limits are tested in no time.

/// A clock under a test's control.
///
/// It stands still until `advance(by:)` is called; or, made with `advancesItself: true`, it jumps to the end of each
/// sleep at once, and the test looks at `sleeps` afterwards.
///
/// ```swift
/// let clock = TestClock()
/// let call = Task { try await somethingThatWaitsAMinute(clock: clock) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// try await call.value
/// ```
public final class TestClock: Clock, Sendable {
    /// A moment on the clock, counted from its start.
    public struct Instant: InstantProtocol {
        /// The time since the clock's start.
        public var offset: Duration

        /// Makes the instant at a time after the clock's start.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The instant moved by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// The duration from this instant to the other.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one instant is before the other.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper: Sendable {
        let deadline: Instant
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State: Sendable {
        var now = Instant()
        var sleepers: [Int: Sleeper] = [:]
        var sleeps: [Duration] = []
        var nextID = 0
    }

    private let state = Watched(State())
    private let advancesItself: Bool

    /// Makes a clock at its start.
    ///
    /// - Parameter advancesItself: whether each sleep ends at once, with the clock moved to its end; false by default.
    public init(advancesItself: Bool = false) {
        self.advancesItself = advancesItself
    }

    /// The current instant.
    public var now: Instant { state.value.now }

    /// Zero: instants are exact.
    public var minimumResolution: Duration { .zero }

    /// The durations that were slept so far, in the order in which the sleeps began. A sleep of no time counts too.
    public var sleeps: [Duration] { state.value.sleeps }

    /// The number of tasks that sleep on the clock.
    public var sleeperCount: Int { state.value.sleepers.count }

    /// Sleeps until the clock has been moved to the deadline. Throws `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let id = state.update { state in
            state.sleeps.append(max(state.now.duration(to: deadline), .zero))
            state.nextID += 1
            if advancesItself { state.now = max(state.now, deadline) }
            return state.nextID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = state.update { state in
                    if state.now >= deadline { return true }
                    if Task.isCancelled { return false }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let sleeper = state.update { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(returning: false)
        }
        guard isOver else { throw CancellationError() }
    }

    /// Moves the clock on and wakes those whose time has come, in the order of their deadlines.
    public func advance(by duration: Duration) {
        let due = state.update { state in
            state.now = state.now.advanced(by: max(duration, .zero))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (id, _) in due { state.sleepers[id] = nil }
            return due.map(\.value.continuation)
        }
        for continuation in due { continuation.resume(returning: true) }
    }

    /// Waits until at least `count` tasks sleep on the clock.
    ///
    /// Throws `TestServerError.timedOut` after `timeout` of real time, 30 s by default.
    public nonisolated(nonsending) func waitForSleepers(
        _ count: Int, timeout: Duration = .seconds(30)
    ) async throws(TestServerError) {
        try await state.wait(for: "\(count) sleepers", timeout: timeout) { $0.sleepers.count >= count }
    }
}
