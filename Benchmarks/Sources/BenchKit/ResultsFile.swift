// The results as JSON, for programs: `{"results":[{"work":…,"subject":…,"unit":…,"value":…,"cpu_us_per_call":…,…}]}`.

package import Foundation

/// The file that `--json` writes.
package struct ResultsFile: Codable, Sendable, Equatable {
    /// One row; what was not measured is null.
    package struct Result: Codable, Sendable, Equatable {
        package var work: String
        package var subject: String
        package var unit: String
        package var value: Double
        package var cpuMicrosecondsPerCall: Double?
        package var peakResidentKiB: Int?

        private enum CodingKeys: String, CodingKey {
            case work, subject, unit, value
            case cpuMicrosecondsPerCall = "cpu_us_per_call"
            case peakResidentKiB = "peak_rss_kib"
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(work, forKey: .work)
            try container.encode(subject, forKey: .subject)
            try container.encode(unit, forKey: .unit)
            try container.encode(value, forKey: .value)
            // Null rather than absent: each result has the same keys.
            try container.encode(cpuMicrosecondsPerCall, forKey: .cpuMicrosecondsPerCall)
            try container.encode(peakResidentKiB, forKey: .peakResidentKiB)
        }
    }

    package var results: [Result]

    package init(_ rows: [Row]) {
        results = rows.map {
            Result(
                work: $0.work, subject: $0.subject, unit: $0.measure.unit, value: $0.value,
                cpuMicrosecondsPerCall: $0.cpuMicrosecondsPerCall, peakResidentKiB: $0.peakResidentKiB)
        }
    }

    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
