// Calls that end before their responses do: cancelled, dropped, out of time. Their streams are reset, their connections kept.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: cancellation", .timeLimit(.minutes(5)))
struct HTTP2CancellationTests {
    @Test func cancelledCallResetsItsStreamAndKeepsTheConnection() async throws {
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            let reset = try await connection.readFrame(.reset, stream: 1)
            #expect(reset.errorCode == 8)
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            let call = Task { try await client.get("/").data() }
            await asked.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.socketTransport?.ledger().exchanges == 0)
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func droppedBodyResetsItsStream() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "first"))
            let reset = try await connection.readFrame(.reset, stream: 1)
            #expect(reset.errorCode == 8)
            // What was on its way already belongs to nobody.
            try await connection.send(.data(1, "late", ends: true))
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            for try await chunk in try await client.get("/").stream().body {
                #expect(chunk == Data("first".utf8))
                break
            }
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func cancelDoesNotWaitForABlockedSocket() async throws {
        let stalled = TestSignal()
        let peer = Peer.connection { connection in
            try await connection.acceptHTTP2(.settings([4: 0x7FFF_FFFF]))
            try await connection.send(.windowUpdate(0, by: 0x7FFF_0000))
            stalled.fire()
            try await connection.stall()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let chunks = EndlessChunks()
            let call = Task { try await client.post("/", stream: chunks).data() }
            await stalled.wait()
            var pulled = -1
            while pulled != chunks.pulled.value || pulled == 0 {
                pulled = chunks.pulled.value
                try await Task.sleep(for: .milliseconds(20))
            }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.socketTransport?.ledger().exchanges == 0)
        }
    }

    @Test func deadlineResetsTheStream() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            _ = try await connection.readFrame(.reset, stream: 1)
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            await expectFailure(.deadlineExceeded) { try await client.get("/").timeout(.milliseconds(50)).data() }
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }
}
