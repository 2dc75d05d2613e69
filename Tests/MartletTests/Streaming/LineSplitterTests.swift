import Foundation
import Testing

@testable import Martlet

@Suite struct LineSplitterTests {
    static func lines(of chunks: [[UInt8]], maximumLength: Int = 1_048_576) throws -> [String] {
        var splitter = LineSplitter(maximumLength: maximumLength)
        var lines: [String] = []
        for chunk in chunks {
            try splitter.append(Data(chunk))
            while let line = splitter.next() { lines.append(line) }
        }
        while let line = try splitter.finish() { lines.append(line) }
        return lines
    }

    static let cases: [(text: String, lines: [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("\n\n", ["", ""]), ("a\nb", ["a", "b"]),
        ("a\n\nb\n", ["a", "", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\rb\r", ["a", "b"]), ("\r\n", [""]),
        ("\r\r\n\n", ["", "", ""]), ("\r\n\r\n", ["", ""]), ("\n\r", ["", ""]),
        ("a\r\n\nb\r\rc", ["a", "", "b", "", "c"]),
        ("a\n\rb", ["a", "", "b"]), ("ä\nö🐦\r\nü", ["ä", "ö🐦", "ü"]), ("\u{FEFF}a\nb", ["a", "b"]),
        ("\u{FEFF}", []), ("\u{FEFF}\n", [""]), ("\u{FEFF}\n\u{FEFF}", ["", "\u{FEFF}"]), ("a\u{FEFF}", ["a\u{FEFF}"]),
        ("a\u{85}b\u{2028}c\u{0B}d\u{0C}e", ["a\u{85}b\u{2028}c\u{0B}d\u{0C}e"]), ("a\0b\nc", ["a\0b", "c"]),
        ("long line without an end", ["long line without an end"]), ("x\r\ny\nz\rw", ["x", "y", "z", "w"]),
    ]

    @Test(arguments: cases)
    func textIsSplitAtEveryPosition(text: String, expected: [String]) throws {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            let chunks = [Array(bytes[..<split]), Array(bytes[split...])]
            #expect(try Self.lines(of: chunks) == expected, "split at \(split)")
        }
    }

    @Test(arguments: cases)
    func textIsSplitByteByByte(text: String, expected: [String]) throws {
        #expect(try Self.lines(of: text.utf8.map { [$0] }) == expected)
    }

    @Test(arguments: cases)
    func linesMayWaitUntilTheEnd(text: String, expected: [String]) throws {
        var splitter = LineSplitter()
        for byte in text.utf8 { try splitter.append(Data([byte])) }
        var lines: [String] = []
        while let line = try splitter.finish() { lines.append(line) }
        #expect(lines == expected)
    }

    @Test(arguments: [
        ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), ([0xC3], "\u{FFFD}"), ([0xF0, 0x9F, 0x90], "\u{FFFD}"),
        ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xC0, 0xAF], "\u{FFFD}\u{FFFD}"),
    ])
    func invalidTextIsRepairedALineAtATime(bytes: [UInt8], expected: String) throws {
        let text = [0x31, 0x0A] + bytes + [0x0A, 0x32]
        for split in 0...text.count {
            let chunks = [Array(text[..<split]), Array(text[split...])]
            #expect(try Self.lines(of: chunks) == ["1", expected, "2"], "split at \(split)")
        }
    }

    @Test func lineThatEndsInCarriageReturnIsGivenAtOnce() throws {
        var splitter = LineSplitter()
        try splitter.append(Data("a\r".utf8))
        #expect(splitter.next() == "a")
        #expect(splitter.next() == nil)
        try splitter.append(Data("\n".utf8))
        #expect(splitter.next() == nil)
        try splitter.append(Data("\n".utf8))
        #expect(splitter.next() == "")
        #expect(try splitter.finish() == nil)
    }

    @Test(arguments: ["12345", "12345\n", "12345\r\nx", "12345678901234567890"])
    func lineOverTheLimitIsRefused(text: String) throws {
        #expect { try Self.lines(of: [Array(text.utf8)], maximumLength: 4) } throws: {
            ($0 as? MartletError)?.code == .lineTooLong
        }
        #expect { try Self.lines(of: text.utf8.map { [$0] }, maximumLength: 4) } throws: {
            ($0 as? MartletError)?.code == .lineTooLong
        }
    }

    @Test func lineAtTheLimitPasses() throws {
        #expect(try Self.lines(of: [Array("1234\n1234\r\n1234".utf8)], maximumLength: 4) == ["1234", "1234", "1234"])
    }

    @Test func linesBeforeTheOneThatIsTooLongAreGiven() throws {
        var splitter = LineSplitter(maximumLength: 4)
        try splitter.append(Data("1\n2\n12345\n3\n".utf8))
        #expect(splitter.next() == "1")
        #expect(splitter.next() == "2")
        #expect(splitter.next() == nil)
        #expect(throws: MartletError.self) { try splitter.append(Data()) }
        #expect(throws: MartletError.self) { try splitter.finish() }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func textInRandomChunksIsSplitAsAWholeTextIs(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let alphabet: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "a"), 0xC3, 0xA4]
        let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &random)]
        }
        var chunks: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...7, using: &random)
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(try Self.lines(of: chunks) == Self.lines(of: [bytes]))
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
