// What a work measures: most have one value, some several (percentiles).

/// A value that a work measures.
package struct Measure: Sendable, Hashable {
    package static let mainKey = "main"

    /// The name under which a run reports it.
    package var key: String
    /// What the value counts: `calls/s`, `MB/s`.
    package var unit: String
    /// Whether more is better.
    package var higherIsBetter: Bool

    package init(_ unit: String, key: String = Measure.mainKey, higherIsBetter: Bool = true) {
        self.unit = unit
        self.key = key
        self.higherIsBetter = higherIsBetter
    }

    package static let callsPerSecond = Measure("calls/s")
    package static let megabytesPerSecond = Measure("MB/s")
}

/// One line of the results: what one subject did of one measure of a work.
package struct Row: Sendable, Equatable {
    package var work: String
    package var subject: String
    package var measure: Measure
    package var value: Double
    package var cpuMicrosecondsPerCall: Double?
    package var peakResidentKiB: Int?

    package init(
        work: String, subject: String, measure: Measure, value: Double, cpuMicrosecondsPerCall: Double? = nil,
        peakResidentKiB: Int? = nil
    ) {
        self.work = work
        self.subject = subject
        self.measure = measure
        self.value = value
        self.cpuMicrosecondsPerCall = cpuMicrosecondsPerCall
        self.peakResidentKiB = peakResidentKiB
    }
}
