// Calls that are cancelled while they wait for more of a body: how long each takes to end.

package import BenchKit
import Foundation

/// Cancels calls and takes the time.
package enum CancelledCalls {
    /// - Parameter call: makes a call that goes on until it is cancelled, and says when its body has begun.
    package static func measure(
        _ job: Job, _ call: @escaping @Sendable (_ began: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws -> Figures {
        var samples: [Double] = []
        for _ in 0..<(job.calls ?? (job.quick ? 100 : 1_000)) {
            let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                do { try await call { beginning.yield() } } catch is CancellationError {} catch let error as URLError
                    where error.code == .cancelled
                {}
                beginning.finish()
                return Clock.seconds()
            }
            var iterator = beginnings.makeAsyncIterator()
            guard await iterator.next() != nil else {
                _ = try await task.value
                throw Failure("the response ended by itself")
            }
            // So that the call waits for more again, rather than being on its way there.
            try await Task.sleep(for: .microseconds(500))
            let cancelled = Clock.seconds()
            task.cancel()
            samples.append((try await task.value - cancelled) * 1e6)
        }
        var figures = Figures(peakResidentKiB: ProcessFigures.peakResidentKiB)
        for percent in [50, 90, 99] {
            figures.values["p\(percent)"] = Statistics.percentile(Double(percent), of: samples)
        }
        return figures
    }
}
