// A hundred clients one after the other, each of which makes one call over TLS and goes: what a first call costs, with
// certificates, connection and handshake.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    static let cold = Work(
        name: "cold-100", summary: "100 fresh clients, one call over TLS each", resource: .https("/small"),
        subjects: [
            .code("martlet") { job in
                let configuration = try job.configuration()
                return try await repeated(job) {
                    _ = try await MartletClient.withClient(configuration) { try await $0.get(job.url).data() }
                }
            },
            // One process, and no session of TLS is taken up again: each call has its connection and its handshake.
            .tool("curl") { job in
                [
                    "-s", "-S", "-f", "--no-sessionid", "-H", "Connection: close", "-o", "/dev/null", "-w",
                    "%{time_total}\\n",
                ]
                    + (job.authority.map { ["--cacert", $0] } ?? []) + ["\(job.url)?[1-\(calls(job))]"]
            } read: { job, run in
                let seconds = run.output.split(separator: "\n").compactMap { Double($0) }
                guard seconds.count == calls(job) else { throw Failure("curl made \(seconds.count) calls") }
                return Figures(
                    value: Double(seconds.count) / seconds.reduce(0, +),
                    cpuMicrosecondsPerCall: run.cpuSeconds * 1e6 / Double(seconds.count),
                    peakResidentKiB: run.peakResidentKiB)
            },
        ])

    private static func calls(_ job: Job) -> Int { job.calls ?? (job.quick ? 20 : 100) }

    private static func repeated(
        _ job: Job, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> Figures {
        var counted = job
        counted.calls = calls(job)
        return try await Load.run(counted, concurrency: 1, warmUp: 0, call)
    }
}
