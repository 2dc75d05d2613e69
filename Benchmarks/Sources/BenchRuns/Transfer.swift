// One big transfer, timed from its request to its last byte.

package import BenchKit

/// One transfer that is timed.
package enum Transfer {
    /// - Parameters:
    ///   - unit: how many of what `body` returns make one of the value; a million by default.
    ///   - body: makes the transfer and returns its bytes.
    package static func measure(unit: Double = 1e6, _ body: () async throws -> Int) async throws -> Figures {
        let cpu = ProcessFigures.cpuSeconds
        let start = Clock.seconds()
        let count = try await body()
        let seconds = Clock.seconds() - start
        return Figures(
            value: Double(count) / seconds / unit, cpuMicrosecondsPerCall: (ProcessFigures.cpuSeconds - cpu) * 1e6,
            peakResidentKiB: ProcessFigures.peakResidentKiB)
    }
}
