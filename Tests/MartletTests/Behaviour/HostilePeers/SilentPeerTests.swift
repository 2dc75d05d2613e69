// Rows 15, 16 and 17 of the hostile peers: silence, slow drip and a peer that does not read are ended by a timeout that names
// the phase, and memory stays bounded meanwhile.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Rows 15, 16 and 17: silent and slow peers", .timeLimit(.minutes(5))) struct SilentPeerTests {
    static let short = Duration.milliseconds(150)

    @Test func row15APeerThatNeverAnswersEndsInAnIdleTimeout() async throws {
        try await withPeer(.script(.readRequest, .stall)) { client, server in
            let error = await expectFailure(.idleTimeout) { try await client.get("/").timeout(idle: Self.short).data() }
            #expect(error?.phase == .waiting)
            #expect(error?.mayHaveReachedServer == true)
            #expect(error?.message.contains("waiting for the response") == true)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func row15APeerThatStopsInTheHeadEndsInAnIdleTimeout() async throws {
        try await withPeer(.script(.readRequest, .send("HTTP/1.1 200 OK\r\nA: "), .stall)) { client, _ in
            let error = await expectFailure(.idleTimeout) { try await client.get("/").timeout(idle: Self.short).data() }
            #expect(error?.phase == .waiting)
        }
    }

    @Test func row15APeerThatStopsInTheBodyEndsInAnIdleTimeout() async throws {
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .stall)
        try await withPeer(peer) { client, server in
            let response = try await client.get("/").timeout(idle: Self.short).stream()
            var received = Data()
            let error = await expectFailure(.idleTimeout) {
                for try await chunk in response.body { received.append(chunk) }
            }
            #expect(received == Data("half".utf8))
            #expect(error?.phase == .receiving)
            #expect(error?.mayHaveReachedServer == true)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func row15APeerThatNeverAcceptsEndsInAnIdleTimeout() async throws {
        var options = TestServer.Options()
        options.accepts = false
        try await withPeer(.script(.stall), server: options) { client, _ in
            let error = await expectFailure(.idleTimeout) { try await client.get("/").timeout(idle: Self.short).data() }
            // The system completed the connection, so that the request may lie in its buffer.
            #expect(error?.mayHaveReachedServer == true)
        }
    }

    @Test func row16ASlowDripIsEndedByTheTotalTimeout() async throws {
        let drip = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8)
        let peer = Peer.script(
            .readRequest, .sendBytes(drip),
            .sendPaced([UInt8](repeating: 0x61, count: 1_000_000), every: .milliseconds(5)))
        try await withPeer(peer) { client, server in
            let began = ContinuousClock.now
            let error = await expectFailure(.deadlineExceeded) {
                try await client.get("/").timeout(idle: .seconds(30), total: .milliseconds(300)).data()
            }
            #expect(error?.phase == .receiving)
            let took = ContinuousClock.now - began
            #expect(took >= .milliseconds(300) && took < .seconds(60))
            try await server.waitUntilAllClosed()
        }
    }

    @Test func row16ASlowHeadIsEndedByTheTotalTimeout() async throws {
        let peer = Peer.script(
            .readRequest,
            .sendPaced(
                Array("HTTP/1.1 200 OK\r\nA: ".utf8) + [UInt8](repeating: 0x61, count: 60_000), every: .milliseconds(5))
        )
        try await withPeer(peer) { client, _ in
            let error = await expectFailure(.deadlineExceeded) {
                try await client.get("/").timeout(idle: .seconds(30), total: .milliseconds(300)).data()
            }
            #expect(error?.phase == .waiting)
        }
    }

    @Test func row16ASlowDripKeepsTheIdleTimeoutFromFiring() async throws {
        let body = [UInt8](repeating: 0x61, count: 20)
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"),
            .sendPaced(body, every: .milliseconds(100)))
        try await withPeer(peer) { client, _ in
            // Two seconds in all, each byte well within the idle timeout.
            let data = try await client.get("/").timeout(idle: .seconds(1)).data()
            #expect(data == Data(body))
        }
    }

    @Test func row17APeerThatDoesNotReadEndsInAnIdleTimeoutAndHoldsTheBodyBack() async throws {
        var options = TestServer.Options()
        options.receiveBufferBytes = 4_096
        let body = EndlessChunks()
        try await withPeer(.script(.readHead, .stall), server: options) { client, server in
            let error = await expectFailure(.idleTimeout) {
                try await client.post("/", stream: body).timeout(idle: .milliseconds(400)).data()
            }
            #expect(error?.phase == .sending)
            #expect(error?.mayHaveReachedServer == true)
            // What the system's buffers and Martlet's marks hold, and no more: the sequence was pulled no faster.
            #expect(body.pulled.value < 128)
            try await body.ended.wait(timeout: .seconds(60))
            try await server.waitUntilAllClosed()
        }
    }

    @Test func row17ASlowReaderIsWaitedFor() async throws {
        var options = TestServer.Options()
        options.receiveBufferBytes = 4_096
        let body = Data(repeating: 0x61, count: 6 << 20)
        let peer = Peer.connection { connection in
            let head = try await connection.readHead()
            try await connection.readPaced(bytesPerSecond: 2 << 20, count: 2 << 20)
            _ = head
            _ = try await connection.readExactly(4 << 20)
            try await connection.respond(.text("done"))
        }
        try await withPeer(peer, server: options) { client, _ in
            let answer = try await client.post("/", data: body).timeout(idle: .seconds(5)).string()
            #expect(answer == "done")
        }
    }
}
