// Which connections carry more than one call, and how many there are: RFC 9112, section 9.3, and the pool's limits.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Connection reuse", .timeLimit(.minutes(5))) struct ConnectionReuseTests {
    @Test func callsInARowShareOneConnection() async throws {
        try await withPeer(.answers { .text("\($0.connectionNumber) \($0.indexOnConnection)") }) { client, server in
            for index in 0..<20 { try await client.expectText("0 \(index)") }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func theMetricsTellWhetherAConnectionWasReused() async throws {
        try await withPeer(.answers { _ in .ok }) { client, _ in
            let reused = [
                try await client.get("/").response().metrics.reusedConnection,
                try await client.get("/").response().metrics.reusedConnection,
            ]
            #expect(reused == [false, true])
        }
    }

    static let bodies: [TestResponse] = [
        .ok, .text("x"), .status(204), .status(304), .status(500), .init(body: .chunked([Data("x".utf8)])),
        .init(body: .chunked([Data("x".utf8)]), trailers: ["A": "b"]), .text("x").informational(103),
    ]

    @Test(arguments: bodies.indices) func everyExactEndGivesTheConnectionBack(_ index: Int) async throws {
        try await withPeer(.answers { _ in Self.bodies[index] }) { client, server in
            for _ in 0..<3 { _ = try await client.get("/").response() }
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: ["close", "Close", "keep-alive, close", "foo, close , bar"])
    func aConnectionThatTheServerWantsClosedIsNotReused(_ value: String) async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: \(value)\r\nContent-Length: 4\r\n\r\ndone"),
            .waitForClose)
        try await withPeer(peer) { client, server in
            for _ in 0..<2 { try await client.expectText("done") }
            // The server waits: closing is Martlet's part.
            try await server.waitUntilAllClosed()
            #expect(server.connectionCount == 2)
        }
    }

    @Test func http10ClosesUnlessItSaysOtherwise() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .waitForClose)
        try await withPeer(peer) { client, server in
            for _ in 0..<2 { try await client.expectText("done") }
            #expect(server.connectionCount == 2)
        }
    }

    @Test func http10CanKeepTheConnectionAlive() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 4\r\n\r\ndone"),
            .startAgain)
        try await withPeer(peer) { client, server in
            for _ in 0..<2 { try await client.expectText("done") }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func http10EndsItsBodyWithTheConnection() async throws {
        try await withPeer(.says("HTTP/1.0 200 OK\r\n\r\nuntil the end")) { client, server in
            for _ in 0..<2 { try await client.expectText("until the end") }
            #expect(server.connectionCount == 2)
        }
    }

    @Test func http10KnowsNoChunks() async throws {
        let peer = Peer.saysAndStays("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
        try await withPeer(peer) { client, _ in
            await expectFailure(.invalidResponse) { try await client.get("/").data() }
        }
    }

    @Test func trailersAreGivenWithTheBody() async throws {
        let response = TestResponse(
            body: .chunked([Data("x".utf8)]), trailers: ["Digest": "abc", "Content-Length": "9", "Set-Cookie": "a=b"])
        try await withPeer(.answers { _ in response }) { client, server in
            let collected = try await client.get("/").response()
            #expect(collected.trailers?["Digest"] == "abc")
            // What decides framing or policy may not come so late (RFC 9110, section 6.5.1).
            #expect(collected.trailers?["Content-Length"] == nil)
            let body = try await client.get("/").stream().body
            for try await _ in body {}
            #expect(body.trailers?["Digest"] == "abc")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aFreshConnectionIsMadeWhenOneIsAskedFor() async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            for _ in 0..<3 { try await client.get("/").options { $0.requiresFreshConnection = true }.discard() }
            #expect(server.connectionCount == 3)
        }
    }

    @Test func aStreamedBodyReadToItsEndGivesTheConnectionBack() async throws {
        try await withPeer(.answers { _ in .data(Data(repeating: 0x61, count: 2 << 20)) }) { client, server in
            for _ in 0..<3 { for try await _ in client.get("/").chunks {} }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aReplyWhileTheUploadStillRunsInTheKernelKeepsTheConnectionUsable() async throws {
        try await withPeer(.answers { .text("\($0.body.count)") }) { client, server in
            for size in [0, 1, 65_536, 3 << 20] {
                let text = try await client.post("/", data: Data(repeating: 0x61, count: size)).string()
                #expect(text == "\(size)")
            }
            #expect(server.connectionCount == 1)
        }
    }
}
