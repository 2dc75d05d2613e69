// Row 25 of the hostile peers, continued: peers that cut TLS short or do not speak it. RFC 8446, section 6.1: without a closing
// alert the end of the stream may be an attacker's, which matters where it is also the end of the body.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 25: broken TLS", .timeLimit(.minutes(5))) struct BrokenTLSTests {
    @Test func aBodyThatEndsWithTheConnectionNeedsTheClosingAlert() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\nhalf"), .closeWithoutTLSNotify)
        try await withPeer(peer, server: .tls()) { client, _ in
            var received = Data()
            await expectFailure(.bodyTruncated) {
                for try await chunk in client.get("/").chunks { received.append(chunk) }
            }
            #expect(received == Data("half".utf8))
        }
    }

    @Test func aBodyThatEndsWithTheClosingAlertIsComplete() async throws {
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nwhole"), .close)
        try await withPeer(peer, server: .tls()) { client, _ in try await client.expectText("whole") }
    }

    static let framed = [
        WireCase("a known length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"),
        WireCase("chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n"),
    ]

    @Test(arguments: framed) func aFramedBodyNeedsNoClosingAlert(_ wire: WireCase) async throws {
        let peer = Peer.script(.readRequest, .send(wire.bytes), .closeWithoutTLSNotify)
        try await withPeer(peer, server: .tls()) { client, _ in
            try await client.expectText("whole")
            // The next call finds the connection gone and makes its own.
            try await client.expectText("whole")
        }
    }

    @Test(arguments: [true, false]) func aFramedBodyCutShortIsTruncated(_ isClean: Bool) async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
            isClean ? .close : .closeWithoutTLSNotify)
        try await withPeer(peer, server: .tls()) { client, _ in
            await expectFailure(.bodyTruncated) { try await client.get("/").data() }
        }
    }

    @Test func aReconnectAfterAnIdleCloseWorks() async throws {
        let peer = Peer.script(.readRequest, .respond(.text("done")), .close)
        try await withPeer(peer, server: .tls()) { client, server in
            for round in 1...3 {
                try await client.expectText("done")
                try await client.waitUntil { $0.connections == 0 }
                #expect(server.connectionCount == round)
            }
        }
    }

    @Test func aConnectionOverTLSIsReused() async throws {
        try await withPeer(.answers { _ in .text("done") }, server: .tls()) { client, server in
            for _ in 0..<5 { try await client.expectText("done") }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aHandshakeThatIsNeverAnsweredEndsInAConnectTimeout() async throws {
        let options = try TestServer.Options.tls { $0.handshake = .never }
        try await withPeer(.script(.stall), server: options) { client, server in
            let error = await expectFailure(.connectTimeout) {
                try await client.get("/").timeout(connect: .milliseconds(200)).data()
            }
            #expect(error?.phase == .tls)
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.message.contains("TLS handshake") == true)
            try await server.waitUntilAllClosed()
        }
    }

    static let notTLS = [
        WireCase("HTTP", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
        WireCase("SSH", "SSH-2.0-OpenSSH_9.6\r\n"),
        WireCase("zeros", String(repeating: "\0", count: 64)),
    ]

    @Test(arguments: notTLS) func aPortThatDoesNotSpeakTLSIsAnError(_ wire: WireCase) async throws {
        let peer = Peer.script(.read(1), .send(wire.bytes), .waitForClose)
        try await withPeer(peer, client: { $0.defaults.allowsOtherOrigins = true }) { client, server in
            let error = await expectFailure(.tlsHandshakeFailed) {
                try await client.get("https://127.0.0.1:\(server.port)/").data()
            }
            #expect(error?.phase == .tls)
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [TestStep.close, .reset]) func aPeerThatHangsUpInTheHandshakeIsAnError(_ end: TestStep)
        async throws
    {
        try await withPeer(.script(.read(1), end), client: { $0.defaults.allowsOtherOrigins = true }) {
            client, server in
            let error = await expectFailure(.tlsHandshakeFailed) {
                try await client.get("https://127.0.0.1:\(server.port)/").data()
            }
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func plainTextTowardsATLSPortIsAnError() async throws {
        try await withPeer(
            .answers { _ in .ok }, server: .tls(), client: { $0.defaults.allowsOtherOrigins = true }
        ) { client, server in
            do {
                _ = try await client.get("http://127.0.0.1:\(server.port)/").data()
                Issue.record("A TLS server answered a request in plain text")
            } catch let error as MartletError {
                // The server's alert is no HTTP; some servers just hang up.
                #expect([.invalidResponse, .connectionClosed].contains(error.code), "\(error)")
            }
        }
    }

    @Test func cancellingInTheHandshakeClosesTheConnection() async throws {
        let options = try TestServer.Options.tls { $0.handshake = .never }
        try await withPeer(.script(.stall), server: options) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForConnections(1)
            try await client.waitUntil { $0.sockets == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.ledger == .init())
            try await server.waitUntilAllClosed()
            let cancelled = await client.socketTransport?.cancellations() ?? [:]
            #expect(cancelled == [.tls: 1] || cancelled == [.connecting: 1])
        }
    }
}
