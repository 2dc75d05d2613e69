// A compressed body, fetched and decoded, beside gzip itself, which reads the same file.

import BenchKit
import BenchRuns
import Martlet

extension Work {
    static let decodeGzip = Work(
        name: "decode-gzip-1g", summary: "1 GiB of text in gzip, fetched and decoded", measures: [.megabytesPerSecond],
        resource: .http("/\(Files.compressed)"), oneOf: ["gzip"],
        subjects: Subject.martlet { client, job in
            _ = try await client.get(job.neighbour("small")).data()
            return try await Transfer.measure {
                var bytes = 0
                for try await chunk in client.get(job.url).chunks { bytes += chunk.count }
                guard bytes == Files.bigBytes(quick: job.quick) else { throw Failure("the body is cut") }
                return bytes
            }
        } + [.gzip],
        budgets: ["martlet", "martlet-loop"].flatMap {
            [Budget($0, .share(0.8, of: "gzip")), Budget($0, .peakAtMost(mebibytes: 40))]
        })
}

extension Subject {
    /// `gzip -d`, timed by the shell that starts it: what it writes goes nowhere.
    fileprivate static let gzip = Subject(
        name: "gzip",
        kind: .tool("sh") { job in
            let script = #"s=$(date +%s%N); gzip -dc "$0" >/dev/null || exit; e=$(date +%s%N); echo $((e - s))"#
            return ["-c", script, try job.file(Files.compressed)]
        } read: { job, run in
            guard let nanoseconds = ToolOutput.lastNumbers(run.output)?.first, nanoseconds > 0 else {
                throw Failure("gzip reported no time")
            }
            return Figures(
                value: Double(Files.bigBytes(quick: job.quick)) / nanoseconds * 1e3,
                cpuMicrosecondsPerCall: run.cpuSeconds * 1e6, peakResidentKiB: run.peakResidentKiB)
        })
}
