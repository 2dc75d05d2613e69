import BenchKit
import Foundation
import Testing

@Suite struct ResultsFileTests {
    private let rows = [
        Row(
            work: "small", subject: "martlet", measure: .callsPerSecond, value: 60_000.5, cpuMicrosecondsPerCall: 12.5,
            peakResidentKiB: 2_048),
        Row(work: "small", subject: "wrk", measure: .callsPerSecond, value: 80_000),
    ]

    @Test func eachResultHasAllKeys() throws {
        let object = try JSONSerialization.jsonObject(with: ResultsFile(rows).encoded()) as? [String: [[String: Any]]]
        let results = try #require(object?["results"])
        let keys: Set = ["work", "subject", "unit", "value", "cpu_us_per_call", "peak_rss_kib"]
        #expect(results.map { Set($0.keys) } == [keys, keys])
        #expect(results[1]["cpu_us_per_call"] is NSNull)
    }

    @Test func resultsAreReadBackAsTheyWere() throws {
        let file = ResultsFile(rows)
        #expect(try JSONDecoder().decode(ResultsFile.self, from: file.encoded()) == file)
    }
}
