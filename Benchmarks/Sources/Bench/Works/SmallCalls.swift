// Small calls, one at a time and 64 in flight: what the client itself costs. nginx answers a hundred bytes from its cache of
// open files.

import BenchKit
import Foundation
import Martlet

enum SmallCalls {
    static let works = [
        Work(
            name: "small-h1-c1", summary: "small GETs over HTTP/1.1, one at a time", resource: .http("/small"),
            subjects: subjects(concurrency: 1),
            budgets: [Budget("martlet-loop", .share(0.85, of: "wrk")), Budget("martlet", .share(0.85, of: "wrk"))]),
        Work(
            name: "small-h1-c64", summary: "small GETs over HTTP/1.1, 64 in flight", resource: .http("/small"),
            subjects: subjects(concurrency: 64),
            budgets: [
                Budget("martlet-loop", .share(0.85, of: "wrk")), Budget("martlet-loop", .cpuAtMost(13)),
                Budget("martlet", .share(0.60, of: "wrk")), Budget("martlet", .times(12, of: "urlsession")),
            ]),
    ]

    private static func subjects(concurrency: Int) -> [Subject] {
        [
            .code("martlet") { job in
                let client = try job.client()
                return try await Load.run(job, concurrency: concurrency) { _ = try await client.get(job.url).data() }
            },
            .code("martlet-loop") { job in
                let client = try job.client()
                return try await withTaskExecutorPreference(client.executor) {
                    try await Load.run(job, concurrency: concurrency) {
                        _ = try await client.get(job.url).data()
                    }
                }
            },
            .code("urlsession") { job in
                let session = try PlainSession(job, connections: concurrency)
                return try await Load.run(job, concurrency: concurrency) { _ = try await session.data() }
            },
            .wrk(concurrency: concurrency),
        ]
    }
}

extension Job {
    /// A client for this job: it trusts the servers' certificate, and has no limits that the job would reach.
    func client() throws -> MartletClient {
        var configuration = ClientConfiguration()
        if let authority { configuration.tls = try .adding(rootsFile: authority) }
        return MartletClient(configuration)
    }
}

extension Subject {
    /// wrk with one thread, as the clients beside it have one connection loop.
    static func wrk(concurrency: Int, script: String? = nil) -> Subject {
        .tool("wrk") { job in
            ["-t1", "-c\(concurrency)", "-d\(max(1, Int(job.seconds.rounded())))s", job.url]
        } read: { _, run in
            guard let result = ToolOutput.wrk(run.output) else { throw Failure("wrk reported no rate") }
            if let failures = ToolOutput.wrkFailures(run.output) { throw Failure("wrk: \(failures)") }
            return Figures(
                value: result.perSecond, cpuMicrosecondsPerCall: run.cpuSeconds * 1e6 / Double(result.requests),
                peakResidentKiB: run.peakResidentKiB)
        }
    }
}
