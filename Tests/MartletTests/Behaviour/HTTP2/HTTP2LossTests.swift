// Connections that are lost, and peers that fall silent.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: lost connections", .timeLimit(.minutes(5)))
struct HTTP2LossTests {
    @Test func keptConnectionThatIsLostIsReplacedForIdempotentCalls() async throws {
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "next" } }
            try await connection.answerHTTP2(count: 1, "first")
            try await connection.readHTTP2Request()
            connection.reset()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("first")
            try await client.expectText("next")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func lostConnectionEndsCallsThatMayHaveBeenProcessed() async throws {
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "first")
            try await connection.readHTTP2Request()
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) {
                try await client.post("/", data: Data("x".utf8)).data()
            }
            #expect(error?.mayHaveReachedServer == true)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func lostConnectionTruncatesBodies() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "half"))
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, _ in
            #expect(await client.outcome() == #"200 "half" bodyTruncated"#)
        }
    }

    @Test func responseThatCameWithTheEndOfTheConnectionIsDelivered() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "whole", ends: true))
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, _ in
            #expect(await client.outcome() == #"200 "whole""#)
        }
    }

    // MARK: Silence

    @Test func silentPeerEndsInTheIdleTimeout() async throws {
        let time = ManualTime()
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, _ in
            let call = Task { await expectFailure(.idleTimeout) { try await client.get("/").data() } }
            await asked.wait()
            await time.advance(by: .seconds(61), in: client)
            _ = await call.value
        }
    }

    @Test func keepAliveFindsThePeerThatIsGone() async throws {
        let time = ManualTime()
        let asked = TestSignal()
        let pinged = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            while true {
                let frame = try await connection.readFrame()
                if frame.kind == .ping { break }
            }
            pinged.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(
            peer,
            client: {
                $0.time = time.source
                $0.http2.keepAliveInterval = .seconds(10)
                $0.http2.keepAliveTimeout = .seconds(5)
            }
        ) { client, _ in
            let call = Task {
                await expectFailure(.connectionClosed) {
                    try await client.post("/", data: Data("x".utf8)).data()
                }
            }
            await asked.wait()
            await time.advance(by: .seconds(11), in: client)
            await pinged.wait()
            await time.advance(by: .seconds(6), in: client)
            let error = await call.value
            #expect(error?.message.contains("PING") == true)
        }
    }

    @Test func connectionThatWasSilentForLongIsAskedFirst() async throws {
        let time = ManualTime()
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "one")
            var kinds: [HTTP2Frame.Kind?] = []
            while kinds.last != .ping {
                let frame = try await connection.readFrame()
                kinds.append(frame.kind)
                if frame.kind == .ping { try await connection.send(.ping(frame.payload, isAnswer: true)) }
            }
            #expect(!kinds.contains(.headers))
            try await connection.answerHTTP2 { _ in "two" }
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, server in
            try await client.expectText("one")
            await time.advance(by: .seconds(20), in: client)
            try await client.expectText("two")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func connectionThatDoesNotAnswerIsReplacedWithoutHavingCarriedTheCall() async throws {
        let time = ManualTime()
        let pinged = TestSignal()
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "two" } }
            try await connection.answerHTTP2(count: 1, "one")
            while try await connection.readFrame().kind != .ping {}
            pinged.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, server in
            try await client.expectText("one")
            await time.advance(by: .seconds(20), in: client)
            let call = Task { try await client.post("/", data: Data("x".utf8)).string() }
            await pinged.wait()
            await time.advance(by: .seconds(3), in: client)
            let two = try await call.value
            #expect(two == "two")
            #expect(server.connectionCount == 2)
            #expect(server.requests.count == 2)
        }
    }
}
