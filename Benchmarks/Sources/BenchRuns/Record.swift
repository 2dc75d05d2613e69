// The document of the works that decode and encode.

package import Foundation

/// What the document is made of; so many that it is 1 MiB.
package struct Record: Codable, Sendable {
    package static let count = 8_000

    package var id: Int
    package var name: String
    package var price: Double
    package var tags: [String]
    package var isActive: Bool
    package var note: String?

    /// The document, the same each time.
    package static func document() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(some(count))
    }

    /// The first records.
    package static func some(_ count: Int) -> [Record] {
        (0..<count).map { id in
            Record(
                id: id, name: "A record of the number \(id)", price: Double(id % 1_000) / 4,
                tags: ["first", "second \(id % 7)"], isActive: id.isMultiple(of: 3),
                note: id.isMultiple(of: 2) ? nil : "Not each has one.")
        }
    }

    /// Decodes the document with the bare decoder.
    package static func decode(_ data: Data) throws {
        try check(try JSONDecoder().decode([Record].self, from: data))
    }

    package static func check(_ records: [Record]) throws {
        guard records.count == Record.count else { throw Failure("\(records.count) records came") }
    }
}
