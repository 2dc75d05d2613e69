// Row 2 of the hostile peers: bytes beyond a response are never the beginning of the next one. RFC 9112, section 6.3.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 2: surplus bytes", .timeLimit(.minutes(5))) struct SurplusBytesTests {
    static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"

    static let cases = [
        WireCase("text behind Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodysurplus"),
        WireCase("a whole response behind Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody" + forged),
        WireCase("a response behind the last chunk", chunked + forged),
        WireCase("an empty line behind the last chunk", chunked + "\r\n"),
        WireCase("a lone byte", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody\n"),
    ]
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"

    @Test(arguments: cases) func theBodyIsCompleteAndTheConnectionIsDropped(_ wire: WireCase) async throws {
        let peer = Peer.scripts(
            [.readRequest, .send(wire.bytes), .waitForClose], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            try await client.expectText("body", at: "/first")
            try await client.expectText("second", at: "/second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func aCallThatWaitsForTheConnectionGetsAnotherOne() async throws {
        let second = TestSignal()
        let peer = Peer.scripts(
            [.readRequest, .wait(for: second), .send(Self.cases[1].bytes), .waitForClose],
            [.readRequest, .respond(.text("second"))])
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            async let first = client.get("/first").string()
            try await server.waitForRequests(1)
            async let other = client.get("/second").string()
            try await client.waitUntil { $0.waiters == 1 }
            second.fire()
            #expect(try await first == "body")
            #expect(try await other == "second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func lateSurplusOnAnIdleConnectionIsNotTheNextResponse() async throws {
        let isIdle = TestSignal()
        let peer = Peer.scripts(
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .wait(for: isIdle),
                .send(Self.forged), .waitForClose,
            ], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            try await client.expectText("body", at: "/first")
            try await client.waitUntil { $0.idleConnections == 1 }
            isIdle.fire()
            // The server sees the close: the connection is dropped when the bytes come, not when it is wanted.
            try await server.waitUntilAllClosed()
            try await client.expectText("second", at: "/second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [false, true]) func surplusThatNobodyHasNoticedYetIsNotTheNextResponse(_ isTLS: Bool) async throws
    {
        let goesOn = TestSignal()
        let gate = Collected<DispatchSemaphore>()
        let peer = Peer.scripts(
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .wait(for: goesOn),
                .send(Self.forged), .perform { _ in gate.values.forEach { $0.signal() } }, .waitForClose,
            ], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer, server: isTLS ? .tls() : .init()) { client, _ in
            try await client.expectText("body", at: "/first")
            try await client.waitUntil { $0.idleConnections == 1 }
            let text = try await client.sendFromHeldLoop(after: {
                gate.append($0)
                goesOn.fire()
            }) { try await $0.get("/second").string() }
            #expect(text == "second")
        }
    }

    @Test func surplusOverTLSIsNotTheNextResponse() async throws {
        let isIdle = TestSignal()
        let peer = Peer.scripts(
            [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .wait(for: isIdle),
                .send(Self.forged), .waitForClose,
            ], [.readRequest, .respond(.text("second"))])
        try await withPeer(peer, server: .tls()) { client, server in
            try await client.expectText("body", at: "/first")
            try await client.waitUntil { $0.idleConnections == 1 }
            isIdle.fire()
            try await server.waitUntilAllClosed()
            try await client.expectText("second", at: "/second")
        }
    }
}
