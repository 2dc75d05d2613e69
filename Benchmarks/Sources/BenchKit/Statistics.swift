// Medians and percentiles: of five runs on a machine that does other things too, the median is the one to believe.

/// Figures over samples.
package enum Statistics {
    /// The middle sample, of an even number the mean of the two in the middle; nil of none.
    package static func median(_ samples: [Double]) -> Double? {
        guard !samples.isEmpty else { return nil }
        let sorted = samples.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest sample that at least `percent` of all do not exceed (nearest rank); nil of none.
    package static func percentile(_ percent: Double, of samples: [Double]) -> Double? {
        guard !samples.isEmpty else { return nil }
        let rank = (percent / 100 * Double(samples.count)).rounded(.up)
        return samples.sorted()[min(max(Int(rank), 1), samples.count) - 1]
    }
}
