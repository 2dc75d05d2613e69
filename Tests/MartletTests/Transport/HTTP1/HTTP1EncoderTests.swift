// Request heads, byte for byte, and what is refused before any byte is sent.

import Testing

@testable import Martlet

@Suite struct HTTP1EncoderTests {
    @Test func headIsWrittenInItsOrder() throws {
        let head = try encode(.get, headers: ["X-B": "1", "x-a": " 2\t", "Accept": "*/*"])
        #expect(head == "GET /a?b=c HTTP/1.1\r\nHost: example.com\r\nX-B: 1\r\nx-a: 2\r\nAccept: */*\r\n\r\n")
    }

    @Test func repeatedFieldsAreRepeated() throws {
        let head = try encode(.get, headers: [.init("X", "1"), .init("Y", "2"), .init("x", "3")])
        #expect(head.hasSuffix("\r\nX: 1\r\nY: 2\r\nx: 3\r\n\r\n"))
    }

    @Test func validHostOfTheCallerComesFirstAndOnce() throws {
        let head = try encode(.get, headers: ["A": "b", "hOsT": "other.example:8080"])
        #expect(head == "GET /a?b=c HTTP/1.1\r\nHost: other.example:8080\r\nA: b\r\n\r\n")
    }

    @Test(arguments: ["", "a b", "a/b", "user@host", "a\tb", "h\u{F6}st", "a?b", "a#b", "a\\b", "<a>"])
    func invalidHostIsRefused(_ host: String) {
        expectRefusal { try encode(.get, headers: [.init("Host", host)]) }
        expectRefusal { try encode(.get, host: host) }
    }

