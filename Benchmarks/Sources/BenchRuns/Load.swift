// The loop that makes calls: a number of lanes, each of which makes one call after the other. By count, which makes two runs
// comparable instruction by instruction, or for a time.

package import BenchKit

/// Makes calls and measures them.
package enum Load {
    /// Makes the job's calls in as many lanes as are given.
    ///
    /// - Parameter warmUp: calls that each lane makes before anything is measured: connections are made, caches filled.
    package static func run(
        _ job: Job, concurrency: Int, warmUp: Int = 20, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> Figures {
        _ = try await lanes(concurrency, .calls(warmUp), call)
        let cpu = ProcessFigures.cpuSeconds
        let start = Clock.seconds()
        let each = job.calls.map { max(1, $0 / concurrency) }
        let made = try await lanes(concurrency, each.map(Limit.calls) ?? .until(start + job.seconds), call)
        let seconds = Clock.seconds() - start
        return Figures(
            value: Double(made) / seconds,
            cpuMicrosecondsPerCall: (ProcessFigures.cpuSeconds - cpu) * 1e6 / Double(made),
            peakResidentKiB: ProcessFigures.peakResidentKiB)
    }

    private enum Limit: Sendable {
        case calls(Int)
        case until(Double)

        func allows(_ made: Int) -> Bool {
            switch self {
            case .calls(let most): made < most
            case .until(let end): Clock.seconds() < end
            }
        }
    }

    private static func lanes(
        _ count: Int, _ limit: Limit, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask {
                    var made = 0
                    while limit.allows(made) {
                        try await call()
                        made += 1
                    }
                    return made
                }
            }
            var total = 0
            for try await made in group { total += made }
            return total
        }
    }
}
