// A document of 1 MiB decoded, beside fetching its bytes and calling the decoder by hand: what the terminal adds.

import BenchKit
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
                    try check(records)
                }
            },
            .code(byHand) { job in
                let client = try job.client()
                return try await Load.run(job, concurrency: 1, warmUp: 3) {
                    try decode(try await client.get(job.url).data())
                }
            },
            .code("urlsession") { job in
                let session = try PlainSession(job, connections: 1)
                return try await Load.run(job, concurrency: 1, warmUp: 3) { try decode(try await session.data()) }
            },
        ], budgets: [Budget("martlet", .share(0.95, of: byHand))])

    private static let byHand = "martlet-data+decoder"

    private static func decode(_ data: Data) throws {
        try check(try JSONDecoder().decode([Record].self, from: data))
    }

    private static func check(_ records: [Record]) throws {
        guard records.count == Record.count else { throw Failure("\(records.count) records came") }
    }
}

/// What the document is made of; so many that it is 1 MiB.
struct Record: Codable, Sendable {
    static let count = 8_000

    var id: Int
    var name: String
    var price: Double
    var tags: [String]
    var isActive: Bool
    var note: String?

    /// The document, the same each time.
    static func document() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(some(count))
    }

    /// The first records.
    static func some(_ count: Int) -> [Record] {
        (0..<count).map { id in
            Record(
                id: id, name: "A record of the number \(id)", price: Double(id % 1_000) / 4,
                tags: ["first", "second \(id % 7)"], isActive: id.isMultiple(of: 3),
                note: id.isMultiple(of: 2) ? nil : "Not each has one.")
        }
    }
}
