import Foundation
import Testing

@testable import Martlet

@Suite struct JSONFramerTests {
    // MARK: Lines

    static let lines: [(text: String, records: [String])] = [
        ("{\"a\":1}\n{\"a\":\"ä🐦\"}\n[1,2]\n", ["{\"a\":1}", "{\"a\":\"ä🐦\"}", "[1,2]"]),
        ("1\n\n \r\n\"x\"\r\n  true  \nnull", ["1", "\"x\"", "true", "null"]),
        ("", []), ("\n\n", []), (" ", []), ("\u{FEFF}1\n2", ["1", "2"]), ("\u{FEFF}", []), ("1", ["1"]),
        // What is wrong is the decoder's to say.
        ("{\n}\n", ["{", "}"]),
    ]

    @Test(arguments: lines)
    func linesAreTheSameWhereverTheStreamIsCut(text: String, records: [String]) throws {
        try expectAtEveryCut(Array(text.utf8), records.map { Data($0.utf8) }) { JSONLineFramer() }
    }

    // MARK: Sequences (RFC 7464)

    static let sequences: [(text: String, records: [String])] = [
        ("\u{1E}{\"a\":1}\n\u{1E}[1,\n2]\n\u{1E}\"ä\\\"}\"\n", ["{\"a\":1}", "[1,\n2]", "\"ä\\\"}\""]),
        ("\u{1E}\u{1E}\u{1E}1\n\u{1E} \n\u{1E}true\n", ["1", "true"]), ("\u{1E}", []),
        ("\n\u{1E}{}\u{1E}[]", ["{}", "[]"]), ("\u{FEFF}\u{1E}7\n", ["7"]),
    ]

    @Test(arguments: sequences)
    func sequencesAreTheSameWhereverTheStreamIsCut(text: String, records: [String]) throws {
        try expectAtEveryCut(Array(text.utf8), records.map { Data($0.utf8) }) { JSONLineFramer() }
    }

    @Test func aRecordOfASequenceIsThereWithItsLastByte() throws {
        var framer = JSONLineFramer()
        try framer.append(Data("\u{1E}{\"a\":{}}".utf8))
        #expect(try framer.next() == Data("{\"a\":{}}".utf8))
    }

    @Test(arguments: ["\u{1E}{\"a\":", "\u{1E}12", "\u{1E}12\u{1E}13\n", "\u{1E}\"a", "\u{1E}{\u{1E}{}\n", "\u{1E}tru"])
    func aRecordThatIsCutShortIsAnError(text: String) throws {
        try expectFailure(.decodingFailed, text) { JSONLineFramer() }
    }

    @Test(arguments: ["123456789\n", "{\"a\":12345}", "\u{1E}{\"a\":12345}\n", "\u{1E}\"01234567", "        1"])
    func aRecordAboveTheLimitIsRefused(text: String) throws {
        try expectFailure(.frameTooLarge, text) { JSONLineFramer(maximumBytes: 8) }
    }

    // MARK: Arrays

    static let arrays: [(text: String, elements: [String])] = [
        ("[]", []), (" [ ] \n", []), ("\u{FEFF}[1]", ["1"]),
        (
            "[1, 22 ,\n\"a,]\\\"\\\\\", {\"b\":[{}, \"]\"]},[ [1] ],null,-1.5e3]",
            ["1", "22", "\"a,]\\\"\\\\\"", "{\"b\":[{}, \"]\"]}", "[ [1] ]", "null", "-1.5e3"]
        ),
        ("[{\"ä\":\"🐦\"},true]\r\n", ["{\"ä\":\"🐦\"}", "true"]),
    ]

    @Test(arguments: arrays)
    func elementsAreTheSameWhereverTheStreamIsCut(text: String, elements: [String]) throws {
        try expectAtEveryCut(Array(text.utf8), elements.map { Data($0.utf8) }) { JSONArrayFramer() }
    }

    @Test func anElementIsThereWithItsLastByte() throws {
        var framer = JSONArrayFramer()
        try framer.append(Data("[{\"a\":1}".utf8))
        #expect(try framer.next() == Data("{\"a\":1}".utf8))
        try framer.append(Data(",12".utf8))
        #expect(try framer.next() == nil)
        try framer.append(Data("3,".utf8))
        #expect(try framer.next() == Data("123".utf8))
    }

    @Test(arguments: [
        "", " ", "{}", "1", "[1", "[", "[1,", "[1,]", "[,1]", "[1 2]", "[1] 2", "[1]]", "[1}", "[}", "[\"a",
        "[{\"a\":1",
        "\"[]\"", "[]\u{FEFF}", " \u{FEFF}[]", "[1],",
    ])
    func whatIsNoArrayIsAnError(text: String) throws {
        try expectFailure(.decodingFailed, text) { JSONArrayFramer() }
    }

    @Test(arguments: ["[123456789]", "[1,\"01234567\"]", "[[[[[[[[[[", "[{\"a\":1234"])
    func anElementAboveTheLimitIsRefused(text: String) throws {
        try expectFailure(.frameTooLarge, text) { JSONArrayFramer(maximumBytes: 8) }
    }

    @Test func aHugeArrayHoldsOneElementAtATime() throws {
        var framer = JSONArrayFramer(maximumBytes: 64)
        var count = 0
        try framer.append(Data("[0".utf8))
        for number in 1...100_000 {
            try framer.append(Data(",\(number)".utf8))
            while try framer.next() != nil { count += 1 }
        }
        #expect(count == 100_000)
    }

    // MARK: All

    @Test(arguments: 0..<200)
    func randomBytesNeverTrap(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("[]{}\"\\,: 1tn\n".utf8) + [0x1E, 0, 0xFF, 0xEF, 0xBB, 0xBF]
        let bytes = (0..<2_000).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
        let cut = Int.random(in: 0...bytes.count, using: &random)
        for start in ["", "[", "\u{1E}"] {
            let chunks = [Array(start.utf8), Array(bytes[..<cut]), Array(bytes[cut...])]
            let joined = [Array(chunks.joined())]
            #expect(readLines(chunks) == readLines(joined))
            #expect(readArray(chunks) == readArray(joined))
        }
    }

    private func readLines(_ chunks: [[UInt8]]) -> [Data]? {
        try? JSONLineFramer.frames({ JSONLineFramer() }, chunks)
    }

    private func readArray(_ chunks: [[UInt8]]) -> [Data]? {
        try? JSONArrayFramer.frames({ JSONArrayFramer() }, chunks)
    }
}

/// Expects that a text fails a framer, wherever it is cut.
func expectFailure<Framer: StreamFramer>(
    _ code: MartletError.Code, _ text: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () -> Framer
) throws {
    for cut in 0...text.utf8.count {
        let error = #expect(throws: MartletError.self, sourceLocation: sourceLocation) {
            try Framer.frames(make, [Array(text.utf8.prefix(cut)), Array(text.utf8.dropFirst(cut))])
        }
        #expect(error?.code == code, "\(text) cut at \(cut)", sourceLocation: sourceLocation)
    }
}
