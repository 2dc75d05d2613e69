import BenchKit
import Testing

@Suite struct BudgetTests {
    private let rows = [
        Row(
            work: "w", subject: "martlet", measure: .callsPerSecond, value: 60_000, cpuMicrosecondsPerCall: 12.5,
            peakResidentKiB: 20 << 10),
        Row(work: "w", subject: "wrk", measure: .callsPerSecond, value: 80_000),
        Row(work: "w", subject: "urlsession", measure: .callsPerSecond, value: 4_000),
    ]

    @Test(arguments: [
        (Budget.Bound.share(0.60, of: "wrk"), "0.75 of wrk", "≥ 0.60", 1.25, "pass"),
        (.share(1.5, of: "wrk"), "0.75 of wrk", "≥ 1.50", 0.5, "short"),
        (.times(12, of: "urlsession"), "15.00 × urlsession", "≥ 12 ×", 1.25, "pass"),
        (.atLeast(80_000), "60,000 calls/s", "≥ 80,000", 0.75, "short"),
        (.atMost(30_000), "60,000 calls/s", "≤ 30,000", 0.5, "short"),
        (.cpuAtMost(25), "12.5 µs CPU", "≤ 25", 2, "pass"),
        (.peakAtMost(mebibytes: 40), "20.0 MiB peak", "≤ 40", 2, "pass"),
    ])
    func verdictSaysWhatWasReachedAndAsked(
        bound: Budget.Bound, reached: String, asked: String, ratio: Double, word: String
    ) throws {
        let verdict = try #require(Budget("martlet", bound).verdict(in: rows))
        #expect(verdict == Verdict(reached, asked, ratio))
        #expect(verdict.word == word)
    }

    @Test(arguments: [
        Budget("martlet", .share(0.85, of: "curl")), Budget("curl", .atLeast(1)),
        Budget("martlet", .atLeast(1), measure: "p99"), Budget("wrk", .cpuAtMost(1)),
        Budget("wrk", .peakAtMost(mebibytes: 1)),
    ])
    func whatWasNotMeasuredHasNoVerdict(budget: Budget) {
        #expect(budget.verdict(in: rows) == nil)
    }

    @Test func exactlyTheBudgetPasses() {
        #expect(Budget("martlet", .share(0.75, of: "wrk")).verdict(in: rows)?.passes == true)
    }
}
