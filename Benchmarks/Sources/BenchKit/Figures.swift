// What one run of one subject measured, and how a child process tells its parent: lines of `name=value`.

/// The figures of one run.
package struct Figures: Sendable, Equatable {
    /// The measured values, by the key of their measure.
    package var values: [String: Double]
    /// CPU time of the client a call, user and system, in microseconds.
    package var cpuMicrosecondsPerCall: Double?
    /// The most memory that was resident, in KiB.
    package var peakResidentKiB: Int?

    package init(_ values: [String: Double] = [:], cpuMicrosecondsPerCall: Double? = nil, peakResidentKiB: Int? = nil) {
        self.values = values
        self.cpuMicrosecondsPerCall = cpuMicrosecondsPerCall
        self.peakResidentKiB = peakResidentKiB
    }

    /// The figures of a run with one value.
    package init(value: Double, cpuMicrosecondsPerCall: Double? = nil, peakResidentKiB: Int? = nil) {
        self.init(
            [Measure.mainKey: value], cpuMicrosecondsPerCall: cpuMicrosecondsPerCall, peakResidentKiB: peakResidentKiB)
    }

    private static let cpuName = "cpu_us_per_call"
    private static let peakName = "peak_rss_kib"
    private static let valuePrefix = "value."

    /// The lines that a child prints.
    package var lines: String {
        var lines = values.sorted { $0.key < $1.key }.map { "\(Self.valuePrefix)\($0.key)=\($0.value)" }
        if let cpuMicrosecondsPerCall { lines.append("\(Self.cpuName)=\(cpuMicrosecondsPerCall)") }
        if let peakResidentKiB { lines.append("\(Self.peakName)=\(peakResidentKiB)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads the lines that a child printed; nil without a value among them. Other lines are passed over.
    package init?(lines text: String) {
        self.init()
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = Double(parts[1]) else { continue }
            switch parts[0] {
            case Self.cpuName: cpuMicrosecondsPerCall = value
            case Self.peakName: peakResidentKiB = Int(exactly: value.rounded())
            case let name where name.hasPrefix(Self.valuePrefix):
                values[String(name.dropFirst(Self.valuePrefix.count))] = value
            default: continue
            }
        }
        if values.isEmpty { return nil }
    }

    /// The median of each figure over several runs.
    package static func medians(of runs: [Figures]) -> Figures {
        var medians = Figures()
        for key in Set(runs.flatMap(\.values.keys)) {
            medians.values[key] = Statistics.median(runs.compactMap { $0.values[key] })
        }
        medians.cpuMicrosecondsPerCall = Statistics.median(runs.compactMap(\.cpuMicrosecondsPerCall))
        medians.peakResidentKiB = Statistics.median(runs.compactMap(\.peakResidentKiB).map(Double.init))
            .flatMap { Int(exactly: $0.rounded()) }
        return medians
    }
}
