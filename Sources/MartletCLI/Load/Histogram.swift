// Latencies in classes whose bounds grow by a constant factor, since latencies spread over powers of ten: a tail that is ten
// times as slow stays visible beside the bulk.

import Foundation

/// Counts of durations by class.
struct Histogram: Sendable {
    /// A class: above the bound of the one before, up to its own.
    struct Bin: Equatable, Sendable {
        let upperBound: Duration
        var count = 0
    }

    /// A class as text.
    struct Line: Equatable, Sendable {
        let label: String
        let bar: String
        let count: String
    }

    private(set) var bins: [Bin] = []

    /// Sorts durations into at most `limit` classes; they must be in ascending order.
    init(_ sorted: [Duration], limit: Int = 12) {
        guard let first = sorted.first, let last = sorted.last else { return }
        let low = max(Figures.seconds(first), 1e-9)
        let high = max(Figures.seconds(last), low)
        // Classes narrower than a tenth of their value, or with next to nothing in them, would show noise.
        let useful = min((log2(high / low) / log2(1.1)).rounded(.up), Double(sorted.count).squareRoot().rounded(.up))
        let count = min(max(Int(useful), 1), limit)
        let factor = exp2(log2(high / low) / Double(count))
        var bound = low
        for _ in 1..<max(count, 1) {
            bound *= factor
            bins.append(Bin(upperBound: .seconds(bound)))
        }
        bins.append(Bin(upperBound: last))
        var index = 0
        for duration in sorted {
            while index < bins.count - 1, duration > bins[index].upperBound { index += 1 }
            bins[index].count += 1
        }
    }

    /// A line for each class, the longest bar `width` columns wide.
    func lines(width: Int, isUnicode: Bool) -> [Line] {
        let most = bins.map(\.count).max() ?? 0
        return bins.map { bin in
            let share = most > 0 ? Double(bin.count) / Double(most) : 0
            // What is there at all is seen.
            let length = bin.count > 0 ? max(Int((share * Double(width)).rounded()), 1) : 0
            return Line(
                label: "up to " + Figures.time(bin.upperBound).rightAligned(to: 8),
                bar: String(repeating: isUnicode ? "█" : "#", count: length), count: "\(bin.count)")
        }
    }
}
