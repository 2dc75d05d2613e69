// A limit of bytes a second, as a token bucket: what is not used is saved up to a second's worth, what is used too early is waited for.
// One limit may be shared by any number of transfers, which then share what it allows.

import Foundation

/// How many bytes a second transfers may move.
///
/// ```swift
/// let limit = BandwidthLimit(bytesPerSecond: 1 << 20)
/// try await client.download("/big.iso", to: path).bandwidth(limit).file()
/// ```
public final class BandwidthLimit: Sendable {
    /// The bytes a second.
    public let bytesPerSecond: Int
    private let bucket: Lock<TokenBucket?>

    /// Makes a limit; less than one byte a second is taken as one.
    public init(bytesPerSecond: Int) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        bucket = Lock(nil)
    }

    /// Takes bytes out, and waits until they may move.
    nonisolated(nonsending) func take(_ count: Int, _ clock: PolicyClock) async throws {
        let now = clock.now()
        let wait = bucket.withLock { bucket in
            var current = bucket ?? TokenBucket(perSecond: bytesPerSecond, at: now)
            defer { bucket = current }
            return current.take(count, at: now)
        }
        if wait > .zero { try await clock.sleep(wait) }
    }

    /// How many bytes to move at once, so that a slow transfer goes evenly.
    var portion: Int { min(max(bytesPerSecond / 8, 1), 256 << 10) }
}

/// A token bucket: a pure value, told the time.
struct TokenBucket: Sendable {
    private let perSecond: Double
    private var available: Double
    private var filledAt: MonotonicInstant

    /// An empty bucket, which holds a second's worth at most.
    init(perSecond: Int, at now: MonotonicInstant) {
        self.perSecond = Double(perSecond)
        available = 0
        filledAt = now
    }

    /// Takes tokens out, also those that are not there yet; says how long it takes until they are.
    mutating func take(_ count: Int, at now: MonotonicInstant) -> Duration {
        let seconds = Double(max(now.nanoseconds(since: filledAt), 0)) / 1e9
        available = min(available + seconds * perSecond, perSecond) - Double(count)
        filledAt = max(now, filledAt)
        return available < 0 ? .seconds(-available / perSecond) : .zero
    }
}
