// Bodies read byte by byte and line by line, which is the convenient way and not the fast one.

import BenchKit
import BenchRuns
import Foundation
import Martlet

enum ByteByByte {
    static let works = [
        Work(
            name: "bytes-100m", summary: "100 MB read byte by byte", measures: [.megabytesPerSecond],
            resource: .http("/100m"),
            subjects: [
                .code("martlet") { job in
                    let client = try job.client()
                    return try await Transfer.measure { try await count(client.get(job.url).bytes) }
                },
                .onMainActor("martlet-mainactor") { job in
                    let client = try job.client()
                    return try await Transfer.measure { try await countOnMain(client.get(job.url).bytes) }
                },
            ], budgets: [Budget("martlet", .atLeast(80)), Budget("martlet-mainactor", .atLeast(35))]),
        Work(
            name: "lines-1m", summary: "1,000,000 lines read line by line", measures: [Measure("lines/s")],
            resource: .http("/lines"),
            subjects: Subject.martlet { client, job in
                try await Transfer.measure(unit: 1) {
                    var lines = 0
                    for try await _ in client.get(job.url).lines { lines += 1 }
                    return lines
                }
            }),
        Work(
            name: "events-1m", summary: "1,000,000 server-sent events read one by one", measures: [Measure("events/s")],
            resource: .http("/events"),
            subjects: Subject.martlet { client, job in
                try await Transfer.measure(unit: 1) {
                    var events = 0
                    for try await _ in try await client.get(job.url).stream().body.events { events += 1 }
                    return events
                }
            }),
    ]

    private static func count(_ bytes: ChunkedBytes<Call.Chunks>) async throws -> Int {
        var count = 0
        for try await _ in bytes { count += 1 }
        return count
    }

    @MainActor private static func countOnMain(_ bytes: ChunkedBytes<Call.Chunks>) async throws -> Int {
        var count = 0
        for try await _ in bytes { count += 1 }
        return count
    }
}
