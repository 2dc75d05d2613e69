// How far a transfer is: a count that the transfer raises and the line on the screen reads.

import Martlet

/// A count on its way to a total.
final class Progress: Sendable {
    /// The count at one moment.
    struct Reading: Sendable {
        var count = 0
        /// Nil when it is not known.
        var total: Int?
    }

    private let state = Lock(Reading())

    /// Says what the total is.
    func expect(_ total: Int?) { state.withLock { $0.total = total } }

    func add(_ count: Int) { state.withLock { $0.count += count } }

    var reading: Reading { state.withLock { $0 } }
}

/// The rate over the last seconds, so that the time left follows what the connection does now.
struct RateMeter: Sendable {
    private static let window = Duration.seconds(4)

    private var samples: [(time: Duration, count: Int)] = [(.zero, 0)]

    /// Notes the count at a time since the start.
    mutating func note(_ count: Int, at time: Duration) {
        samples.append((time, count))
        // The first of those kept lies outside the window, or just began it.
        while samples.count > 2, samples[1].time < time - Self.window { samples.removeFirst() }
    }

    /// How much a second; nil before there is something to tell by.
    var perSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.time > first.time, last.count > first.count
        else { return nil }
        return Double(last.count - first.count) / Figures.seconds(last.time - first.time)
    }

    /// How long it takes to get to `total` at this rate; nil when it does not look as if it ever would.
    func timeLeft(to total: Int) -> Duration? {
        guard let perSecond, let last = samples.last else { return nil }
        let seconds = Double(max(total - last.count, 0)) / perSecond
        return seconds < 360_000 ? .seconds(seconds) : nil
    }
}
