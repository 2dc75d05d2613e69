// Figures of calls, and the text that Prometheus reads.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct MetricsCollectorTests {
    @Test func callsAreCountedByOriginAndOutcome() async throws {
        let collector = MetricsCollector()
        let transport = MockTransport { request in
            switch request.path {
            case "/missing": .status(404)
            case "/lost": .failure(MartletError(.connectionClosed, "Lost."))
            default: .text("four")
            }
        }
        let client = MartletClient.mocked(transport) { $0.defaults.observers = [collector] }
        for path in ["/", "/", "/missing"] { _ = try await client.get(path).response() }
        _ = try? await client.get("/lost").response()
        _ = try await client.scoped { $0.baseURL = "https://other.example" }.get("/").response()
        let figures = try #require(collector.snapshot()[try RequestURL("https://api.example.com").origin])
        #expect(figures.count == 4)
        #expect(figures.latency(.success).count == 2)
        #expect(figures.latency(.clientError).count == 1)
        #expect(figures.latency(.failed).count == 1)
        #expect(figures.failures == ["connectionClosed": 1])
        #expect(figures.inFlight == 0)
        #expect(figures.receivedBytes == 8)
        #expect(collector.snapshot().origins.count == 2)
    }

    @Test func callsUnderWayAndRetriesAreCounted() async throws {
        let collector = MetricsCollector()
        let seen = Lock<Int?>(nil)
        let transport = MockTransport { request in
            if request.index < 2 { return .status(503) }
            seen.withLock { $0 = collector.snapshot().origins.first?.inFlight }
            return .text("done")
        }
        let client = MartletClient.mocked(transport) {
            $0.defaults.observers = [collector]
            $0.defaults.retry = .idempotent
        }
        try await client.expectText("done")
        #expect(seen.withLock { $0 } == 1)
        #expect(collector.snapshot().origins.first?.retries == 2)
        #expect(collector.snapshot().origins.first?.count == 1)
    }

    @Test func originsAreBounded() async throws {
        let collector = MetricsCollector(maximumOrigins: 3)
        let client = MartletClient.mocked(MockTransport(answers: [.text("a")])) {
            $0.defaults.baseURL = nil
            $0.defaults.observers = [collector]
        }
        for number in 0..<10 { _ = try await client.get("https://h\(number).example/").response() }
        let origins = collector.snapshot().origins
        #expect(origins.map(\.count) == [1, 1, 1, 7])
        #expect(origins.last?.origin == nil)
        #expect(origins.allSatisfy { $0.inFlight == 0 })
        #expect(collector.prometheusText().contains(#"origin="other""#))
    }

    @Test func percentilesAreWithinThreePercent() {
        var latency = LatencyHistogram()
        for number in 1...10_000 { latency.record(Int64(number) * 1_000_000) }
        for share in [0.001, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = share * 10
            let told = Double(latency.percentile(share).wholeNanoseconds) / 1e9
            #expect(told >= exact * 0.9999 && told <= exact * 1.032, "\(share): \(told)")
        }
        #expect(latency.minimum == .milliseconds(1))
        #expect(latency.maximum == .seconds(10))
        #expect(latency.count == 10_000)
        #expect(latency.cumulative.first == 5)
        #expect(latency.cumulative.last == 10_000)
    }

    @Test(arguments: [0, 1, 999, 31_999, 32_000, 63_999, 64_000, 1_000_000, .max])
    func everyTimeHasItsPlace(nanoseconds: Int64) {
        var latency = LatencyHistogram()
        latency.record(nanoseconds)
        #expect(latency.percentile(0.5).wholeNanoseconds == nanoseconds)
        #expect(LatencyHistogram().percentile(0.5) == .zero)
    }

    @Test func prometheusReadsTheText() async throws {
        let collector = MetricsCollector()
        let client = MartletClient.mocked(MockTransport(answers: [.text("four")])) {
            $0.defaults.observers = [collector]
        }
        try await client.expectText("four")
        let text = collector.prometheusText()
        let lines = text.split(separator: "\n").map(String.init)
        #expect(text.hasSuffix("\n"))
        #expect(lines.count { $0.hasPrefix("# TYPE ") } == 5)
        #expect(lines.contains("# TYPE martlet_call_duration_seconds histogram"))
        let labels = #"{origin="https://api.example.com",outcome="2xx""#
        #expect(lines.contains("martlet_call_duration_seconds_bucket\(labels),le=\"+Inf\"} 1"))
        #expect(lines.contains("martlet_call_duration_seconds_count\(labels)} 1"))
        #expect(lines.contains(#"martlet_calls_in_flight{origin="https://api.example.com"} 0"#))
        #expect(lines.contains(#"martlet_response_body_bytes_total{origin="https://api.example.com"} 4"#))
        let sample = #/[a-zA-Z_:][a-zA-Z0-9_:]*\{([a-z]+="([^"\\\n]|\\[\\"n])*",?)+\} (\+Inf|-?[0-9.e+-]+)/#
        for line in lines where !line.hasPrefix("# ") { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
    }

    @Test func labelValuesAndPrefixesAreEscaped() {
        var text = PrometheusText("9 bad-name")
        text.family("a", "gauge", "One\ntwo \\ three")
        text.sample("a", [("l", "q\"b\\n\nz")], 1)
        #expect(
            text.text == "# HELP _9_bad_name_a One\\ntwo \\\\ three\n# TYPE _9_bad_name_a gauge\n"
                + "_9_bad_name_a{l=\"q\\\"b\\\\n\\nz\"} 1\n")
    }
}
