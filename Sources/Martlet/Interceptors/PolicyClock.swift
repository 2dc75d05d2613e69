// Where the policies read the time and wait: the system's monotonic clock unless a client was given another, as tests do.

/// A clock without its type.
struct PolicyClock: Sendable {
    let now: @Sendable () -> MonotonicInstant
    let sleep: @Sendable (Duration) async throws -> Void

    /// A hundred years: no wait is longer, and instants stay in range.
    static let longest = Duration.seconds(3_155_760_000)

    /// The system's clock, its time read from the engine's source.
    init(_ time: TimeSource) {
        now = time.now
        sleep = { try await ContinuousClock().sleep(for: min($0, Self.longest)) }
    }

    init<Base: Clock>(_ clock: Base) where Base.Duration == Duration {
        let start = clock.now
        now = { MonotonicInstant(nanoseconds: start.duration(to: clock.now).wholeNanoseconds) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: min($0, Self.longest)), tolerance: nil) }
    }
}
