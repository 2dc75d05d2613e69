// Rows 3, 5 and 6 of the hostile peers: what could be framed in two ways is refused, and its connection is dropped.
// RFC 9112, sections 6 and 7.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Rows 3, 5 and 6: framing", .timeLimit(.minutes(5))) struct FramingTests {
    static let refused =
        [
            ("two lengths that differ", "Content-Length: 4\r\nContent-Length: 5"),
            ("a list of lengths that differ", "Content-Length: 4, 5"),
            ("a list with an empty element", "Content-Length: 4,"),
            ("a plus sign", "Content-Length: +4"),
            ("a minus sign", "Content-Length: -4"),
            ("a hexadecimal length", "Content-Length: 0x4"),
            ("a length beyond 64 bits", "Content-Length: 18446744073709551620"),
            ("a length beyond 63 bits", "Content-Length: 9223372036854775808"),
            ("an empty length", "Content-Length: "),
            ("a length with a space inside", "Content-Length: 1 4"),
            ("a decimal fraction", "Content-Length: 4.0"),
            ("length and coding", "Content-Length: 4\r\nTransfer-Encoding: chunked"),
            ("an unknown coding", "Transfer-Encoding: cow"),
            ("chunked twice", "Transfer-Encoding: chunked, chunked"),
            ("chunked in two fields", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
            ("chunked not last", "Transfer-Encoding: chunked, gzip"),
            ("gzip before chunked", "Transfer-Encoding: gzip, chunked"),
            ("identity", "Transfer-Encoding: identity"),
            ("a quoted coding", "Transfer-Encoding: \"chunked\""),
            ("a coding with a parameter", "Transfer-Encoding: chunked;q=1"),
        ].map { WireCase($0.0, "HTTP/1.1 200 OK\r\n\($0.1)\r\n\r\n4\r\nbody\r\n0\r\n\r\n") }

    @Test(arguments: refused) func ambiguousFramingIsRefusedAndItsConnectionDropped(_ wire: WireCase) async throws {
        try await expectRefusal(of: wire, .invalidResponse)
    }

    @Test(arguments: [
        "Content-Length: 4\r\nContent-Length: 4", "Content-Length: 4, 4", "Content-Length: 0004",
        "Content-Length:4", "Content-Length: \t4 ",
    ]) func lengthsThatAgreeAreOne(_ field: String) async throws {
        try await withPeer(.saysAndStays("HTTP/1.1 200 OK\r\n\(field)\r\n\r\nbody")) { client, _ in
            try await client.expectText("body")
        }
    }

    static let chunks =
        [
            ("no size", "\r\nbody\r\n0\r\n\r\n"),
            ("no hexadecimal size", "x\r\nbody\r\n0\r\n\r\n"),
            ("a signed size", "+4\r\nbody\r\n0\r\n\r\n"),
            ("a negative size", "-4\r\nbody\r\n0\r\n\r\n"),
            ("a prefixed size", "0x4\r\nbody\r\n0\r\n\r\n"),
            ("a size beyond 64 bits", "10000000000000004\r\nbody\r\n0\r\n\r\n"),
            ("a size beyond 63 bits", "8000000000000000\r\nbody\r\n0\r\n\r\n"),
            ("endless zeros", "000000000000000000004\r\nbody\r\n0\r\n\r\n"),
            ("a space before the size", " 4\r\nbody\r\n0\r\n\r\n"),
            ("a bare LF after the size", "4\nbody\r\n0\r\n\r\n"),
            ("a bare CR after the size", "4\rbody\r\n0\r\n\r\n"),
            ("a bare LF in an extension", "4;a\nb\r\nbody\r\n0\r\n\r\n"),
            ("no CRLF after the data", "4\r\nbody0\r\n\r\n"),
            ("a bare LF after the data", "4\r\nbody\n0\r\n\r\n"),
            ("more data than the size", "4\r\nbodybody\r\n0\r\n\r\n"),
            ("a bare LF at the end", "4\r\nbody\r\n0\r\n\n"),
            ("a folded trailer", "4\r\nbody\r\n0\r\na: b\r\n c\r\n\r\n"),
            ("a trailer without a colon", "4\r\nbody\r\n0\r\nabc\r\n\r\n"),
        ].map { WireCase($0.0, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\($0.1)") }

    @Test(arguments: chunks) func chunkGarbageIsRefusedAndItsConnectionDropped(_ wire: WireCase) async throws {
        try await expectRefusal(of: wire, .invalidResponse)
    }

    @Test(arguments: [
        "4\r\nbody\r\n0\r\n\r\n", "4;name=value\r\nbody\r\n0;last\r\n\r\n", "00000004\r\nbody\r\n000\r\n\r\n",
        "4 \r\nbody\r\n0\r\n\r\n".replacingOccurrences(of: "4 ", with: "4"), "1\r\nb\r\n3\r\nody\r\n0\r\n\r\n",
    ]) func chunksByTheRulesAreRead(_ chunks: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        try await withPeer(.saysAndStays(head + chunks)) { client, _ in
            try await client.expectText("body")
        }
    }

    @Test func whereTheBytesAreCutChangesNothing() async throws {
        let wire =
            "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "1;x=y\r\nb\r\n3\r\nody\r\n0\r\nDigest: c\r\n\r\n"
        let peer = Peer.script(.readRequest, .sendPaced(Array(wire.utf8), every: .zero), .startAgain)
        try await withPeer(peer) { client, server in
            for _ in 0..<3 {
                let response = try await client.get("/").response()
                #expect(response.body == Data("body".utf8))
                #expect(response.trailers?["Digest"] == "c")
            }
            #expect(server.connectionCount == 1)
        }
    }

    private func expectRefusal(of wire: WireCase, _ code: MartletError.Code) async throws {
        let peer = Peer.scripts(
            [.readRequest, .send(wire.bytes), .waitForClose], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            let error = await expectFailure(code) { try await client.get("/first").data() }
            #expect(error?.mayHaveReachedServer == true)
            // The peer keeps its side open: only Martlet can have ended the connection.
            try await server.waitUntilAllClosed()
            try await client.expectText("second", at: "/second")
            #expect(server.requests.map(\.path) == ["/first", "/second"])
        }
    }
}
