// Which version is spoken, how many connections there are, and who shares them.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension TestServer.Options {
    /// A server over TLS that offers HTTP/2, or what a test names.
    static func http2(_ protocols: [String] = ["h2", "http/1.1"]) throws -> Self {
        try .tls { $0.applicationProtocols = protocols }
    }
}

@Suite("HTTP/2: connections", .timeLimit(.minutes(5)))
struct HTTP2ConnectionTests {
    @Test func tlsAgreesOnHTTP2() async throws {
        try await withPeer(.answers { _ in .text("hi") }, server: .http2()) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.head.version == .http2)
            #expect(response.head.reason == "")
            #expect(response.metrics.protocolName == "h2")
            #expect(response.metrics.streamID == 1)
            #expect(response.metrics.streamsInFlight == 1)
            #expect(response.metrics.connectionID != nil)
            #expect(response.metrics.tlsVersion == "TLSv1.3")
            let next = try await client.get("/").response()
            #expect(next.metrics.streamID == 3)
            #expect(next.metrics.reusedConnection)
            #expect(next.metrics.connectionID == response.metrics.connectionID)
        }
    }

    @Test(arguments: [["http/1.1"], []])
    func serverWithoutHTTP2IsSpokenToInHTTP1(_ protocols: [String]) async throws {
        try await withPeer(.answers { _ in .text("hi") }, server: .http2(protocols)) { client, _ in
            let response = try await client.get("/").response()
            #expect(response.head.version == .http1_1)
            #expect(response.metrics.streamID == nil)
        }
    }

    @Test func http1AloneIsOfferedWhenAskedFor() async throws {
        try await withPeer(.answers { _ in .text("hi") }, server: .http2(), client: { $0.httpVersion = .http1 }) {
            client, _ in
            let got = try await client.get("/").response().head.version
            #expect(got == .http1_1)
        }
    }

    @Test func http2ThatIsNotAgreedToIsAnError() async throws {
        try await withPeer(
            .answers { _ in .text("hi") }, server: .http2(["http/1.1"]), client: { $0.httpVersion = .http2 }
        ) { client, _ in
            let error = await expectFailure(.versionNotNegotiated) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == false)
        }
    }

    @Test func http2CannotBeAgreedToInPlainText() async throws {
        try await withPeer(.answers { _ in .text("hi") }, client: { $0.httpVersion = .http2 }) { client, server in
            await expectFailure(.versionNotNegotiated) { try await client.get("/").data() }
            #expect(server.connectionCount == 0)
        }
    }

    @Test func priorKnowledgeNeedsNoAgreement() async throws {
        try await withHTTP2Peer(.answers { _ in .text("hi") }) { client, _ in
            let got = try await client.get("/").response().head.version
            #expect(got == .http2)
        }
    }

    @Test func plainTextIsHTTP1WithoutBeingAsked() async throws {
        try await withPeer(.answers { _ in .text("hi") }) { client, _ in
            let got = try await client.get("/").response().head.version
            #expect(got == .http1_1)
        }
    }

    // MARK: Sharing

    @Test func firstCallsShareOneConnection() async throws {
        try await withPeer(.answers { .text($0.path) }, server: .http2()) { client, server in
            try await withThrowingTaskGroup { group in
                for index in 0..<90 {
                    group.addTask {
                        let got = try await client.get("/\(index)").string()
                        #expect(got == "/\(index)")
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test func firstCallsToHTTP1ServerGetTheirOwnConnections() async throws {
        let all = TestSignal()
        let waiting = Counter()
        try await withPeer(
            .answers { _ in
                if waiting.increment() == 5 { all.fire() }
                await all.wait()
                return .text("hi")
            }, server: .http2(["http/1.1"])
        ) { client, server in
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { _ = try await client.get("/").data() } }
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 5)
        }
    }

    @Test func whoLeavesWhileConnectingLeavesTheConnectionToTheOthers() async throws {
        let resolver = ScriptedResolver(nil)
        try await withPeer(.answers { _ in .text("hi") }, server: .http2()) { _, server in
            var settings = RegistrySettings()
            settings.resolver = resolver
            settings.tls = TLSConfiguration(roots: .only(pem: Data((server.certificateAuthority?.pem ?? "").utf8)))
            let transport = SocketTransport(settings)
            let url = try server.url("/", host: "localhost.test").requestURL(relativeTo: nil, allowingOtherOrigin: true)
            let first = Task { try await transport.send(Request(url: url)) }
            await resolver.asked.wait()
            let second = Task { try await transport.send(Request(url: url)) }
            while await transport.ledger().waiters != 1 { await Task.yield() }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            #expect(await transport.ledger().waiters == 0)
            resolver.answerLate(.failure(MartletError(.nameNotFound, "Nobody.")))
            // The name is not the certificate's; what counts is that the look-up went on for the second.
            let error = await #expect(throws: MartletError.self) { try await second.value }
            #expect(error?.code == .nameNotFound)
            #expect(await transport.ledger().connections == 0)
            await transport.shutdown(drain: .zero)
            #expect(await transport.ledger() == .init())
        }
    }

    @Test func allWhoWaitForAConnectionLearnWhyThereIsNone() async throws {
        var options = try TestServer.Options.http2()
        options.listens = false
        try await withPeer(.answers { _ in .text("hi") }, server: options) { client, _ in
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { _ = await expectFailure(.connectionRefused) { try await client.get("/").data() } }
                }
            }
        }
    }

    @Test func streamsBeyondTheLimitGetAnotherConnection() async throws {
        let all = TestSignal()
        let waiting = Counter()
        try await withHTTP2Peer(
            .answers { _ in
                if waiting.increment() == 5 { all.fire() }
                await all.wait()
                return .text("hi")
            }, client: { $0.http2.streamsPerConnection = 2 }
        ) { client, server in
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { _ = try await client.get("/").data() } }
                try await group.waitForAll()
            }
            #expect(server.connectionCount == 3)
        }
    }

    @Test func callsBeyondThePoolsLimitWaitInTheirOrder() async throws {
        let peer = Peer.http2(.settings([3: 1])) { connection in
            try await connection.answerHTTP2 { $0.path }
        }
        try await withHTTP2Peer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            let order = Collected<Int>()
            try await withThrowingTaskGroup { group in
                for index in 0..<20 {
                    group.addTask {
                        let got = try await client.get("/\(index)").string()
                        #expect(got == "/\(index)")
                        order.append(index)
                    }
                }
                try await group.waitForAll()
            }
            #expect(order.values.count == 20)
            #expect(server.connectionCount == 1)
            #expect(server.requests.map(\.indexOnConnection) == Array(0..<20))
        }
    }

    @Test func peerThatAllowsNoStreamIsWaitedFor() async throws {
        let asked = TestSignal()
        let peer = Peer.http2(.settings([3: 0])) { connection in
            // The first request may come before the SETTINGS are known.
            try await connection.answerHTTP2(count: 1, "first")
            await asked.wait()
            try await connection.send(.settings([3: 10]))
            try await connection.answerHTTP2 { _ in "second" }
        }
        try await withHTTP2Peer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, _ in
            try await client.expectText("first")
            async let second = client.get("/").string()
            try await client.waitUntil { $0.waiters == 1 }
            asked.fire()
            let got = try await second
            #expect(got == "second")
        }
    }

    @Test func connectionThatIsTooOldMakesWay() async throws {
        let time = ManualTime()
        try await withHTTP2Peer(
            .answers { _ in .text("hi") },
            client: {
                $0.time = time.source
                $0.pool.maximumAge = .seconds(5)
                $0.pool.idleLifetime = .seconds(600)
            }
        ) { client, server in
            try await client.expectText("hi")
            await time.advance(by: .seconds(6), in: client)
            try await client.expectText("hi")
            #expect(server.connectionCount == 2)
            #expect(await client.ledger.connections == 1)
        }
    }

    /// A body that goes on, calls that come and calls that wait: none of them keeps the connection in use.
    @Test(arguments: [1, 100])
    func connectionThatIsTooOldMakesWayUnderLoad(_ streams: Int) async throws {
        let time = ManualTime()
        let peer = Peer.http2(.settings([3: UInt32(streams)])) { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "first"))
            try await connection.answerHTTP2 { _ in "\(connection.number)" }
        }
        try await withHTTP2Peer(
            peer,
            client: {
                $0.time = time.source
                $0.pool.maximumAge = .seconds(5)
            }
        ) { client, server in
            let open = try await client.get("/").stream()
            await time.advance(by: .seconds(6), in: client)
            let next = try await client.get("/").stream()
            #expect(next.metrics.connectionID != open.metrics.connectionID)
            #expect(server.connectionCount == 2)
        }
    }

    @Test func idleConnectionIsClosedInTime() async throws {
        let time = ManualTime()
        try await withHTTP2Peer(.answers { _ in .text("hi") }, client: { $0.time = time.source }) { client, server in
            try await client.expectText("hi")
            #expect(await client.socketTransport?.ledger().idleConnections == 1)
            await time.advance(by: .seconds(61), in: client)
            try await client.waitUntil { $0.connections == 0 && $0.sockets == 0 }
            try await server.waitUntilAllClosed()
        }
    }

    @Test func freshCallGetsANewConnection() async throws {
        try await withHTTP2Peer(.answers { _ in .text("hi") }) { client, server in
            try await client.expectText("hi")
            var request = Request(url: try server.url().requestURL(relativeTo: nil, allowingOtherOrigin: true))
            request.options.requiresFreshConnection = true
            _ = try await client.request(request).data()
            #expect(server.connectionCount == 2)
        }
    }
}