    @Test func secondHostIsRefused() {
        expectRefusal { try encode(.get, headers: [.init("Host", "a"), .init("host", "a")]) }
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch])
    func methodThatExpectsContentSaysThatThereIsNone(_ method: HTTPMethod) throws {
        #expect(try encode(method).hasSuffix("Host: example.com\r\nContent-Length: 0\r\n\r\n"))
    }

    @Test(arguments: [HTTPMethod.get, .head, .delete, .options, "PURGE"])
    func methodWithoutContentSaysNothingOfLength(_ method: HTTPMethod) throws {
        #expect(try encode(method).hasSuffix("Host: example.com\r\n\r\n"))
    }

    @Test func framingIsWrittenBehindTheFields() throws {
        #expect(try encode(.post, framing: .length(12)).hasSuffix("\r\nContent-Length: 12\r\n\r\n"))
        #expect(try encode(.get, framing: .length(0)).hasSuffix("\r\nContent-Length: 0\r\n\r\n"))
        #expect(try encode(.post, framing: .chunked).hasSuffix("\r\nTransfer-Encoding: chunked\r\n\r\n"))
    }

    @Test func expectationIsWrittenOnce() throws {
        let ending = "\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
        let plain = try encode(.put, framing: .length(3), expectContinue: true)
        let doubled = try encode(.put, headers: ["expect": "100-Continue"], framing: .length(3), expectContinue: true)
        #expect(plain.hasSuffix(ending))
        #expect(doubled == plain)
    }

    @Test func trueLengthOfTheCallerIsFolded() throws {
        let head = try encode(.post, headers: ["content-length": "5"], framing: .length(5))
        #expect(head.hasSuffix("Host: example.com\r\nContent-Length: 5\r\n\r\n"))
    }

    // Hostile peers, row 43.

    struct Conflict: Sendable {
        var name: String
        var value: String
        var framing: HTTP1Encoder.Framing
    }

    @Test(arguments: [
        Conflict(name: "Content-Length", value: "6", framing: .length(5)),
        Conflict(name: "Content-Length", value: "05", framing: .length(5)),
        Conflict(name: "Content-Length", value: "+5", framing: .length(5)),
        Conflict(name: "content-length", value: "5", framing: .chunked),
        Conflict(name: "Content-Length", value: "5", framing: .none),
        Conflict(name: "Transfer-Encoding", value: "chunked", framing: .chunked),
        Conflict(name: "transfer-encoding", value: "gzip", framing: .none),
        Conflict(name: "Connection", value: "close", framing: .none),
        Conflict(name: "Keep-Alive", value: "timeout=5", framing: .none),
        Conflict(name: "Proxy-Connection", value: "keep-alive", framing: .none),
        Conflict(name: "Upgrade", value: "websocket", framing: .none),
        Conflict(name: "TE", value: "gzip", framing: .none),
        Conflict(name: "Expect", value: "100-continue", framing: .length(5)),
    ])
    func fieldThatIsNotTheCallersIsRefusedByName(_ conflict: Conflict) {
        let error = expectRefusal {
            try encode(.post, headers: [.init(conflict.name, conflict.value)], framing: conflict.framing)
        }
        #expect(error?.message.lowercased().contains(conflict.name.lowercased()) == true)
    }

    @Test func lengthGivenTwiceIsRefused() {
        let twice: HTTPHeaders = [.init("Content-Length", "5"), .init("Content-Length", "5")]
        expectRefusal { try encode(.post, headers: twice, framing: .length(5)) }
    }

    @Test func requestForTrailersIsAnnouncedToTheConnection() throws {
        let head = try encode(.get, headers: ["TE": "trailers"])
        #expect(head.hasSuffix("\r\nTE: trailers\r\nConnection: TE\r\n\r\n"))
    }

    // Row 42.

    static let controls: [UInt8] = Array(0...31) + [127]

    @Test(arguments: controls)
    func controlCharacterInANameIsRefused(_ byte: UInt8) {
        expectRefusal { try encode(.get, headers: [.init("A\(character(byte))B", "c")]) }
        expectRefusal { try encode(.get, headers: [.init("\(character(byte))", "c")]) }
    }

    @Test(arguments: controls.filter { $0 != 9 })
    func controlCharacterInAValueIsRefusedWhereverItStands(_ byte: UInt8) {
        for place in 0...9 {
            var value = Array("canaryabc".unicodeScalars)
            value.insert(Unicode.Scalar(byte), at: place)
            let error = expectRefusal {
                try encode(.get, headers: [.init("A", String(String.UnicodeScalarView(value)))])
            }
            #expect(error?.message.contains("canary") == false)
        }
    }

    @Test(arguments: controls + [0x20])
    func illegalByteInTheTargetIsRefused(_ byte: UInt8) {
        expectRefusal { try encode(.get, target: "/a\(character(byte))b") }
    }

    @Test(arguments: ["", "/\u{E9}", "/a#b", "/ HTTP/1.1\r\nX: y\r\n\r\n"])
    func invalidTargetIsRefused(_ target: String) {
        expectRefusal { try encode(.get, target: target) }
    }

    @Test(arguments: controls + [0x20, 0x22, 0x28, 0x2F, 0x3A, 0x40, 0x7B])
    func illegalByteInTheMethodIsRefused(_ byte: UInt8) {
        expectRefusal { try encode(HTTPMethod("GE\(character(byte))T")) }
    }

    @Test(arguments: ["", "G\u{CB}T", "GET /\r\n"])
    func methodThatIsNoTokenIsRefused(_ method: String) {
        expectRefusal { try encode(HTTPMethod(method)) }
    }

    @Test(arguments: ["", "A B", "A:", "A\u{E9}", "(A)", "A\"", "A/B"])
    func nameThatIsNoTokenIsRefused(_ name: String) {
        expectRefusal { try encode(.get, headers: [.init(name, "x")]) }
    }

    @Test func valueBeyondASCIIAndTabsAreSent() throws {
        #expect(try encode(.get, headers: ["A": "b\tc \u{E9}"]).hasSuffix("A: b\tc \u{C3}\u{A9}\r\n\r\n"))
    }

    @Test func tunnelIsNoRequestOfItsOwn() {
        let error = #expect(throws: MartletError.self) { try encode(.connect) }
        #expect(error?.code == .unsupported)
    }

    @Test func bodyThatCannotBeIsRefused() {
        expectRefusal { try encode(.trace, framing: .length(1)) }
        expectRefusal { try encode(.post, framing: .length(-1)) }
    }

    @Test func headAboveTheLimitIsRefused() throws {
        let frame = try encode(.get, headers: ["A": ""]).utf8.count
        let longest = String(repeating: "x", count: HTTP1Encoder.headLimit - frame)
        #expect(try encode(.get, headers: ["A": longest]).utf8.count == HTTP1Encoder.headLimit)
        expectRefusal { try encode(.get, headers: ["A": longest + "x"]) }
    }

    // Chunks.

    @Test func chunksAreFramed() {
        #expect(HTTP1Encoder.chunkHead(length: 1) == latin1("1\r\n"))
        #expect(HTTP1Encoder.chunkHead(length: 262_144) == latin1("40000\r\n"))
        #expect(HTTP1Encoder.lastChunk == latin1("0\r\n\r\n"))
    }

    @Test func trailersAreWrittenBehindTheLastChunk() throws {
        #expect(try HTTP1Encoder.lastChunk(trailers: ["Digest": "x"]) == latin1("0\r\nDigest: x\r\n\r\n"))
        #expect(try HTTP1Encoder.lastChunk(trailers: [:]) == HTTP1Encoder.lastChunk)
    }

    @Test(arguments: ["Content-Length", "transfer-encoding", "Host", "Authorization", "Set-Cookie", "Trailer"])
    func trailerThatComesTooLateIsRefused(_ name: String) {
        expectRefusal { _ = try HTTP1Encoder.lastChunk(trailers: [.init(name, "x")]) }
    }

    @Test func illegalByteInATrailerIsRefused() {
        expectRefusal { _ = try HTTP1Encoder.lastChunk(trailers: ["A": "b\r\nC: d"]) }
    }

    @discardableResult
    private func encode(
        _ method: HTTPMethod, target: String = "/a?b=c", host: String = "example.com", headers: HTTPHeaders = [:],
        framing: HTTP1Encoder.Framing = .none, expectContinue: Bool = false
    ) throws -> String {
        try Array(target.utf8).withUnsafeBufferPointer { target in
            try Array(host.utf8).withUnsafeBufferPointer { host in
                latin1(
                    try HTTP1Encoder.head(
                        method: method, target: target, host: host, headers: headers, framing: framing,
                        expectContinue: expectContinue))
            }
        }
    }

    @discardableResult
    private func expectRefusal(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) -> MartletError? {
        let error = #expect(throws: MartletError.self, sourceLocation: sourceLocation) { try body() }
        #expect(error?.code == .invalidRequest, sourceLocation: sourceLocation)
        return error
    }

    private func character(_ byte: UInt8) -> Character { Character(Unicode.Scalar(byte)) }
}
