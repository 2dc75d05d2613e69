// Responses that are open at once and wait for more of their bodies: what one of them holds. Without
// URLSession, which took 5 to 10 ms to open each of 500.

import BenchKit
import BenchRuns
import Foundation
import Martlet

enum OpenResponses {
    static let works = [
        work("open-5000", "5,000 responses open at once", .http("/trickle"), kibibytes: 16),
        work("open-5000-tls", "5,000 responses open at once over TLS", .https("/trickle"), kibibytes: 48),
        work(
            "open-5000-h2", "5,000 responses open at once over HTTP/2 and TLS, 100 on each of 50 connections",
            .http2("/trickle"), kibibytes: 16),
    ]

    private static func count(_ job: Job) -> Int { job.quick ? 500 : 5_000 }

    private static func work(
        _ name: String, _ summary: String, _ resource: Servers.Resource, kibibytes: Double
    ) -> Work {
        Work(
            name: name, summary: summary, measures: [Measure("KiB each", higherIsBetter: false)], resource: resource,
            subjects: Subject.martlet(configure: {
                $0.pool = PoolLimits(connectionsPerHost: 6_000, connections: 6_000)
            }) { client, job in
                try await measure(job) { try await client.get(job.url).stream() }
            },
            budgets: ["martlet", "martlet-loop"].map { Budget($0, .atMost(kibibytes)) })
    }

    /// Opens them, 64 at a time, and compares the memory before and after. One is opened before: what a first call sets up
    /// is not a response's.
    private static func measure<Response: Sendable>(
        _ job: Job, open: @escaping @Sendable () async throws -> Response
    ) async throws -> Figures {
        let count = count(job)
        let first = try await open()
        let before = ProcessFigures.residentKiB
        let cpu = ProcessFigures.cpuSeconds
        let responses = try await withThrowingTaskGroup(of: Response.self) { group in
            var responses: [Response] = []
            responses.reserveCapacity(count)
            for started in 0..<count {
                if started >= 64, let response = try await group.next() { responses.append(response) }
                group.addTask { try await open() }
            }
            for try await response in group { responses.append(response) }
            return responses
        }
        let after = ProcessFigures.residentKiB
        return withExtendedLifetime((first, responses)) {
            Figures(
                value: Double(after - before) / Double(count),
                cpuMicrosecondsPerCall: (ProcessFigures.cpuSeconds - cpu) * 1e6 / Double(count),
                peakResidentKiB: ProcessFigures.peakResidentKiB)
        }
    }
}
