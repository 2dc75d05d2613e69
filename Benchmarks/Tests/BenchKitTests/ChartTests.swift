import BenchKit
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite struct ChartTests {
    private let rows = [
        Row(work: "small", subject: "martlet", measure: .callsPerSecond, value: 60_000),
        Row(work: "small", subject: "wrk", measure: .callsPerSecond, value: 80_000),
    ]

    /// The class and the width of each bar.
    private func bars(_ svg: String) -> [(name: Substring, width: Double)] {
        svg.matches(of: /class="(leads|follows)" x="[0-9]+" y="[0-9]+" width="([0-9.]+)"/)
            .map { ($0.output.1, Double($0.output.2) ?? 0) }
    }

    @Test func barsAreAsLongAsTheirValues() throws {
        let bars = bars(Chart(of: rows, summary: "small calls").svg)
        try #require(bars.count == 2)
        #expect(abs(bars[0].width / bars[1].width - 0.75) < 0.01)
    }

    @Test func martletLeads() {
        #expect(bars(Chart(of: rows, summary: "small calls").svg).map(\.name) == ["leads", "follows"])
    }

    @Test func textIsEscaped() throws {
        let chart = Chart(title: "a < b & \"c\"", subtitle: ">", bars: [.init(label: "<x>", value: 0, leads: true)])
        #expect(try XMLDocument(xmlString: chart.svg).rootElement()?.stringValue?.contains("a < b & \"c\"") == true)
    }

    @Test func noBarsAreStillAChart() {
        let svg = Chart(of: [], summary: "nothing").svg
        #expect(bars(svg).isEmpty)
        #expect(throws: Never.self) { try XMLDocument(xmlString: svg) }
    }

    @Test func severalMeasuresAreNamedOnTheirBars() {
        let rows = ["p50", "p99"].map {
            Row(
                work: "cancel", subject: "martlet", measure: Measure("µs \($0)", key: $0, higherIsBetter: false),
                value: 1)
        }
        let svg = Chart(of: rows, summary: "cancel").svg
        #expect(svg.contains("martlet, µs p99"))
        #expect(svg.contains("less is better"))
    }
}
