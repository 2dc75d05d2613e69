import BenchKit
import Testing

@Suite struct TableTests {
    private static let rows = [
        Row(
            work: "small", subject: "martlet", measure: .callsPerSecond, value: 60_000, cpuMicrosecondsPerCall: 12.5,
            peakResidentKiB: 20 << 10),
        Row(work: "small", subject: "wrk", measure: .callsPerSecond, value: 80_000),
    ]

    @Test func eachBudgetHasALine() {
        var table = Table()
        table.add(
            Self.rows, budgets: [Budget("martlet", .share(0.6, of: "wrk")), Budget("martlet", .cpuAtMost(10))])
        #expect(
            table.text == """
                work   subject           value  CPU a call      peak  reached      budget  ratio
                small  martlet  60,000 calls/s     12.5 µs  20.0 MiB  0.75 of wrk  ≥ 0.60   1.25  pass
                                                                      12.5 µs CPU  ≤ 10     0.80  short
                small  wrk      80,000 calls/s

                """)
    }

    @Test func anEmptyTableIsItsHeader() {
        #expect(Table().text.split(separator: "\n").count == 1)
    }
}
