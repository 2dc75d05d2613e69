// Rows 22 and 23 of the hostile peers: responses that have no body whatever their fields say, and peers that do not speak HTTP.
// RFC 9110, section 6.4.1; RFC 9112, sections 4 and 6.3.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Row 22: responses without a body", .timeLimit(.minutes(5))) struct BodilessTests {
    static let heads = [
        WireCase("204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n"),
        WireCase("204 with a coding", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
        WireCase("a bare 204", "HTTP/1.1 204 No Content\r\n\r\n"),
        WireCase("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n"),
        WireCase("304 with a coding", "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
        WireCase("a bare 304", "HTTP/1.1 304 Not Modified\r\n\r\n"),
    ]

    /// A 204 may not announce a body (RFC 9110, section 8.6): one that does may send it late.
    static let contradictory = heads.filter { $0.name.hasPrefix("204 with a") }
    static let consistent = heads.filter { !$0.name.hasPrefix("204 with a") }

    @Test(arguments: contradictory) func aConnectionWhosePeerContradictsItselfIsDropped(_ wire: WireCase) async throws {
        let peer = Peer.scripts(
            [.readRequest, .send(wire.bytes), .waitForClose], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            let response = try await client.get("/").response()
            #expect(response.body.isEmpty)
            try await server.waitUntilAllClosed()
            try await client.expectText("second")
        }
    }

    @Test(arguments: consistent) func theConnectionLivesOnWhenNothingFollows(_ wire: WireCase) async throws {
        let peer = Peer.script(.readRequest, .send(wire.bytes), .readRequest, .respond(.text("second")))
        try await withPeer(peer) { client, server in
            let response = try await client.get("/").response()
            #expect(response.body.isEmpty)
            try await client.expectText("second")
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: heads) func aBodyThatFollowsAllTheSameIsSurplus(_ wire: WireCase) async throws {
        let peer = Peer.scripts(
            [.readRequest, .send(wire.bytes + "body"), .waitForClose], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            let response = try await client.get("/").response()
            #expect(response.body.isEmpty)
            try await client.expectText("second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked", "X: y"])
    func aResponseToHeadHasNoBody(_ field: String) async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"), .readRequest, .respond(.text("second")))
        try await withPeer(peer) { client, server in
            let response = try await client.head("/").response()
            #expect(response.body.isEmpty)
            #expect(response.headers.contains(String(field.prefix { $0 != ":" })))
            try await client.expectText("second")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aBodyAfterTheResponseToHeadIsSurplus() async throws {
        let peer = Peer.scripts(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .waitForClose],
            [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            let response = try await client.head("/").response()
            #expect(response.body.isEmpty)
            try await client.expectText("second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func anEmptyBodyOfKnownLengthIsComplete() async throws {
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .startAgain)
        try await withPeer(peer) { client, server in
            for _ in 0..<3 { try await client.expectText("") }
            #expect(server.connectionCount == 1)
        }
    }
}

@Suite("Row 23: peers that do not speak HTTP/1", .timeLimit(.minutes(5))) struct NotHTTPTests {
    static let refused = [
        WireCase("HTTP/0.9", "<html>hello</html>"),
        WireCase("another protocol", "220 mail.example ESMTP\r\n"),
        WireCase("SSH", "SSH-2.0-OpenSSH_9.6\r\n"),
        WireCase("HTTP/2 in name", "HTTP/2.0 200 OK\r\n\r\n"),
        WireCase("an HTTP/2 frame", "\0\0\u{12}\u{4}\0\0\0\0\0"),
        WireCase("HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n"),
        WireCase("HTTP/1.10", "HTTP/1.10 200 OK\r\n\r\n"),
        WireCase("lower case", "http/1.1 200 OK\r\n\r\n"),
        WireCase("ICY", "ICY 200 OK\r\n\r\n"),
        WireCase("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        WireCase("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
        WireCase("a status below 100", "HTTP/1.1 099 OK\r\n\r\n"),
        WireCase("a status of letters", "HTTP/1.1 2OO OK\r\n\r\n"),
        WireCase("a negative status", "HTTP/1.1 -20 OK\r\n\r\n"),
        WireCase("no status", "HTTP/1.1\r\n\r\n"),
        WireCase("two spaces", "HTTP/1.1  200 OK\r\n\r\n"),
        WireCase("an empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n"),
        WireCase("a space first", " HTTP/1.1 200 OK\r\n\r\n"),
        WireCase("a folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"),
        WireCase("a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 4\r\n\r\nbody"),
        WireCase("a field without a colon", "HTTP/1.1 200 OK\r\nContent\r\n\r\n"),
        WireCase("a NUL in a value", "HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"),
        WireCase("a bare CR in a value", "HTTP/1.1 200 OK\r\nA: b\rContent-Length: 4\r\n\r\nbody"),
        WireCase("a bare LF in the head", "HTTP/1.1 200 OK\nContent-Length: 4\n\nbody"),
    ]

    @Test(arguments: refused) func isRefusedAndItsConnectionClosed(_ wire: WireCase) async throws {
        try await withPeer(.saysAndStays(wire.bytes)) { client, server in
            let error = await expectFailure(.invalidResponse) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == true)
            try await server.waitUntilAllClosed()
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [600, 700, 999]) func aStatusOfNoKnownClassIsDelivered(_ code: Int) async throws {
        try await withPeer(.saysAndStays("HTTP/1.1 \(code) Odd\r\nContent-Length: 4\r\n\r\nbody")) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.status.code == code)
            #expect(response.body == Data("body".utf8))
        }
    }

    @Test func aStatusOfNoKnownClassIsNoSuccess() async throws {
        try await withPeer(.saysAndStays("HTTP/1.1 600 Odd\r\nContent-Length: 4\r\n\r\nbody")) { client, _ in
            let error = await expectFailure(.unacceptableStatus) { try await client.get("/").data() }
            #expect(error?.response?.bodyPrefix == Data("body".utf8))
        }
    }

    @Test func aPeerThatSaysNothingAndClosesIsAnError() async throws {
        try await withPeer(.script(.readRequest, .close)) { client, _ in
            let error = await expectFailure(.connectionClosed) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == true)
        }
    }

    @Test func aReasonMayBeMissing() async throws {
        try await withPeer(.saysAndStays("HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nbody")) { client, _ in
            try await client.expectText("body")
        }
    }
}
