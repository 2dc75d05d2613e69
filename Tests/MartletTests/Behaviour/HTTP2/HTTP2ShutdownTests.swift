// How a client takes leave of its HTTP/2 connections.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: shutdown", .timeLimit(.minutes(5)))
struct HTTP2ShutdownTests {
    @Test func shutdownLetsCallsFinish() async throws {
        let asked = TestSignal()
        let answer = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            await answer.wait()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "late", ends: true))
            let last = try await connection.readFrame(.goAway)
            #expect(last.errorCode == 0)
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let call = Task { try await client.get("/").string() }
            await asked.wait()
            let end = Task { await client.shutdown(drain: .seconds(10)) }
            answer.fire()
            let late = try await call.value
            #expect(late == "late")
            await end.value
            await expectFailure(.clientShutDown) { try await client.get("/").data() }
        }
    }

    @Test func shutdownEndsCallsThatDoNotFinish() async throws {
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let call = Task { await expectFailure(.clientShutDown) { try await client.get("/").data() } }
            await asked.wait()
            await client.shutdown()
            _ = await call.value
        }
    }
}
