// A megabyte of random bytes into each parser of what a peer or a caller may send: nothing traps, and nothing hangs. A new
// parser is a line in the table.

import Foundation
import Testing

@testable import Martlet

/// A parser, and what it is given. Errors are all the same here: it is traps and hangs that are looked for.
struct ByteParser: Sendable, CustomTestStringConvertible {
    let name: String
    /// What gets the bytes behind it past a first check.
    var opening = Data()
    /// Characters that mean something to it.
    let alphabet: String
    let parse: @Sendable (Data) async throws -> Void

    init(
        _ name: String, opening: Data = Data(), alphabet: String,
        _ parse: @escaping @Sendable (Data) async throws -> Void
    ) {
        (self.name, self.opening, self.alphabet, self.parse) = (name, opening, alphabet, parse)
    }

    var testDescription: String { name }
}

extension ByteParser {
    static let all: [ByteParser] =
        [
            ByteParser("form", opening: Data("a[b][0]=".utf8), alphabet: "a=&[]%2B+;") { bytes in
                _ = try URLEncodedFormDecoder().decode([String: JSONValue].self, from: bytes)
            },
            ByteParser("URI template", opening: Data("/{a*}{?b,c}{".utf8), alphabet: "{a,b:3*}+#./;?&%41") { bytes in
                let template = try URITemplate(String(decoding: bytes, as: UTF8.self))
                _ = try template.expand(["a": "1", "b": ["2", "3"]])
            },
            ByteParser("multipart", opening: Data("--B\r\n\r\n".utf8), alphabet: "\r\n-B: a;=\"") { bytes in
                for try await part in MultipartReader(Pieces(bytes, 65_536), boundary: "B") {
                    _ = try await part.collect()
                }
            },
            ByteParser("lines", alphabet: "\r\na") { bytes in
                for try await _ in ChunkedLines(Pieces(bytes, 65_536)) {}
            },
            ByteParser("JSON", opening: Data("{\"a\": [1, ".utf8), alphabet: "{}[],:\"\\u1e-.tfn ") { bytes in
                _ = try JSONValue(parsing: bytes)
            },
        ] + codings

    #if Zlib
    private static let codings = Coded.cases.map { coded in
        ByteParser(coded.name, opening: coded.bytes.prefix(coded.bytes.count / 2), alphabet: "\u{0}\u{1F}\u{7F}a") {
            bytes in
            let pieces = stride(from: 0, to: bytes.count, by: 65_536).map { bytes[$0..<min($0 + 65_536, bytes.count)] }
            let decoder = ContentDecoder([coded.coding], limits: ContentDecoding())
            for piece in pieces {
                decoder.push(piece)
                while try decoder.next() != nil {}
            }
            try decoder.finish()
        }
    }
    #else
    private static let codings: [ByteParser] = []
    #endif

    /// A megabyte for a seed: random bytes, the same behind the opening, or the characters of the alphabet.
    func bytes(seed: UInt64, count: Int = 1 << 20) -> Data {
        var random = SeededRandom(seed: seed)
        guard seed % 3 == 2 else {
            let noise = Self.noise(count, &random)
            return seed % 3 == 0 ? noise : Data(opening + noise.dropFirst(opening.count))
        }
        // A tile of them again and again: making each by itself would take longer than parsing it.
        let characters = Array(alphabet.utf8)
        let tile = Data((0..<4_096).map { _ in characters[random.next(below: characters.count)] })
        return Data(opening + Data(repeatElement(tile, count: count / tile.count).joined()).dropFirst(opening.count))
    }

    static func noise(_ count: Int, _ random: inout SeededRandom) -> Data {
        var words = [UInt64](repeating: 0, count: count / 8)
        words.withUnsafeMutableBufferPointer { words in
            for index in words.indices { words[index] = random.next() }
        }
        return words.withUnsafeBytes { Data($0) }
    }
}

extension SoakTests {
    @Suite struct RandomBytes {
        @Test(.timeLimit(.minutes(60)), arguments: ByteParser.all) func neverTrapAParser(_ parser: ByteParser) async {
            let seeds = Soak.count(3, soak: 10_000)
            let slowest = await withTaskGroup(of: Duration.self) { group in
                for worker in 0..<2 {
                    group.addTask {
                        var slowest = Duration.zero
                        for seed in stride(from: worker, to: seeds, by: 2) {
                            let bytes = parser.bytes(seed: UInt64(seed))
                            let time = await ContinuousClock().measure { try? await parser.parse(bytes) }
                            slowest = max(slowest, time)
                        }
                        return slowest
                    }
                }
                return await group.reduce(.zero, max)
            }
            #expect(slowest < .seconds(60))
            Soak.tell(
                "random bytes, \(parser.name)",
                ["seeds": seeds, "slowestMilliseconds": Int(slowest / .milliseconds(1))])
        }
    }
}
