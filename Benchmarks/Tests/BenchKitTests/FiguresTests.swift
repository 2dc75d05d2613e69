import BenchKit
import Testing

@Suite struct FiguresTests {
    @Test func figuresSurviveTheWayFromChildToParent() {
        let figures = Figures(["p50": 1.5, "p99": 20], cpuMicrosecondsPerCall: 12.25, peakResidentKiB: 4_096)
        #expect(Figures(lines: figures.lines) == figures)
    }

    @Test func otherLinesArePassedOver() {
        #expect(Figures(lines: "hello\nx=1\nvalue.main=3\nvalue.bad=no\n") == Figures(value: 3))
    }

    @Test func linesWithoutAValueAreNoFigures() {
        #expect(Figures(lines: "peak_rss_kib=3\n") == nil)
    }

    @Test func eachFigureHasItsOwnMedian() {
        let runs = [
            Figures(value: 1, cpuMicrosecondsPerCall: 9, peakResidentKiB: 10),
            Figures(value: 3, cpuMicrosecondsPerCall: 7, peakResidentKiB: 30),
            Figures(value: 2, cpuMicrosecondsPerCall: 8, peakResidentKiB: 20),
        ]
        #expect(Figures.medians(of: runs) == Figures(value: 2, cpuMicrosecondsPerCall: 8, peakResidentKiB: 20))
    }

    @Test func noRunsHaveNoMedians() {
        #expect(Figures.medians(of: []) == Figures())
    }
}
