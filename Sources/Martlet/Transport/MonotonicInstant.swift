// Deadlines are kept on a monotonic clock, so that a change of the wall clock neither fires nor stops them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A point on the monotonic clock, in nanoseconds.
package struct MonotonicInstant: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No later instant exists.
    package static let distantFuture = MonotonicInstant(nanoseconds: .max)

    package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The instant later by `duration`; saturates instead of overflowing.
    package static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        instant.later(byNanoseconds: duration.wholeNanoseconds)
    }

    /// The instant later by a number of nanoseconds; saturates instead of overflowing.
    package func later(byNanoseconds count: Int64) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        return MonotonicInstant(nanoseconds: overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// The nanoseconds from `earlier` to this instant.
    package func nanoseconds(since earlier: MonotonicInstant) -> Int64 { nanoseconds &- earlier.nanoseconds }

    /// The time from `earlier` to this instant.
    package func since(_ earlier: MonotonicInstant) -> Duration {
        .nanoseconds(nanoseconds(since: earlier))
    }
}

extension Duration {
    /// The duration in nanoseconds; saturates at the range of `Int64`, about 292 years.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }
}

/// Where the engine reads the time; replaced by a manual one in tests.
package struct TimeSource: Sendable {
    package var now: @Sendable () -> MonotonicInstant

    package init(now: @escaping @Sendable () -> MonotonicInstant) { self.now = now }

    /// The system's monotonic clock.
    package static let system = TimeSource {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
