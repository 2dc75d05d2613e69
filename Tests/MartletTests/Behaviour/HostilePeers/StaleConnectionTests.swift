// Row 13 of the hostile peers, and connection recovery: a request lost on a connection that had gone stale is sent once more
// when that is safe, and never otherwise. RFC 9110, section 9.2.2; RFC 9112, section 9.3.1.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 13: stale connections", .timeLimit(.minutes(5))) struct StaleConnectionTests {
    /// How a server gives up a connection that has been idle.
    enum Loss: CaseIterable, Sendable { case close, reset }

    static let idempotent: [HTTPMethod] = [.get, .head, .put, .delete, .options]

    /// Answers one request; reads the next on the same connection, and drops it without an answer.
    private static func stale(_ loss: Loss) -> [TestStep] {
        [.readRequest, .respond(.text("first")), .readRequest, loss == .close ? .close : .reset]
    }

    private static let healthy: [TestStep] = [.readRequest, .respond(.text("second"))]

    @Test(arguments: idempotent, Loss.allCases)
    func staleConnectionIsRetriedOnceForIdempotentMethods(_ method: HTTPMethod, _ loss: Loss) async throws {
        try await withPeer(.scripts(Self.stale(loss), Self.healthy)) { client, server in
            try await client.expectText("first")
            let response = try await client.request(method, "/second").response()
            #expect(response.status == 200)
            #expect(response.attempts.count == 1)
            #expect((response.attempts.first?.cause as? MartletError)?.code == .connectionClosed)
            #expect(server.requests.map(\.path) == ["/", "/second", "/second"])
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [HTTPMethod.post, .patch], Loss.allCases)
    func aMethodThatIsNotIdempotentIsNotRepeated(_ method: HTTPMethod, _ loss: Loss) async throws {
        try await withPeer(.scripts(Self.stale(loss), Self.healthy)) { client, server in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) {
                try await client.request(method, "/second").body(data: Data("order".utf8)).data()
            }
            #expect(error?.mayHaveReachedServer == true)
            #expect(error?.reusedConnection == true)
            #expect(server.requests.count == 2)
        }
    }

    @Test func aBodyThatCannotBeReplayedIsNotRepeated() async throws {
        try await withPeer(.scripts(Self.stale(.close), Self.healthy)) { client, server in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) {
                try await client.put("/second", stream: GatedChunks(["once"])).data()
            }
            #expect(error?.mayHaveReachedServer == true)
            #expect(server.requests.count == 2)
        }
    }

    @Test func aReplayableStreamIsMadeAnewForTheRepetition() async throws {
        try await withPeer(.scripts(Self.stale(.close), Self.healthy)) { client, server in
            try await client.expectText("first")
            let made = Counter()
            let body = RequestBody.stream {
                made.increment()
                return GatedChunks(["re", "play"])
            }
            let answer = try await client.put("/second").body(body).string()
            #expect(answer == "second")
            #expect(made.value == 2)
            #expect(server.requests.suffix(2).map(\.bodyText) == ["replay", "replay"])
        }
    }

    @Test func theRepetitionIsNotRepeated() async throws {
        // The second connection is lost as well: before it has carried anything, so that it is not stale.
        try await withPeer(.scripts(Self.stale(.close), [.readRequest, .close])) { client, server in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) { try await client.get("/second").data() }
            #expect(error?.attempts.count == 1)
            #expect(error?.mayHaveReachedServer == true)
            #expect(server.requests.count == 3)
        }
    }

    @Test func theRepetitionGoesOnAFreshConnectionAndNotOnAnotherStaleOne() async throws {
        let bothBusy = TestSignal()
        let stale: [TestStep] = [
            .readRequest, .wait(for: bothBusy), .respond(.text("first")), .readRequest, .close,
        ]
        try await withPeer(.scripts(stale, stale, Self.healthy)) { client, server in
            async let one = client.get("/1").string()
            async let two = client.get("/2").string()
            try await server.waitForRequests(2)
            bothBusy.fire()
            _ = try await (one, two)
            try await client.waitUntil { $0.idleConnections == 2 }
            try await client.expectText("second", at: "/3")
            #expect(server.requests.count == 4)
            #expect(server.connectionCount == 3)
        }
    }

    @Test func aFreshConnectionThatIsLostIsNotRetried() async throws {
        try await withPeer(.scripts([.readRequest, .close], Self.healthy)) { client, server in
            let error = await expectFailure(.connectionClosed) { try await client.get("/").data() }
            #expect(error?.reusedConnection == false)
            #expect(error?.attempts.isEmpty == true)
            #expect(server.requests.count == 1)
        }
    }

    @Test func aStaleConnectionThatHasBegunToAnswerIsNotRetried() async throws {
        let half: [TestStep] = [.readRequest, .respond(.text("first")), .readRequest, .send("HTTP/1.1 20"), .close]
        try await withPeer(.scripts(half, Self.healthy)) { client, server in
            try await client.expectText("first")
            await expectFailure(.connectionClosed) { try await client.get("/second").data() }
            #expect(server.requests.count == 2)
        }
    }

    @Test func anInformationalResponseIsTheBeginningOfAnAnswer() async throws {
        let half: [TestStep] = [
            .readRequest, .respond(.text("first")), .readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n"), .close,
        ]
        try await withPeer(.scripts(half, Self.healthy)) { client, server in
            try await client.expectText("first")
            await expectFailure(.connectionClosed) { try await client.get("/second").data() }
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: Loss.allCases) func aConnectionClosedWhileIdleIsNotTried(_ loss: Loss) async throws {
        let ends: TestStep = loss == .close ? .close : .reset
        try await withPeer(.scripts([.readRequest, .respond(.text("first")), ends], Self.healthy)) { client, server in
            try await client.expectText("first")
            try await client.waitUntil { $0.connections == 0 }
            // A POST would not be repeated, so that it shows that the dead connection was never used.
            let response = try await client.post("/second", data: Data("x".utf8)).response()
            #expect(response.attempts.isEmpty)
            #expect(response.metrics.reusedConnection == false)
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: Loss.allCases, [false, true])
    func aCloseThatTheLoopHasNotSeenYetIsFoundBeforeTheRequestIsSent(_ loss: Loss, _ isTLS: Bool) async throws {
        let goesOn = TestSignal()
        let gate = Collected<DispatchSemaphore>()
        let end: @Sendable (TestConnection) -> Void = {
            if loss == .close { $0.close() } else { $0.reset() }
            gate.values.forEach { $0.signal() }
        }
        let peer = Peer.scripts(
            [.readRequest, .respond(.text("first")), .wait(for: goesOn), .perform(end)], Self.healthy)
        try await withPeer(peer, server: isTLS ? .tls() : .init()) { client, server in
            try await client.expectText("first")
            try await client.waitUntil { $0.idleConnections == 1 }
            let response = try await client.sendFromHeldLoop(after: {
                gate.append($0)
                goesOn.fire()
            }) { try await $0.post("/second", data: Data("x".utf8)).response() }
            // A POST would not be repeated, so that it shows that the dead connection was never used.
            #expect(response.attempts.isEmpty)
            #expect(server.requests.count == 2)
        }
    }
}
