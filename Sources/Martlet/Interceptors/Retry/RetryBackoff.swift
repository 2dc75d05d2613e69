// How long to wait before an attempt. Default: full jitter over an exponential bound, which spreads the clients of a server
// that has come back over the whole of the time.

import Foundation

/// The waits between attempts.
public struct RetryBackoff: Sendable {
    private let bound: @Sendable (_ failures: Int) -> Duration
    private var isJittered = true

    /// The longest wait after so many failed attempts is `base` times `factor` to the power of one less, at most `cap`; the
    /// wait itself is drawn evenly from zero to there.
    public static func exponential(
        base: Duration = .milliseconds(100), factor: Double = 2, cap: Duration = .seconds(10)
    ) -> RetryBackoff {
        RetryBackoff { failures in
            // In floating point, where nothing overflows; what comes out as no number is as good as the cap.
            let wait = base / .seconds(1) * pow(factor, Double(max(failures, 1) - 1))
            return wait < cap / .seconds(1) ? .seconds(max(wait, 0)) : cap
        }
    }

    /// The same wait each time, without jitter.
    public static func constant(_ wait: Duration) -> RetryBackoff { RetryBackoff { _ in wait }.withoutJitter() }

    /// No wait.
    public static let none = constant(.zero)

    /// Waits of your own, without jitter; `wait` is given the number of attempts that failed, from 1.
    public static func custom(_ wait: @escaping @Sendable (_ failures: Int) -> Duration) -> RetryBackoff {
        RetryBackoff(wait).withoutJitter()
    }

    /// The same waits, each as long as it may be.
    public func withoutJitter() -> RetryBackoff {
        var copy = self
        copy.isJittered = false
        return copy
    }

    private init(_ bound: @escaping @Sendable (Int) -> Duration) { self.bound = bound }

    /// The wait after so many failed attempts.
    func wait(after failures: Int, using randomness: inout any RandomNumberGenerator & Sendable) -> Duration {
        let longest = max(bound(failures), .zero)
        guard isJittered, longest > .zero else { return longest }
        return .nanoseconds(Int64.random(in: 0...longest.wholeNanoseconds, using: &randomness))
    }
}
