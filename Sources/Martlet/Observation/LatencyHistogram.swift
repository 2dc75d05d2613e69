// Times, counted in buckets: exact ones for the bounds that Prometheus is told, and fine ones for percentiles, each within 1/32 of the
// one before, so that a percentile is off by three per cent at most. A value: 4 KiB once a time has been recorded.

/// A distribution of times.
public struct LatencyHistogram: Sendable {
    /// The upper bounds of the buckets that are exported, in seconds; those of OpenTelemetry's conventions for HTTP.
    public static let bounds: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]

    private static let boundsInNanoseconds = bounds.map { Int64(($0 * 1e9).rounded()) }
    // Microseconds up to 2^36 (19 hours); longer times are counted there.
    private static let fineCount = 32 * 33

    /// How many times there are.
    public private(set) var count = 0
    private var sumOfNanoseconds: Int64 = 0
    private var least = Int64.max
    private var most: Int64 = 0
    private var buckets: [Int] = []
    private var fine: [UInt32] = []

    /// Makes an empty distribution.
    public init() {}

    mutating func record(_ nanoseconds: Int64) {
        if fine.isEmpty {
            fine = Array(repeating: 0, count: Self.fineCount)
            buckets = Array(repeating: 0, count: Self.bounds.count + 1)
        }
        let time = max(nanoseconds, 0)
        count += 1
        sumOfNanoseconds = sumOfNanoseconds.addingReportingOverflow(time).partialValue
        least = min(least, time)
        most = max(most, time)
        var bucket = 0
        while bucket < Self.bounds.count, time > Self.boundsInNanoseconds[bucket] { bucket += 1 }
        buckets[bucket] += 1
        let place = min(Self.place(of: time / 1_000), Self.fineCount - 1)
        if fine[place] < .max { fine[place] += 1 }
    }

    private static func place(of microseconds: Int64) -> Int {
        guard microseconds >= 32 else { return Int(microseconds) }
        let shift = 58 - microseconds.leadingZeroBitCount
        return shift * 32 + Int(microseconds >> Int64(shift))
    }

    /// The upper end of a fine bucket, in nanoseconds.
    private static func end(of place: Int) -> Int64 {
        guard place >= 64 else { return Int64(place + 1) * 1_000 }
        let shift = place / 32 - 1
        return ((Int64(place - shift * 32) + 1) << Int64(shift)) * 1_000
    }

    /// The sum of all times.
    public var sum: Duration { .nanoseconds(sumOfNanoseconds) }

    /// The mean; zero without any.
    public var mean: Duration { count == 0 ? .zero : sum / count }

    /// The shortest time; zero without any.
    public var minimum: Duration { count == 0 ? .zero : .nanoseconds(least) }

    /// The longest time; zero without any.
    public var maximum: Duration { .nanoseconds(most) }

    /// The time that a share of all times does not exceed, three per cent more at most: `percentile(0.99)`. Zero without any.
    public func percentile(_ share: Double) -> Duration {
        guard count > 0 else { return .zero }
        let wanted = Int((min(max(share, 0), 1) * Double(count)).rounded(.up))
        var seen = 0
        for (place, number) in fine.enumerated() where number > 0 {
            seen += Int(number)
            if seen >= max(wanted, 1) { return .nanoseconds(min(max(Self.end(of: place), least), most)) }
        }
        return maximum
    }

    /// How many times do not exceed each of the bounds, and all of them last.
    var cumulative: [Int] {
        var sum = 0
        return (buckets.isEmpty ? Array(repeating: 0, count: Self.bounds.count + 1) : buckets).map {
            sum += $0
            return sum
        }
    }
}
