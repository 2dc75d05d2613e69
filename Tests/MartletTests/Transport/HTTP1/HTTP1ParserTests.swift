// What the corpus table cannot say: limits, what is told while a response is being read, several responses on one connection.

import Testing

@testable import Martlet

@Suite struct HTTP1ParserTests {
    // Hostile peers, row 8.

    @Test func headAtTheLimitPassesAndOneByteMoreDoesNot() {
        let head = "HTTP/1.1 200 OK\r\nA: bcdef\r\nContent-Length: 0\r\n\r\n"
        var script = ParserScript()
        script.limits.headBytes = head.utf8.count
        #expect(script.run(latin1(head)).description == "h200 end keep")
        script.limits.headBytes -= 1
        #expect(script.run(latin1(head)).error == .headTooLarge)
    }

    @Test(arguments: [7, 100, 4096])
    func endlessFieldIsRefusedAtTheLimit(_ portion: Int) throws {
        var parser = HTTP1Parser()
        parser.start(method: .get)
        try feed("HTTP/1.1 200 OK\r\nA: ", to: &parser)
        let more = String(repeating: "x", count: portion)
        var fed = 0
        let error = #expect(throws: MartletError.self) {
            while fed < 1_000_000 {
                fed += portion
                try feed(more, to: &parser)
            }
        }
        #expect(error?.code == .headTooLarge)
        #expect(fed <= 65_536 + portion)
    }

    @Test func endlessStatusLineIsRefusedAtTheLimit() {
        let line = "HTTP/1.1 200 " + String(repeating: "x", count: 70_000)
        #expect(ParserScript().run(latin1(line)).error == .headTooLarge)
    }

    @Test func fieldsAreCounted() {
        func head(_ count: Int) -> [UInt8] {
            latin1("HTTP/1.1 204 \r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n")
        }
        #expect(ParserScript().run(head(256)).description == "h204 end keep")
        #expect(ParserScript().run(head(257)).error == .headTooLarge)
    }

    // Row 7.

    @Test func hugeExtensionOfOneChunkIsRefused() {
        let extensions = ";" + String(repeating: "x", count: 16_384)
        let outcome = ParserScript().run(latin1(Self.chunkedHead + "1\(extensions)\r\na\r\n0\r\n\r\n"))
        #expect(outcome.error == .headTooLarge)
    }

    @Test func extensionsOfAllChunksAreCountedTogether() {
        let chunk = "1;" + String(repeating: "x", count: 999) + "\r\na\r\n"
        let body = { (count: Int) in Self.chunkedHead + String(repeating: chunk, count: count) + "0\r\n\r\n" }
        #expect(ParserScript().run(latin1(body(65))).hasEnded)
        #expect(ParserScript().run(latin1(body(66))).error == .headTooLarge)
    }

    @Test func manyPlainChunksAreNoFraud() {
        let body = String(repeating: "1\r\na\r\n", count: 50_000) + "0\r\n\r\n"
        let outcome = ParserScript().run(latin1(Self.chunkedHead + body))
        #expect(outcome.hasEnded)
        #expect(outcome.body.count == 50_000)
    }

    @Test func hugeTrailersAreRefused() {
        let trailer = "A: " + String(repeating: "x", count: 70_000) + "\r\n"
        #expect(ParserScript().run(latin1(Self.chunkedHead + "0\r\n\(trailer)\r\n")).error == .headTooLarge)
    }

    @Test func manyTrailersAreRefused() {
        let trailers = String(repeating: "A: b\r\n", count: 257)
        #expect(ParserScript().run(latin1(Self.chunkedHead + "0\r\n\(trailers)\r\n")).error == .headTooLarge)
    }

    // Rows 20 and 21.

    @Test func twentyInformationalHeadsPassAndOneMoreDoesNot() {
        func flood(_ count: Int) -> [UInt8] {
            latin1(String(repeating: "HTTP/1.1 103 \r\n\r\n", count: count) + "HTTP/1.1 204 \r\n\r\n")
        }
        #expect(ParserScript().run(flood(20)).hasEnded)
        let outcome = ParserScript().run(flood(21))
        #expect(outcome.error == .tooManyInformationalResponses)
        #expect(outcome.informational.count == 20)
    }

    @Test func informationalHeadsCountAgainstTheHeadLimit() {
        let hint = "HTTP/1.1 103 \r\nA: " + String(repeating: "x", count: 10_000) + "\r\n\r\n"
        #expect(ParserScript().run(latin1(String(repeating: hint, count: 7))).error == .headTooLarge)
    }

    @Test func earlyHintsChangeNothingOfTheFinalHead() throws {
        let outcome = ParserScript().run(
            latin1("HTTP/1.1 103 \r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 204 \r\nA: b\r\n\r\n"))
        #expect(outcome.informational.map(\.headers) == [["Set-Cookie": "a=b"]])
        #expect(outcome.head?.headers == ["A": "b"])
    }

    // Row 1.

    @Test func truncationSaysWhatWasExpectedAndReceived() {
        let outcome = ParserScript().run(latin1("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"))
        #expect(outcome.error == .bodyTruncated)
        #expect(outcome.message.contains("5 of 10 bytes"))
    }

    // Row 23: no waiting for more of what cannot be HTTP.

    @Test(arguments: ["h", "HTTX", "HTTP/2", "HTTP/1.1 a", "HTTP/1.1 2000", "\r"])
    func firstWrongByteIsRefusedAtOnce(_ beginning: String) {
        var script = ParserScript()
        script.closes = false
        let bytes = latin1(beginning)
        #expect(script.run(Array(bytes.dropLast())).error == nil)
        #expect(script.run(bytes).error == .invalidResponse)
        #expect(script.run(bytes, cuts: Array(bytes.indices)).error == .invalidResponse)
    }

    @Test func bareLineFeedEndsLinesOfAHeadWhenAllowed() {
        var script = ParserScript()
        script.limits.acceptsBareLineFeed = true
        #expect(script.run(latin1("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi")).description == "h200 b\"hi\" end keep")
        #expect(script.run(latin1(Self.chunkedHead + "2\nhi")).error == .invalidResponse)
        #expect(script.run(latin1(Self.chunkedHead + "0\r\nA: b\n\n")).error == .invalidResponse)
    }

    @Test func headIsDeliveredAsItCame() {
        let outcome = ParserScript().run(latin1("HTTP/1.0 404 Nope\r\nX-One: 1\r\nx-one:\t2 \r\nY: \u{E9}\r\n\r\n"))
        #expect(outcome.head?.status == .notFound)
        #expect(outcome.head?.reason == "Nope")
        #expect(outcome.head?.version == .http1_0)
        #expect(outcome.head?.headers == [.init("X-One", "1"), .init("x-one", "2"), .init("Y", "\u{E9}")])
        #expect(outcome.head?.headers.first?.name == "X-One")
    }

    // What a connection asks in between.

    @Test func stateIsToldWhileTheResponseIsRead() throws {
        var parser = HTTP1Parser()
        #expect(parser.isIdle)
        #expect(!parser.keepsConnection)
        parser.start(method: .get)
        #expect(!parser.isIdle)
        #expect(!parser.receivedAnyByte)
        try feed("H", to: &parser)
        #expect(parser.receivedAnyByte)
        #expect(parser.bodyRemaining == nil)
        try feed("TTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", to: &parser)
        #expect(parser.bodyRemaining == 2)
        #expect(!parser.keepsConnection)
        #expect(!parser.bodyEndsWithClose)
        try feed("cd", to: &parser)
        #expect(parser.isIdle)
        #expect(parser.keepsConnection)
    }

    @Test func nextResponseStartsAfresh() throws {
        var parser = HTTP1Parser()
        for _ in 0..<3 {
            parser.start(method: .get)
            #expect(!parser.receivedAnyByte)
            let events = try feed(
                "HTTP/1.1 103 \r\n\r\n" + Self.chunkedHead + "1;x\r\na\r\n0\r\nA: b\r\n\r\n", to: &parser)
            #expect(events == ["informational", "head", "body", "end"])
            #expect(parser.keepsConnection)
        }
        parser.start(method: .get)
        #expect(!parser.keepsConnection)
    }

    @Test func bytesBetweenResponsesAreRefused() throws {
        var parser = HTTP1Parser()
        parser.start(method: .get)
        try feed("HTTP/1.1 204 \r\n\r\n", to: &parser)
        let error = #expect(throws: MartletError.self) { try feed("H", to: &parser) }
        #expect(error?.code == .invalidResponse)
        #expect(!parser.keepsConnection)
    }

    @Test func failedParserStaysFailed() throws {
        var parser = HTTP1Parser()
        parser.start(method: .get)
        let first = #expect(throws: MartletError.self) { try feed("nonsense", to: &parser) }
        parser.start(method: .get)
        let second = #expect(throws: MartletError.self) { try feed("HTTP/1.1 204 \r\n\r\n", to: &parser) }
        let third = #expect(throws: MartletError.self) { _ = try parser.finish() }
        #expect(first?.message == second?.message)
        #expect(first?.message == third?.message)
    }

    @Test func closingBetweenResponsesIsNoError() throws {
        var parser = HTTP1Parser()
        #expect(try parser.finish() == nil)
        parser.start(method: .get)
        try feed("HTTP/1.1 204 \r\n\r\n", to: &parser)
        #expect(try parser.finish() == nil)
    }

    @Test func startingAResponseWithinAnotherFailsRatherThanMixingThem() {
        var parser = HTTP1Parser()
        parser.start(method: .get)
        parser.start(method: .get)
        let error = #expect(throws: MartletError.self) { try feed("HTTP/1.1 204 \r\n\r\n", to: &parser) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func messagesQuoteNoHeaderValue() {
        for example in ParserCase.all {
            let canary = latin1(example.wire.replacing("A: b", with: "A: canary"))
            #expect(!ParserScript(method: example.method).run(canary).message.contains("canary"))
        }
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @discardableResult
    private func feed(_ text: String, to parser: inout HTTP1Parser) throws(MartletError) -> [String] {
        let bytes = latin1(text)
        var names: [String] = []
        var offset = 0
        try bytes.withUnsafeBufferPointer { buffer throws(MartletError) in
            while let event = try parser.next(UnsafeRawBufferPointer(buffer), from: &offset) {
                switch event {
                case .informational: names.append("informational")
                case .head: names.append("head")
                case .body: names.append("body")
                case .end: names.append("end")
                }
            }
        }
        return names
    }
}
