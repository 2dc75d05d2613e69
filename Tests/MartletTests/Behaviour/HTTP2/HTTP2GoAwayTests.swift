// What a server has not processed, by its own word, goes again (RFC 9113, sections 6.8 and 8.7; hostile peers, rows 11 and 12).

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: GOAWAY", .timeLimit(.minutes(5)))
struct HTTP2GoAwayTests {
    @Test func goAwayWhileIdleClosesTheConnection() async throws {
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "one")
            try await connection.send(.goAway(last: 1))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("one")
            try await client.waitUntil { $0.connections == 0 }
            try await client.expectText("one")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [HTTPMethod.patch, .post, .put, "PURGE"])
    func whatGoAwayExcludesGoesAgainWhateverItsMethod(_ method: HTTPMethod) async throws {
        try await withHTTP2Peer(.frames([.goAway(last: 0)])) { client, server in
            let request = Request(
                method: method, url: try server.url().requestURL(relativeTo: nil, allowingOtherOrigin: true),
                body: .data(Data("body".utf8)))
            let response = try await client.request(request).response()
            #expect(response.attempts.count == 1)
            #expect(server.connectionCount == 2)
            #expect(server.requests.last?.bodyText == "body")
        }
    }

    @Test func bodyThatCanBeReadOnceDoesNotGoAgain() async throws {
        try await withHTTP2Peer(.frames([.goAway(last: 0)])) { client, server in
            let error = await expectFailure(.connectionClosed) {
                try await client.post("/", stream: GatedChunks(["once"])).data()
            }
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func goAwayLetsWhatItIncludesFinishAndSendsTheRestElsewhere() async throws {
        let both = TestSignal()
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "elsewhere" } }
            try await connection.answerHTTP2(count: 1, "warm")
            try await connection.readHTTP2Request()
            try await connection.readHTTP2Request()
            try await connection.send(.goAway(last: 3))
            both.fire()
            try await connection.send(.headers(3, [":status": "200"]), .data(3, "here", ends: true))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("warm")
            async let one = client.get("/").string()
            async let two = client.get("/").string()
            let texts = try await [one, two]
            #expect(texts.sorted() == ["elsewhere", "here"])
            #expect(server.connectionCount == 2)
        }
    }

    @Test func manyExcludedCallsShareNewConnections() async throws {
        let count = 40
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "again" } }
            try await connection.answerHTTP2(count: 1, "warm")
            for _ in 0..<count { try await connection.readHTTP2Request() }
            try await connection.send(.goAway(last: 1))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("warm")
            try await withThrowingTaskGroup { group in
                for _ in 0..<count {
                    group.addTask {
                        let got = try await client.post("/", data: Data("x".utf8)).string()
                        #expect(got == "again")
                    }
                }
                try await group.waitForAll()
            }
            // Those that come when the new one is there already share it too.
            #expect(server.connectionCount == 2)
        }
    }

    @Test func refusedTwiceIsAnError() async throws {
        let peer = Peer.http2 { connection in
            let stream = try await connection.readHTTP2Request().stream ?? 1
            try await connection.send(.reset(stream, code: 7))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            let error = await expectFailure(.connectionClosed) { try await client.get("/").data() }
            #expect(error?.attempts.count == 1)
            #expect(server.connectionCount == 2)
        }
    }
}
