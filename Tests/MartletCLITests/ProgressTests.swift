import Testing

@testable import MartletCLI

@Suite struct ProgressTests {
    private func text(
        _ count: Int, of total: Int?, columns: Int = 80, hasEnded: Bool = false, waiting: String = ""
    ) -> (bar: String, text: String) {
        var meter = RateMeter()
        meter.note(count / 2, at: .seconds(1))
        meter.note(count, at: .seconds(2))
        let line = ProgressLine(isUnicode: false, waiting: waiting)
        return line.line(
            .init(count: count, total: total), meter, after: .seconds(2), hasEnded: hasEnded, columns: columns)
    }

    @Test func tellsShareRateAndTimeLeft() {
        let line = text(64 << 20, of: 256 << 20)
        #expect(line.text == " 25 %  64.0 MiB of 256 MiB  32.0 MiB/s  0:06 left")
        #expect(line.bar.hasPrefix("######..."))
    }

    @Test func withoutATotalTellsAmountRateAndTime() {
        let line = text(64 << 20, of: nil)
        #expect(line.bar == "")
        #expect(line.text == "64.0 MiB   32.0 MiB/s   0:02")
    }

    @Test func atTheEndTellsTheAverageAndTheTimeItTook() {
        let line = text(256 << 20, of: 256 << 20, hasEnded: true)
        #expect(line.text == "100 %   256 MiB of 256 MiB   128 MiB/s  0:02")
        #expect(!line.bar.contains("."))
    }

    @Test func tellsWhatItWaitsFor() {
        #expect(text(0, of: 100, waiting: "Waiting").text == "Waiting 0:02")
        #expect(text(100, of: 100, waiting: "Waiting").text.hasSuffix("Waiting"))
    }

    @Test func withoutMovementItIsStalled() {
        let line = ProgressLine().line(.init(count: 5, total: 10), RateMeter(), after: .seconds(9), columns: 80)
        #expect(line.text.contains("stalled"))
    }

    @Test(arguments: [1, 4, 10, 20, 30, 40, 60, 80, 200])
    func neverFillsTheLine(_ columns: Int) {
        for total in [nil, 1 << 30] {
            let line = text(1 << 20, of: total, columns: columns)
            #expect(line.bar.count + (line.bar.isEmpty ? 0 : 1) + line.text.count < max(columns, 2))
        }
    }

    @Test func theRateFollowsTheLastSeconds() throws {
        var meter = RateMeter()
        for second in 1...60 {
            meter.note(second <= 30 ? second * 1000 : 30_000 + (second - 30) * 10, at: .seconds(second))
        }
        let rate = try #require(meter.perSecond)
        #expect(rate < 11)
        #expect(meter.timeLeft(to: 30_400).map { $0 > .seconds(9) } == true)
        #expect(RateMeter().timeLeft(to: 5) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0:00"), (.milliseconds(1), "0:01"), (.seconds(59), "0:59"), (.seconds(61), "1:01"),
        (.seconds(3599), "59:59"), (.seconds(3723), "1:02:03"), (.seconds(-5), "0:00"), (.seconds(1e12), "100:00:00"),
    ])
    func clocks(_ time: Duration, text: String) {
        #expect(Figures.clock(time) == text)
    }
}

@Suite struct HistogramTests {
    private func milliseconds(_ values: [Int]) -> [Duration] { values.map { .milliseconds($0) } }

    @Test func everyAnswerIsInOneClass() {
        let durations = milliseconds(Array(1...1000))
        let histogram = Histogram(durations)
        #expect(histogram.bins.count == 12)
        #expect(histogram.bins.map(\.count).reduce(0, +) == 1000)
        #expect(histogram.bins.last?.upperBound == .milliseconds(1000))
        #expect(zip(histogram.bins, histogram.bins.dropFirst()).allSatisfy { $0.upperBound < $1.upperBound })
    }

    @Test(arguments: [([], 0), ([5], 1), ([5, 5, 5], 1), ([0, 0], 1), ([1, 100], 2)])
    func fewAnswersHaveFewClasses(_ values: [Int], classes: Int) {
        let histogram = Histogram(milliseconds(values))
        #expect(histogram.bins.count == classes)
        #expect(histogram.bins.map(\.count).reduce(0, +) == values.count)
    }

    @Test func whatIsThereIsSeen() {
        let lines = Histogram(milliseconds(Array(repeating: 1, count: 10_000) + [1000])).lines(
            width: 20, isUnicode: false)
        #expect(lines.first?.bar == String(repeating: "#", count: 20))
        #expect(lines.last?.bar == "#")
        #expect(lines.last?.count == "1")
        #expect(lines.dropFirst().dropLast().allSatisfy { $0.bar.isEmpty && $0.count == "0" })
    }

    @Test(arguments: [(0.5, 50), (0.9, 90), (0.99, 99), (0.999, 100), (0, 1), (1, 100)])
    func percentilesAreByNearestRank(_ share: Double, value: Int) {
        #expect(LoadReport.percentile(share, of: milliseconds(Array(1...100))) == .milliseconds(value))
    }
}
