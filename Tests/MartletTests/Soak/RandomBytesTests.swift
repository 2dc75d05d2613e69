// A megabyte of random bytes into each parser of what a peer or a caller may send: nothing traps, and nothing hangs. The
// parsers are in a table beside this; a new one is a line there.

import Foundation
import Testing

@testable import Martlet

/// A parser, and what it is given. Errors are all the same here: it is traps and hangs that are looked for.
struct ByteParser: Sendable, CustomTestStringConvertible {
    let name: String
    /// What gets the bytes behind them past a first check, one after the other.
    let openings: [String]
    /// Characters that mean something to it.
    let alphabet: String
    let parse: @Sendable (Data) async throws -> Void

    init(
        _ name: String, openings: [String] = [""], alphabet: String,
        _ parse: @escaping @Sendable (Data) async throws -> Void
    ) {
        (self.name, self.openings, self.alphabet, self.parse) = (name, openings, alphabet, parse)
    }

    var testDescription: String { name }

    /// The bytes of a seed: chance alone, or behind an opening chance, chance in ASCII, or characters of the alphabet.
    func bytes(seed: UInt64, count: Int) -> Data {
        var random = SeededRandom(seed: seed)
        let opening = Data(openings[Int(seed / 4) % openings.count].utf8)
        switch seed % 4 {
        case 0: return Self.noise(count, &random)
        case 1: return opening + Self.noise(count - opening.count, &random)
        case 2: return opening + Self.noise(count - opening.count, &random, mask: 0x7F7F_7F7F_7F7F_7F7F)
        default:
            // A tile of them again and again: making each by itself would take longer than parsing it.
            let characters = Array(alphabet.utf8)
            let tile = Data((0..<4_096).map { _ in characters[random.next(below: characters.count)] })
            var bytes = opening
            bytes.reserveCapacity(count + tile.count)
            while bytes.count < count { bytes.append(tile) }
            return bytes
        }
    }

    static func noise(_ count: Int, _ random: inout SeededRandom, mask: UInt64 = .max) -> Data {
        var words = [UInt64](repeating: 0, count: count / 8)
        words.withUnsafeMutableBufferPointer { words in
            for index in words.indices { words[index] = random.next() & mask }
        }
        return words.withUnsafeBytes { Data($0) }
    }
}

extension SoakTests {
    @Suite struct RandomBytes {
        /// The whole number takes an optimised build; `Tests/run --soak` makes one for it.
        private static let seeds = Soak.count(4, soak: Soak.isOptimized ? 10_000 : 40)
        private static let count = Soak.isOn ? 1 << 20 : 1 << 17

        @Test(.timeLimit(.minutes(60)), arguments: ByteParser.all) func neverTrapAParser(_ parser: ByteParser) async {
            let start = ContinuousClock.now
            let slowest = await withTaskGroup(of: Duration.self) { group in
                for worker in 0..<2 {
                    group.addTask {
                        var slowest = Duration.zero
                        for seed in stride(from: worker, to: Self.seeds, by: 2) {
                            let bytes = parser.bytes(seed: UInt64(seed), count: Self.count)
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
                [
                    "seeds": Self.seeds, "slowestMilliseconds": Int(slowest / .milliseconds(1)),
                    "seconds": Int((ContinuousClock.now - start) / .seconds(1)),
                ])
        }
    }
}
