// Responses, good and bad, and what a strict client makes of each when the peer closes the connection behind them.

import Testing

@testable import Martlet

struct ParserCase: Sendable, CustomTestStringConvertible {
    var name: String
    var method: HTTPMethod
    var wire: String
    var expected: String

    init(_ name: String, _ method: HTTPMethod, _ wire: String, _ expected: String) {
        self.name = name
        self.method = method
        self.wire = wire
        self.expected = expected
    }

    init(_ name: String, _ wire: String, _ expected: String) { self.init(name, .get, wire, expected) }

    var bytes: [UInt8] { latin1(wire) }
    var testDescription: String { name }

    static let all = heads + framings + chunks + interim
}

extension ParserCase {
    private static let empty = "Content-Length: 0\r\n\r\n"

    /// Status lines and fields.
    static let heads: [ParserCase] = [
        .init("reason phrase", "HTTP/1.1 200 OK\r\n" + empty, "h200 end keep"),
        .init("empty reason phrase", "HTTP/1.1 200 \r\n" + empty, "h200 end keep"),
        .init("no space before the missing reason phrase", "HTTP/1.1 200\r\n" + empty, "h200 end keep"),
        .init("Latin-1 reason phrase", "HTTP/1.1 200 Tr\u{E8}s bien\r\n" + empty, "h200 end keep"),
        .init("control character in the reason phrase", "HTTP/1.1 200 O\u{1}K\r\n" + empty, "invalidResponse"),
        .init("bare CR behind the status code", "HTTP/1.1 200\rOK\r\n" + empty, "invalidResponse"),
        .init("status 999", "HTTP/1.1 999 Far Out\r\n" + empty, "h999 end keep"),
        .init("status 600", "HTTP/1.1 600 \r\n" + empty, "h600 end keep"),
        .init("status of two digits", "HTTP/1.1 20 OK\r\n" + empty, "invalidResponse"),
        .init("status of four digits", "HTTP/1.1 2000 OK\r\n" + empty, "invalidResponse"),
        .init("status below 100", "HTTP/1.1 099 Low\r\n" + empty, "invalidResponse"),
        .init("negative status", "HTTP/1.1 -20 OK\r\n" + empty, "invalidResponse"),
        .init("two spaces before the status", "HTTP/1.1  200 OK\r\n" + empty, "invalidResponse"),
        .init("HTTP/0.9", "<html>hello</html>", "invalidResponse"),
        .init("HTTP/1.2", "HTTP/1.2 200 OK\r\n" + empty, "invalidResponse"),
        .init("HTTP/2.0 in text", "HTTP/2.0 200 OK\r\n" + empty, "invalidResponse"),
        .init("version without minor", "HTTP/1 200 OK\r\n" + empty, "invalidResponse"),
        .init("lower-case protocol", "http/1.1 200 OK\r\n" + empty, "invalidResponse"),
        .init("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "invalidResponse"),
        .init("a TLS record", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F", "invalidResponse"),
        .init("empty line in front", "\r\nHTTP/1.1 200 OK\r\n" + empty, "invalidResponse"),
        .init("bare LF behind the status line", "HTTP/1.1 200 OK\n" + empty, "invalidResponse"),
        .init("bare LF behind a field", "HTTP/1.1 200 OK\r\nA: b\n" + empty, "invalidResponse"),
        .init("bare LF as the empty line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n", "invalidResponse"),
        .init("bare CR in a value", "HTTP/1.1 200 OK\r\nA: b\rc\r\n" + empty, "invalidResponse"),
        .init("CR CR LF", "HTTP/1.1 200 OK\r\nA: b\r\r\n" + empty, "invalidResponse"),
        .init("NUL in a value", "HTTP/1.1 200 OK\r\nA: b\u{0}c\r\n" + empty, "invalidResponse"),
        .init("DEL in a value", "HTTP/1.1 200 OK\r\nA: bbbbbbbbbbbb\u{7F}\r\n" + empty, "invalidResponse"),
        .init("tab in a value", "HTTP/1.1 200 OK\r\nA: b\tc\r\n" + empty, "h200 end keep"),
        .init("high bytes in a value", "HTTP/1.1 200 OK\r\nA: \u{80}\u{E9}\u{FF}\r\n" + empty, "h200 end keep"),
        .init("high byte in a name", "HTTP/1.1 200 OK\r\nA\u{E9}: b\r\n" + empty, "invalidResponse"),
        .init("no space behind the colon", "HTTP/1.1 200 OK\r\nA:b\r\n" + empty, "h200 end keep"),
        .init("much space around a value", "HTTP/1.1 200 OK\r\nA: \t b \t\r\n" + empty, "h200 end keep"),
        .init("empty value", "HTTP/1.1 200 OK\r\nA:\r\n" + empty, "h200 end keep"),
        .init("space before the colon", "HTTP/1.1 200 OK\r\nA : b\r\n" + empty, "invalidResponse"),
        .init("space in a name", "HTTP/1.1 200 OK\r\nA B: c\r\n" + empty, "invalidResponse"),
        .init("no name", "HTTP/1.1 200 OK\r\n: b\r\n" + empty, "invalidResponse"),
        .init("no colon", "HTTP/1.1 200 OK\r\nnonsense\r\n" + empty, "invalidResponse"),
        .init("folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n" + empty, "invalidResponse"),
        .init("space before the first field", "HTTP/1.1 200 OK\r\n A: b\r\n" + empty, "invalidResponse"),
        .init("closed before anything", "", "connectionClosed"),
        .init("closed within the status line", "HTTP/1.1 20", "connectionClosed"),
        .init("closed within the fields", "HTTP/1.1 200 OK\r\nContent-Le", "connectionClosed"),
        .init("closed before the empty line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r", "connectionClosed"),
    ]

    /// Where the body ends, and what becomes of the connection.
    static let framings: [ParserCase] = [
        .init("length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "h200 b\"hello\" end keep"),
        .init(
            "length with zeros in front", "HTTP/1.1 200 OK\r\nContent-Length: 005\r\n\r\nhello",
            "h200 b\"hello\" end keep"),
        .init("too short a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "h200 b\"hel\" bodyTruncated"),
        .init("no byte of the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "h200 bodyTruncated"),
        .init(
            "bytes behind the body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP",
            "h200 b\"hello\" end keep +4"),
        .init(
            "equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nhi",
            "h200 b\"hi\" end keep"),
        .init("list of equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", "h200 b\"hi\" end keep"),
        .init(
            "lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
            "invalidResponse"),
        .init("list of lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2,3\r\n\r\nhi", "invalidResponse"),
        .init("length with an empty element", "HTTP/1.1 200 OK\r\nContent-Length: 2,\r\n\r\nhi", "invalidResponse"),
        .init("length with a plus sign", "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi", "invalidResponse"),
        .init("negative length", "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi", "invalidResponse"),
        .init("hexadecimal length", "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nhi", "invalidResponse"),
        .init("length with a space within", "HTTP/1.1 200 OK\r\nContent-Length: 1 2\r\n\r\nhi", "invalidResponse"),
        .init("empty length", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi", "invalidResponse"),
        .init("length in other digits", "HTTP/1.1 200 OK\r\nContent-Length: \u{B2}\r\n\r\nhi", "invalidResponse"),
        .init(
            "length of 2 to the 63", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nhi",
            "invalidResponse"),
        .init(
            "length beyond 2 to the 64", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\nhi",
            "invalidResponse"),
        .init(
            "greatest length", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhi",
            "h200 b\"hi\" bodyTruncated"),
        .init("until the connection closes", "HTTP/1.1 200 OK\r\n\r\nhello", "h200 b\"hello\" end"),
        .init("nothing until the connection closes", "HTTP/1.1 200 OK\r\n\r\n", "h200 end"),
        .init("answer to HEAD", .head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "h200 end keep"),
        .init(
            "answer to HEAD with a body", .head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "h200 end keep +5"
        ),
        .init(
            "answer to HEAD in chunks", .head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "h200 end keep"),
        .init("204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", "h204 end +5"),
        .init("204 in chunks", "HTTP/1.1 204 \r\nTransfer-Encoding: chunked\r\n\r\n", "h204 end"),
        .init("204 with a length of zero", "HTTP/1.1 204 No Content\r\n" + empty, "h204 end keep"),
        .init(
            "answer to HEAD with lengths that differ", .head, "HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n",
            "h200 end"),
        .init(
            "answer to HEAD with coding and length", .head,
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "h200 end"),
        .init("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "h304 end keep"),
        .init("304 in chunks", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "h304 end keep"),
        .init("205 without content", "HTTP/1.1 205 Reset Content\r\n" + empty, "h205 end keep"),
        .init("tunnel", .connect, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "h200 end +5"),
        .init(
            "tunnel refused", .connect, "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno", "h403 b\"no\" end keep"
        ),
        .init("Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\n" + empty, "h200 end"),
        .init("close in a list", "HTTP/1.1 200 OK\r\nConnection: x, CLOSE ,y\r\n" + empty, "h200 end"),
        .init("close as part of a word", "HTTP/1.1 200 OK\r\nConnection: closely\r\n" + empty, "h200 end keep"),
        .init(
            "close beside keep-alive", "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nConnection: close\r\n" + empty,
            "h200 end"),
        .init("HTTP/1.0", "HTTP/1.0 200 OK\r\n" + empty, "h200 end"),
        .init("HTTP/1.0 with keep-alive", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n" + empty, "h200 end keep"),
    ]

    /// The chunked coding.
    static let chunks: [ParserCase] = {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        func coded(_ value: String) -> String { "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n0\r\n\r\n" }
        return [
            .init("chunks", head + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "h200 b\"hello world\" end keep"),
            .init("no chunk", head + "0\r\n\r\n", "h200 end keep"),
            .init(
                "hexadecimal sizes", head + "a\r\n0123456789\r\n0B\r\n0123456789a\r\n0\r\n\r\n",
                "h200 b\"01234567890123456789a\" end keep"),
            .init("last chunk of many zeros", head + "0000\r\n\r\n", "h200 end keep"),
            .init("bytes behind the end", head + "0\r\n\r\nHTTP", "h200 end keep +4"),
            .init("extensions", head + "2;a=b;c=\"d e\"\r\nhi\r\n0;x\r\n\r\n", "h200 b\"hi\" end keep"),
            .init("space before an extension", head + "2 ;a\r\nhi\r\n0\r\n\r\n", "h200 b\"hi\" end keep"),
            .init("space without an extension", head + "2 \r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("control character in an extension", head + "2;a\u{0}\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("bare CR in an extension", head + "2;a\rb\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("bare LF behind a size", head + "2\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("bare LF in an extension", head + "2;a\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("bare LF behind the data", head + "2\r\nhi\n0\r\n\r\n", "h200 b\"hi\" invalidResponse"),
            .init("no line end behind the data", head + "2\r\nhi0\r\n\r\n", "h200 b\"hi\" invalidResponse"),
            .init("more data than the size", head + "2\r\nhiho\r\n0\r\n\r\n", "h200 b\"hi\" invalidResponse"),
            .init("no size", head + "\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("size that is no number", head + "zz\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("size with a prefix", head + "0x2\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("negative size", head + "-2\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("size with a plus sign", head + "+2\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("space before the size", head + " 2\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("size of 16 digits", head + "0000000000000002\r\nhi\r\n0\r\n\r\n", "h200 b\"hi\" end keep"),
            .init("size of 17 digits", head + "00000000000000002\r\nhi\r\n0\r\n\r\n", "h200 invalidResponse"),
            .init("size of 2 to the 63", head + "8000000000000000\r\nhi", "h200 invalidResponse"),
            .init("greatest size", head + "7FFFFFFFFFFFFFFF\r\nhi", "h200 b\"hi\" bodyTruncated"),
            .init("closed within a size", head + "5", "h200 bodyTruncated"),
            .init("closed within a chunk", head + "5\r\nhe", "h200 b\"he\" bodyTruncated"),
            .init("closed without a last chunk", head + "5\r\nhello\r\n", "h200 b\"hello\" bodyTruncated"),
            .init("closed before the final line", head + "2\r\nhi\r\n0\r\n", "h200 b\"hi\" bodyTruncated"),
            .init(
                "trailers", head + "2\r\nhi\r\n0\r\nDigest: x\r\nServer-Timing: y\r\n\r\n",
                "h200 b\"hi\" end t(Digest,Server-Timing) keep"),
            .init(
                "trailers that come too late", head + "0\r\nContent-Length: 9\r\nSet-Cookie: a=b\r\nHost: h\r\n\r\n",
                "h200 end keep"),
            .init("malformed trailer", head + "0\r\nno colon\r\n\r\n", "h200 invalidResponse"),
            .init("bare LF behind a trailer", head + "0\r\nA: b\n\r\n", "h200 invalidResponse"),
            .init("closed within the trailers", head + "0\r\nA: b\r\n", "h200 bodyTruncated"),
            .init("coding in capitals", coded("CHUNKED"), "h200 end keep"),
            .init("coding that is unknown", coded("gzip"), "invalidResponse"),
            .init("coding in front of chunked", coded("gzip, chunked"), "invalidResponse"),
            .init("coding behind chunked", coded("chunked, gzip"), "invalidResponse"),
            .init("chunked twice in a list", coded("chunked, chunked"), "invalidResponse"),
            .init("chunked in two fields", coded("chunked\r\nTransfer-Encoding: chunked"), "invalidResponse"),
            .init("identity", coded("identity"), "invalidResponse"),
            .init("empty coding", coded(""), "invalidResponse"),
            .init("chunked with a parameter", coded("chunked;q=1"), "invalidResponse"),
            .init("chunked behind a vertical tab", coded("\u{B}chunked"), "invalidResponse"),
            .init("coding and length", coded("chunked\r\nContent-Length: 5"), "invalidResponse"),
            .init(
                "length and coding", coded("chunked").replacing("OK\r\n", with: "OK\r\nContent-Length: 5\r\n"),
                "invalidResponse"),
            .init("chunked in HTTP/1.0", coded("chunked").replacing("1.1", with: "1.0"), "invalidResponse"),
        ]
    }()

    /// Informational heads.
    static let interim: [ParserCase] = [
        .init("100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n" + empty, "i100 h200 end keep"),
        .init(
            "103 with a length and a cookie",
            "HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\nSet-Cookie: a=b\r\nConnection: close\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "i103 h200 b\"hi\" end keep"),
        .init(
            "102 in chunks", "HTTP/1.1 102 \r\nTransfer-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\n" + empty,
            "i102 h200 end keep"),
        .init("199", "HTTP/1.1 199 Whatever\r\n\r\nHTTP/1.1 200 OK\r\n" + empty, "i199 h200 end keep"),
        .init("101 unasked", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", "invalidResponse"),
        .init("closed behind an informational head", "HTTP/1.1 100 Continue\r\n\r\n", "i100 connectionClosed"),
        .init("body behind an informational head", "HTTP/1.1 100 Continue\r\n\r\nhello", "i100 invalidResponse"),
    ]
}
