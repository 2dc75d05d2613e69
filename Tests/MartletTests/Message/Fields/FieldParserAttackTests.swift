// What no peer should be able to do with a header field: trap its reader, or hold it up.

import Foundation
import Testing

@testable import Martlet

@Suite struct FieldParserAttackTests {
    /// Each reader, and something it does with what it read.
    private static func read(_ text: String) -> Int {
        var count = 0
        count += HTTPDate(text)?.description.utf8.count ?? 0
        count += RetryAfter(text)?.description.utf8.count ?? 0
        count += MediaType(text).map { $0.description.utf8.count + ($0.matches("*/*+json") ? 1 : 0) } ?? 0
        count += ContentDisposition(text).map { $0.description.utf8.count + ($0.safeFilename?.utf8.count ?? 0) } ?? 0
        count += WebLink.all(in: text).reduce(0) { $0 + $1.description.utf8.count + ($1.title?.utf8.count ?? 0) }
        let control = CacheControl(text)
        count += control.description.utf8.count + (control.maxAge == nil ? 0 : 1)
        let list = QualityList(text)
        count += list.choices.count + (list.quality(of: "x") == nil ? 0 : 1)
        count += TextEncoding.charset(of: text)?.utf8.count ?? 0
        count += ContentDisposition.safe(text)?.utf8.count ?? 0
        return count
    }

    /// Pieces of the grammars, so that chance gets further than their first byte.
    private static let pieces = [
        ",", ";", "=", "\"", "\\", "<", ">", "'", "%", "%e2%82%ac", "*", "/", "+", " ", "\t", "-", ".", ":", "q=0.5",
        "0", "99999999999999999999",
        "Sun, ", "Sunday, ", "Sun ", "06", "6", "Nov", " 1994", "-94", "08:49:37", " GMT", "text", "json", "rel=next",
        "max-age=", "filename*=UTF-8''",
        "filename=", "attachment", "no-store", "\u{0}", "\u{7F}", "ä", "😃", "\u{202E}", "\r\n",
    ]

    @Test(arguments: 0..<Soak.count(10, soak: 1_000))
    func randomFieldsAreReadWithoutATrap(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<200 {
            var text = ""
            for _ in 0..<random.next(below: 24) { text += Self.pieces.randomElement(using: &random) ?? "" }
            _ = Self.read(text)
            let bytes = (0..<random.next(below: 64)).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = Self.read(String(decoding: bytes, as: UTF8.self))
            _ = Self.read(latin1(bytes))
        }
    }

    @Test func aMegabyteOfChanceIsReadAtOnce() {
        let count = Soak.isOn ? 1 << 20 : 1 << 16
        var random = SeededRandom(seed: 7)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        _ = Self.read(latin1(bytes))
        var text = ""
        while text.utf8.count < count { text += Self.pieces.randomElement(using: &random) ?? "" }
        _ = Self.read(text)
    }

    /// Four times as long must not take sixteen times as long; what takes no time at all is not compared.
    @Test(arguments: [
        ",", ";", "\"", "\\", "<", "</a>,", "a=b;", "</a>;rel=", ";q=", "=", "a;", "\"a\",", "%", "x,", ".",
        "</a>;rel=x;", "0", " ",
    ])
    func readingTakesTimeInProportion(_ piece: String) {
        func time(_ count: Int) -> Duration {
            let text = "a/b;" + String(repeating: piece, count: count)
            return ContinuousClock().measure { _ = Self.read(text) }
        }
        let short = min(time(2_000), time(2_000))
        let long = min(time(8_000), time(8_000))
        #expect(long < max(short * 12, .milliseconds(250)), "\(short) and \(long)")
    }
}
