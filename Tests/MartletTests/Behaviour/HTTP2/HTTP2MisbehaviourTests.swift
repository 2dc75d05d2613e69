// What a server may send on a stream and on a connection, legal or not, and what must come of it (RFC 9113).

import MartletTesting
import Testing

@testable import Martlet

/// Frames that answer the request on stream 1, and the outcome.
struct FrameCase: Sendable, CustomTestStringConvertible {
    let name: String
    let frames: [HTTP2Frame]
    let outcome: String
    /// Whether the connection carries the next call.
    let keeps: Bool

    init(_ name: String, _ outcome: String, keeps: Bool = true, _ frames: HTTP2Frame...) {
        self.name = name
        self.outcome = outcome
        self.keeps = keeps
        self.frames = frames
    }

    var testDescription: String { name }
}

@Suite("HTTP/2: what a server sends", .timeLimit(.minutes(5)))
struct HTTP2MisbehaviourTests {
    private static let head = HTTP2Frame.headers(1, [":status": "200"])
    private static let block = HTTP2FieldBlock.encode([(":status", "200"), ("a", "b")])

    private static func head(_ fields: KeyValuePairs<String, String>) -> HTTP2Frame { .headers(1, fields) }
    private static func raw(_ name: String, _ value: [UInt8]) -> HTTP2Frame {
        .headers(
            1,
            block: HTTP2FieldBlock.encode([(":status", "200")])
                + HTTP2FieldBlock.encode(name: Array(name.utf8), value: value))
    }

