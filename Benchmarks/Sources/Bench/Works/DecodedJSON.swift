// A document of 1 MiB decoded, beside fetching its bytes and calling the decoder by hand: what the terminal adds.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    static let json = Work(
        name: "json-1m", summary: "1 MiB of JSON fetched and decoded, one at a time", resource: .http("/records.json"),
        subjects: [
            .code("martlet") { job in
                let client = try job.client()
                return try await Load.run(job, concurrency: 1, warmUp: 3) {
                    let records: [Record] = try await client.get(job.url).json()
                    try Record.check(records)
                }
            },
            .code(byHand) { job in
                let client = try job.client()
                return try await Load.run(job, concurrency: 1, warmUp: 3) {
                    try Record.decode(try await client.get(job.url).data())
                }
            },
            .urlsession,
        ], budgets: [Budget("martlet", .share(0.95, of: byHand))])

    private static let byHand = "martlet-data+decoder"
}
