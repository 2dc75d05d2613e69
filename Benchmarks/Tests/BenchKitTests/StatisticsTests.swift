import BenchKit
import Testing

@Suite struct StatisticsTests {
    @Test(arguments: [([3, 1, 2], 2), ([4, 1, 2, 3], 2.5), ([7], 7)] as [([Double], Double)])
    func medianIsTheMiddleSample(samples: [Double], median: Double) {
        #expect(Statistics.median(samples) == median)
    }

    @Test func nothingHasNoMedian() {
        #expect(Statistics.median([]) == nil)
        #expect(Statistics.percentile(50, of: []) == nil)
    }

    @Test(arguments: [(0.0, 1.0), (50, 50), (99, 99), (99.5, 100), (100, 100)])
    func percentileIsTheNearestRank(percent: Double, expected: Double) {
        #expect(Statistics.percentile(percent, of: (1...100).map(Double.init).shuffled()) == expected)
    }
}