    static let legal: [FrameCase] = [
        .init("whole", #"200 "hello""#, head, .data(1, "hello", ends: true)),
        .init("END_STREAM on HEADERS", #"200 """#, .headers(1, [":status": "200"], ends: true)),
        .init("END_STREAM on an empty DATA", #"200 "hello""#, head, .data(1, "hello"), .data(1, "", ends: true)),
        .init("many DATA", #"200 "abc""#, head, .data(1, "a"), .data(1, "b"), .data(1, "c", ends: true)),
        .init(
            "padded DATA", #"200 "hi""#, head,
            HTTP2Frame(.data, flags: 0x9, stream: 1, payload: [3] + Array("hi".utf8) + [0, 0, 0])),
        .init(
            "padded HEADERS", #"200 "hi""#, HTTP2Frame(.headers, flags: 0xC, stream: 1, payload: [2] + block + [0, 0]),
            .data(1, "hi", ends: true)),
        .init(
            "HEADERS with a priority", #"200 "hi""#,
            HTTP2Frame(.headers, flags: 0x24, stream: 1, payload: [0, 0, 0, 0, 15] + block), .data(1, "hi", ends: true)),
        .init(
            "a block in three frames", #"200 "hi""#, .headers(1, block: Array(block[..<3]), endsBlock: false),
            .continuation(1, block: Array(block[3..<5]), endsBlock: false), .continuation(1, block: Array(block[5...])),
            .data(1, "hi", ends: true)),
        .init(
            "unknown frame types", #"200 "hi""#, HTTP2Frame(type: 0x7F, flags: 0xFF, stream: 1, payload: [1, 2, 3]),
            head,
            HTTP2Frame(type: 0xFE, stream: 0), .data(1, "hi", ends: true)),
        .init("an unknown setting", #"200 "hi""#, .settings([0x7777: 1]), head, .data(1, "hi", ends: true)),
        .init(
            "a priority frame", #"200 "hi""#, HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 1]), head,
            .data(1, "hi", ends: true)),
        .init("a PING in between", #"200 "hi""#, head, .ping(), .data(1, "hi", ends: true)),
        .init("credit that is not needed", #"200 "hi""#, .windowUpdate(0, by: 1), head, .data(1, "hi", ends: true)),
        .init(
            "trailers", #"200 "hi" t(x-sum)"#, head, .data(1, "hi"), .headers(1, ["x-sum": "7"], ends: true)),
        .init(
            "trailers that may not come so late", #"200 "hi" t(x-sum)"#, head, .data(1, "hi"),
            .headers(1, ["content-type": "a/b", "x-sum": "7"], ends: true)),
        .init("early hints", #"200 "hi""#, head([":status": "103"]), head, .data(1, "hi", ends: true)),
        .init("an unknown status", #"799 "hi""#, head([":status": "799"]), .data(1, "hi", ends: true)),
        .init(
            "a length that is right", #"200 "hi""#, head([":status": "200", "content-length": "2"]),
            .data(1, "hi", ends: true)),
        .init("204 without a body", #"204 """#, .headers(1, [":status": "204"], ends: true)),
        .init("NO_ERROR after the whole", #"200 "hi""#, head, .data(1, "hi", ends: true), .reset(1, code: 0)),
        .init("INTERNAL_ERROR after the whole", #"200 "hi""#, head, .data(1, "hi", ends: true), .reset(1, code: 2)),
        .init("DATA after the end", #"200 "hi""#, head, .data(1, "hi", ends: true), .data(1, "more")),
    ]

    static let endings: [FrameCase] = [
        .init(
            "a body that is too short", #"200 "hi" bodyTruncated"#, head([":status": "200", "content-length": "5"]),
            .data(1, "hi", ends: true)),
        .init(
            "no body where a length is told", "invalidResponse",
            .headers(1, [":status": "200", "content-length": "5"], ends: true)),
        .init("reset in the body", #"200 "hi" bodyTruncated"#, head, .data(1, "hi"), .reset(1, code: 2)),
        .init("NO_ERROR in the body", #"200 "hi" bodyTruncated"#, head, .data(1, "hi"), .reset(1, code: 0)),
        .init(
            "NO_ERROR in a body of known length", #"200 "hi" bodyTruncated"#,
            head([":status": "200", "content-length": "5"]), .data(1, "hi"), .reset(1, code: 0)),
        .init("CANCEL in the body", #"200 "hi" bodyTruncated"#, head, .data(1, "hi"), .reset(1, code: 8)),
        .init("REFUSED_STREAM in the body", #"200 "hi" bodyTruncated"#, head, .data(1, "hi"), .reset(1, code: 7)),
        .init("INTERNAL_ERROR before the head", "streamReset", .reset(1, code: 2)),
        .init("CANCEL before the head", "streamReset", .reset(1, code: 8)),
        .init("NO_ERROR before the head", "streamReset", .reset(1, code: 0)),
        .init("an unknown code", "streamReset", .reset(1, code: 0x1234_5678)),
        .init("reset after early hints", "streamReset", head([":status": "103"]), .reset(1, code: 2)),
        .init("REFUSED_STREAM", #"200 "next""#, keeps: false, .reset(1, code: 7)),
        .init("GOAWAY that excludes the request", #"200 "next""#, keeps: false, .goAway(last: 0)),
        .init(
            "GOAWAY that includes the request", #"200 "hi""#, keeps: false, .goAway(last: 1), head,
            .data(1, "hi", ends: true)),
        .init(
            "GOAWAY in the body", #"200 "hi""#, keeps: false, head, .goAway(last: 1), .data(1, "hi", ends: true)),
        .init(
            "two GOAWAY", #"200 "hi""#, keeps: false, .goAway(last: 0x7FFF_FFFF), head, .goAway(last: 1),
            .data(1, "hi", ends: true)),
    ]

    static let streamErrors: [FrameCase] = [
        .init("no status", "invalidResponse", head(["a": "b"])),
        .init("two statuses", "invalidResponse", head([":status": "200", ":status": "200"])),
        .init("a status of two digits", "invalidResponse", head([":status": "20"])),
        .init("a status with a sign", "invalidResponse", head([":status": "+20"])),
        .init("a status behind a field", "invalidResponse", head(["a": "b", ":status": "200"])),
        .init("a field of requests", "invalidResponse", head([":status": "200", ":path": "/"])),
        .init("an unknown pseudo-header field", "invalidResponse", head([":status": "200", ":x": "1"])),
        .init("a name in capitals", "invalidResponse", head([":status": "200", "Server": "x"])),
        .init("Connection", "invalidResponse", head([":status": "200", "connection": "close"])),
        .init("Keep-Alive", "invalidResponse", head([":status": "200", "keep-alive": "timeout=5"])),
        .init("Transfer-Encoding", "invalidResponse", head([":status": "200", "transfer-encoding": "chunked"])),
        .init("Upgrade", "invalidResponse", head([":status": "200", "upgrade": "h2c"])),
        .init("Proxy-Connection", "invalidResponse", head([":status": "200", "proxy-connection": "x"])),
        .init("LF in a value", "invalidResponse", raw("a", Array("x\nb: c".utf8))),
        .init("CR in a value", "invalidResponse", raw("a", [0x78, 0x0D])),
        .init("NUL in a value", "invalidResponse", raw("a", [0x78, 0x00, 0x79])),
        .init("a space in a name", "invalidResponse", raw("a b", [0x78])),
        .init("a colon in a name", "invalidResponse", raw("a:b", [0x78])),
        .init("an empty name", "invalidResponse", raw("", [0x78])),
        .init("a space in front of a value", "invalidResponse", raw("a", [0x20, 0x78])),
        .init("a space behind a value", "invalidResponse", raw("a", [0x78, 0x20])),
        .init("101", "invalidResponse", head([":status": "101"])),
        .init("an informational head that ends", "invalidResponse", .headers(1, [":status": "103"], ends: true)),
        .init("DATA in front of the head", "invalidResponse", keeps: false, .data(1, "hi", ends: true)),
        .init(
            "lengths that differ", "invalidResponse",
            head([":status": "200", "content-length": "2", "content-length": "3"])),
        .init("a length that is no number", "invalidResponse", head([":status": "200", "content-length": "x"])),
        .init("a negative length", "invalidResponse", head([":status": "200", "content-length": "-1"])),
        .init(
            "a body that is too long", #"200 "" invalidResponse"#, head([":status": "200", "content-length": "1"]),
            .data(1, "hello", ends: true)),
        .init(
            "trailers with a status", #"200 "hi" invalidResponse"#, head, .data(1, "hi"),
            .headers(1, [":status": "200"], ends: true)),
        .init(
            "trailers that do not end", #"200 "hi" invalidResponse"#, head, .data(1, "hi"), .headers(1, ["a": "b"])),
        .init("no credit", "invalidResponse", keeps: false, .windowUpdate(1, by: 0)),
        .init(
            "too much credit", "invalidResponse", .windowUpdate(1, by: 0x7FFF_FFFF), .windowUpdate(1, by: 0x7FFF_FFFF)),
    ]

    static let connectionErrors: [FrameCase] = [
        .init("DATA on stream 0", "invalidResponse", keeps: false, .data(0, "x")),
        .init("HEADERS on stream 0", "invalidResponse", keeps: false, .headers(0, [":status": "200"])),
        .init("HEADERS of a stream of the server", "invalidResponse", keeps: false, .headers(2, [":status": "200"])),
        .init("HEADERS of an idle stream", "invalidResponse", keeps: false, .headers(5, [":status": "200"])),
        .init("DATA of an idle stream", "invalidResponse", keeps: false, .data(5, "x")),
        .init("SETTINGS on a stream", "invalidResponse", keeps: false, HTTP2Frame(.settings, stream: 1)),
        .init(
            "SETTINGS of five bytes", "invalidResponse", keeps: false, HTTP2Frame(.settings, payload: [0, 1, 2, 3, 4])),
        .init(
            "an acknowledgement with a payload", "invalidResponse", keeps: false,
            HTTP2Frame(.settings, flags: 1, payload: [0, 3, 0, 0, 0, 1])),
        .init("push asked for by the server", "invalidResponse", keeps: false, .settings([2: 2])),
        .init("a window beyond 31 bits", "invalidResponse", keeps: false, .settings([4: 0x8000_0000])),
        .init("frames of no size", "invalidResponse", keeps: false, .settings([5: 0])),
        .init("frames of too large a size", "invalidResponse", keeps: false, .settings([5: 0x0100_0000])),
        .init("a PING of seven bytes", "invalidResponse", keeps: false, .ping([1, 2, 3, 4, 5, 6, 7])),
        .init(
            "a PING on a stream", "invalidResponse", keeps: false,
            HTTP2Frame(.ping, stream: 1, payload: [0, 1, 2, 3, 4, 5, 6, 7])),
        .init("no credit for the connection", "invalidResponse", keeps: false, .windowUpdate(0, by: 0)),
        .init("too much credit for the connection", "invalidResponse", keeps: false, .windowUpdate(0, by: 0x7FFF_FFFF)),
        .init(
            "credit of three bytes", "invalidResponse", keeps: false,
            HTTP2Frame(.windowUpdate, stream: 1, payload: [0, 0, 1])),
        .init(
            "RST_STREAM of three bytes", "invalidResponse", keeps: false,
            HTTP2Frame(.reset, stream: 1, payload: [0, 0, 1])),
        .init("RST_STREAM on stream 0", "invalidResponse", keeps: false, .reset(0, code: 2)),
        .init("RST_STREAM of an idle stream", "invalidResponse", keeps: false, .reset(7, code: 2)),
        .init(
            "GOAWAY on a stream", "invalidResponse", keeps: false,
            HTTP2Frame(.goAway, stream: 1, payload: [0, 0, 0, 1, 0, 0, 0, 0])),
        .init("GOAWAY of four bytes", "invalidResponse", keeps: false, HTTP2Frame(.goAway, payload: [0, 0, 0, 1])),
        .init(
            "a frame that is too long", #"200 "" invalidResponse"#, keeps: false, head,
            .data(1, [UInt8](repeating: 0, count: 16_385))),
        .init("CONTINUATION alone", "invalidResponse", keeps: false, .continuation(1, block: block)),
        .init(
            "DATA in the middle of a block", "invalidResponse", keeps: false,
            .headers(1, block: block, endsBlock: false), .data(1, "x")),
        .init(
            "CONTINUATION of another stream", "invalidResponse", keeps: false,
            .headers(1, block: [], endsBlock: false), .continuation(3, block: block)),
        .init(
            "a block that is no HPACK", "invalidResponse", keeps: false, .headers(1, block: [0xFF, 0xFF, 0xFF, 0xFF])),
        .init("an index out of the table", "invalidResponse", keeps: false, .headers(1, block: [0xFE])),
        .init(
            "a promise", "invalidResponse", keeps: false,
            HTTP2Frame(.pushPromise, flags: 4, stream: 1, payload: [0, 0, 0, 2])),
        .init(
            "padding that is too long", #"200 "" invalidResponse"#, keeps: false, head,
            HTTP2Frame(.data, flags: 0x8, stream: 1, payload: [200, 1, 2])),
        .init(
            "HTTP/1.1 text", "invalidResponse", keeps: false,
            HTTP2Frame(type: 0x2F, stream: 0, declaredLength: 0x485454)),
    ]

    @Test(arguments: legal + endings + streamErrors + connectionErrors)
    func outcomeIsAsTheProtocolSays(_ wire: FrameCase) async throws {
        try await withHTTP2Peer(.frames(wire.frames)) { client, server in
            let outcome = await client.outcome()
            #expect(outcome == wire.outcome)
            try await client.expectText("next", at: "/next")
            #expect(server.connectionCount == (wire.keeps ? 1 : 2))
        }
    }
}
