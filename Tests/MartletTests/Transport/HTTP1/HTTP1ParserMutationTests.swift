// Damaged responses from a seeded generator: nothing traps or hangs, and the outcome does not depend on how the bytes arrive.
// 100,000 by default; a million when `MARTLET_SOAK` is set.

import Foundation
import Testing

@testable import Martlet

@Suite struct HTTP1ParserMutationTests {
    static let rounds = ProcessInfo.processInfo.environment["MARTLET_SOAK"] == nil ? 25_000 : 250_000

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func damagedResponseIsReadTheSameInOneAndTwoParts(_ seed: UInt64) {
        var random = SplitMix(state: seed)
        let corpus = ParserCase.all.map { (ParserScript(method: $0.method), $0.bytes) }
        for round in 0..<Self.rounds {
            let (script, original) = corpus[Int.random(in: 0..<corpus.count, using: &random)]
            let bytes = Self.damage(original, &random)
            let whole = script.run(bytes)
            let cut = script.run(bytes, cuts: [Int.random(in: 0...bytes.count, using: &random)])
            guard whole == cut else {
                Issue.record(
                    "seed \(seed), round \(round): \(whole) is not \(cut) for \(latin1(bytes).debugDescription)")
                return
            }
        }
    }

    private static let telling = latin1("\r\n\0 \t:;,0159aFxHX-+\u{7F}\u{80}\u{FF}")

    private static func damage(_ original: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            let byte = telling[Int.random(in: 0..<telling.count, using: &random)]
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < bytes.count: bytes[place] = byte
            case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2 where place < bytes.count: bytes.remove(at: place)
            case 3:
                let end = min(bytes.count, place + Int.random(in: 0..<16, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.insert(byte, at: place)
            }
        }
        return bytes
    }
}

/// A small generator with a seed, so that a failure can be had again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
