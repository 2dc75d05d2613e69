// Rows 7, 8 and 20 of the hostile peers: heads, trailers, chunk extensions and informational responses are bounded.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Rows 7, 8 and 20: bombs in front of the body", .timeLimit(.minutes(5))) struct HeadLimitTests {
    private static let head = Array("HTTP/1.1 200 OK\r\n".utf8)
    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    struct Bomb: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lead: [UInt8]
        var repeated: [UInt8]
    }

    static let bombs = [
        Bomb(testDescription: "fields without end", lead: head, repeated: Array("A: b\r\n".utf8)),
        Bomb(testDescription: "one field without end", lead: head + Array("A: ".utf8), repeated: Array("b".utf8)),
        Bomb(testDescription: "one name without end", lead: head, repeated: Array("a".utf8)),
        Bomb(testDescription: "a reason without end", lead: Array("HTTP/1.1 200 ".utf8), repeated: Array("O".utf8)),
        Bomb(
            testDescription: "a chunk extension without end", lead: Array((chunkedHead + "4;").utf8),
            repeated: Array("a".utf8)),
        Bomb(
            testDescription: "extensions of many chunks", lead: Array(chunkedHead.utf8),
            repeated: Array("1;\(String(repeating: "e", count: 1000))\r\nx\r\n".utf8)),
        Bomb(
            testDescription: "trailers without end", lead: Array((chunkedHead + "0\r\n").utf8),
            repeated: Array("A: b\r\n".utf8)),
        Bomb(
            testDescription: "one trailer without end", lead: Array((chunkedHead + "0\r\nA: ").utf8),
            repeated: Array("b".utf8)),
    ]

    @Test(arguments: bombs) func anEndlessHeadIsRefusedAndItsConnectionClosed(_ bomb: Bomb) async throws {
        let peer = Peer.script(
            .readRequest, .sendBytes(bomb.lead), .sendRepeating(bomb.repeated, count: .max))
        try await withPeer(peer) { client, server in
            let error = await expectFailure(.headTooLarge) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == true)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aHeadWithinTheLimitsIsRead() async throws {
        let fields = (0..<250).map { "Field-\($0): \(String(repeating: "v", count: 200))\r\n" }.joined()
        let peer = Peer.saysAndStays("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\(fields)\r\nbody")
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.headers.count == 251)
            #expect(response.body == Data("body".utf8))
        }
    }

    @Test func oneFieldTooManyIsRefused() async throws {
        let fields = (0..<257).map { "F\($0): v\r\n" }.joined()
        try await withPeer(.saysAndStays("HTTP/1.1 200 OK\r\n\(fields)\r\n")) { client, _ in
            await expectFailure(.headTooLarge) { try await client.get("/").data() }
        }
    }

    @Test func oneByteTooManyIsRefused() async throws {
        // "A: " and the line end of the field, the status line and the empty line are 24 bytes.
        let padding = { (count: Int) in
            "HTTP/1.1 204 \r\nA: \(String(repeating: "v", count: count - 22))\r\n\r\n"
        }
        try #require(padding(65_536).utf8.count == 65_536)
        try await withPeer(.saysAndStays(padding(65_536))) { client, _ in try await client.get("/").discard() }
        try await withPeer(.saysAndStays(padding(65_537))) { client, _ in
            await expectFailure(.headTooLarge) { try await client.get("/").data() }
        }
    }

    @Test func informationalResponsesWithoutEndAreRefused() async throws {
        let peer = Peer.script(
            .readRequest, .sendRepeating(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: .max))
        try await withPeer(peer) { client, server in
            let seen = Counter()
            await expectFailure(.tooManyInformationalResponses) {
                try await client.get("/").onInformational { _ in seen.increment() }.data()
            }
            #expect(seen.value == 20)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func largeInformationalResponsesCountAgainstTheHeadLimit() async throws {
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "l", count: 8_000))\r\n\r\n"
        let peer = Peer.script(.readRequest, .sendRepeating(Array(hint.utf8), count: 10), .waitForClose)
        try await withPeer(peer) { client, _ in
            await expectFailure(.headTooLarge) { try await client.get("/").data() }
        }
    }

    @Test func aSwitchOfProtocolsNobodyAskedForIsRefused() async throws {
        let peer = Peer.saysAndStays(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        try await withPeer(peer) { client, server in
            await expectFailure(.invalidResponse) { try await client.get("/").data() }
            try await server.waitUntilAllClosed()
        }
    }
}
