// A document decoded from a response, and the same one by the bare decoder: what the way through a call adds to what is resident.

import Foundation
import Martlet

enum DecodedDocument {
    /// Fetches a document and decodes it.
    @Sendable static func fetch(_ settings: Settings) async throws -> [String: Int] {
        let client = MartletClient()
        let call = client.get(try settings.text("url")).maximumBytes(1 << 30)
        let strings: [String] = try await call.json()
        await client.shutdown()
        return figures(strings)
    }

    /// Makes the same document in place and decodes it.
    @Sendable static func bare(_ settings: Settings) async throws -> [String: Int] {
        let blocks = try settings.number("blocks")
        var data = Data()
        data.reserveCapacity(blocks << 16 + 4)
        data.append(UInt8(ascii: "["))
        let block = Data("\"\(String(repeating: "b", count: 65_533))\",".utf8)
        for _ in 0..<blocks { data.append(block) }
        data.append(contentsOf: "\"\"]".utf8)
        return figures(try JSONDecoder().decode([String].self, from: data))
    }

    private static func figures(_ strings: [String]) -> [String: Int] {
        ["strings": strings.count, "peakKiB": ProcessFigures.peakResidentKiB]
    }
}
