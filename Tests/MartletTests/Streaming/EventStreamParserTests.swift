import Foundation
import Testing

@testable import Martlet

@Suite struct EventStreamParserTests {
    static let cases: [(text: String, events: [ServerSentEvent])] = [
        // The examples of the standard.
        (
            "data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]
        ),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [
                ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                ServerSentEvent(data: " third event"),
            ]
        ),
        ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
        ("data:test\n\ndata: test\n\n", [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")]),
        // Three events with three kinds of line ends, a byte-order mark, and characters of several bytes.
        (
            "\u{FEFF}event: add\r\ndata: ä🐦\r\nid: 7\r\n\r\ndata: b\rdata: c\r\rretry: 1500\nevent: end\ndata: d\n\n",
            [
                ServerSentEvent(type: "add", data: "ä🐦", id: "7"), ServerSentEvent(data: "b\nc", id: "7"),
                ServerSentEvent(type: "end", data: "d", id: "7", retry: .milliseconds(1_500)),
            ]
        ),
        // A mark is one at the beginning only, and an unknown field is no field.
        ("data: a\n\n\u{FEFF}data: b\n\ndata: c\n\n", [ServerSentEvent(data: "a"), ServerSentEvent(data: "c")]),
        // An id with NUL is passed over, one without data still counts, an empty one takes the last away.
        (
            "id: a\0b\ndata: x\n\nid: 2\n\ndata: y\n\nid:\ndata: z\n\n",
            [ServerSentEvent(data: "x"), ServerSentEvent(data: "y", id: "2"), ServerSentEvent(data: "z")]
        ),
        // A retry is digits alone, and what cannot be waited for is no retry.
        (
            "retry: 10\nretry: 1e3\nretry: -1\nretry:\nretry: 99999999999999999999\ndata: x\n\n",
            [ServerSentEvent(data: "x", retry: .milliseconds(10))]
        ),
        // A type without data is forgotten; names are told apart by case; of spaces one is taken.
        ("event: a\n\nData: no\nDATA: no\n data: no\ndata:  x\n\n", [ServerSentEvent(data: " x")]),
        ("data: x:y: z\n\n", [ServerSentEvent(data: "x:y: z")]),
        // Comments alone, blank lines alone, nothing at all, and an event that nothing ends.
        (":\n:a\n\n\n\n", []), ("", []), ("data: lost", []), ("data: lost\n", []), ("\u{FEFF}", []),
        // CR, LF and CRLF beside each other: a blank line is one however it is written.
        (
            "data: a\n\r\ndata: b\r\n\ndata: c\r\r\n",
            [ServerSentEvent(data: "a"), ServerSentEvent(data: "b"), ServerSentEvent(data: "c")]
        ),
    ]

    @Test(arguments: cases)
    func eventsAreTheSameWhereverTheStreamIsCut(text: String, events: [ServerSentEvent]) throws {
        try expectAtEveryCut(Array(text.utf8), events) { EventStreamParser() }
    }

    @Test func anEventIsThereWithItsBlankLineAndNotLater() throws {
        var parser = EventStreamParser()
        try parser.append(Data("data: a\r\n\r".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "a"))
        try parser.append(Data("\ndata: b\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "b"))
    }

    @Test func invalidTextIsRepaired() throws {
        let bytes = Array("data: a".utf8) + [0xFF, 0x62, 0x0A, 0x0A]
        #expect(try EventStreamParser.frames({ EventStreamParser() }, [bytes]) == [ServerSentEvent(data: "a\u{FFFD}b")])
    }

    @Test(arguments: [
        "data: 0123456789\n\n", ": 0123456789012345\n", "0123456789012345678901234567890123",
        "data: 012345\ndata: 012345\n\n", "event: 012345678901\ndata: a\n\n",
    ])
    func whatExceedsTheLimitIsRefused(text: String) throws {
        for split in 0...text.utf8.count {
            let chunks = [Array(text.utf8.prefix(split)), Array(text.utf8.dropFirst(split))]
            let error = #expect(throws: MartletError.self) {
                try EventStreamParser.frames({ EventStreamParser(maximumBytes: 12) }, chunks)
            }
            #expect(error?.code == .frameTooLarge)
        }
    }

    @Test func commentsWithoutEndHoldNothing() throws {
        var parser = EventStreamParser(maximumBytes: 1_000)
        for _ in 0..<100_000 {
            try parser.append(Data(": still here\n\n".utf8))
            #expect(try parser.next() == nil)
        }
        try parser.append(Data("data: x\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "x"))
    }

    @Test(arguments: 0..<200)
    func randomBytesNeverTrap(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("data: event: id: retry: 1\r\n\n\n::".utf8) + [0, 0xFF, 0xEF, 0xBB, 0xBF, 0x1E]
        let bytes = (0..<2_000).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
        let whole = try EventStreamParser.frames({ EventStreamParser() }, [bytes])
        let cut = Int.random(in: 0...bytes.count, using: &random)
        #expect(
            try EventStreamParser.frames({ EventStreamParser() }, [bytes[..<cut], bytes[cut...]]) == whole)
    }
}
