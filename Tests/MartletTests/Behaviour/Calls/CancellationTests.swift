// Cancelling a task: in every phase the call ends with `CancellationError`, and by then its connection is closed. No clock and no
// sleep decides when a test cancels; the peer or the books do.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Cancellation", .timeLimit(.minutes(5))) struct CancellationTests {
    /// Cancels, awaits the cancelled call, and looks at the books in the moment in which it returns.
    private func expectCancelled<Value: Sendable>(
        _ call: Task<Value, any Error>, in phase: MartletError.Phase, of client: MartletClient, others: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        call.cancel()
        await #expect(throws: CancellationError.self, sourceLocation: sourceLocation) { try await call.value }
        let ledger = await client.ledger
        #expect(ledger.exchanges == others && ledger.sockets == others, sourceLocation: sourceLocation)
        #expect(await client.socketTransport?.cancellations() == [phase: 1], sourceLocation: sourceLocation)
    }

    @Test(arguments: Wire.allCases) func beforeItIsSentNothingIsSent(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .ok }, over: wire) { client, server in
            let go = TestSignal()
            let call = Task {
                await go.wait()
                return try await client.get("/").data()
            }
            call.cancel()
            go.fire()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(server.connectionCount == 0)
        }
    }

    @Test func whileItWaitsInThePoolItLeavesTheQueue() async throws {
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            let first = Task { try await client.get("/1").string() }
            try await server.waitForRequests(1)
            let second = Task { try await client.get("/2").string() }
            try await client.waitUntil { $0.waiters == 1 }
            let third = Task { try await client.get("/3").string() }
            try await client.waitUntil { $0.waiters == 2 }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(await client.ledger.waiters == 1)
            #expect(await client.socketTransport?.cancellations() == [.queued: 1])
            gate.fire()
            #expect(await first.result.text == "done")
            #expect(await third.result.text == "done")
            #expect(server.requests.map(\.path) == ["/1", "/3"])
        }
    }

    @Test func whileTheNameIsLookedUpNothingIsLeft() async throws {
        let resolver = ScriptedResolver(nil)
        var settings = RegistrySettings()
        settings.resolver = resolver
        let transport = SocketTransport(settings)
        let client = MartletClient(transport: transport)
        let call = Task { try await client.get("http://slow.example/").data() }
        try await resolver.asked.wait(timeout: .seconds(60))
        await expectCancelled(call, in: .lookUp, of: client)
        #expect(resolver.cancelled.hasFired)
        await expectNothingLeft(of: client)
    }

    @Test func whileTheResponseIsAwaitedTheConnectionIsClosed() async throws {
        let closed = TestSignal()
        try await withPeer(.script(.readRequest, .waitForClose, .signal(closed))) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForRequests(1)
            try await client.waitUntil { $0.sockets == 1 }
            await expectCancelled(call, in: .waiting, of: client)
            try await closed.wait(timeout: .seconds(60))
        }
    }

    @Test func whileTheBodyIsSentTheConnectionIsClosedAndTheBodyLetGo() async throws {
        let body = EndlessChunks()
        try await withPeer(.script(.readHead, .stall)) { client, server in
            let call = Task { try await client.post("/", stream: body).data() }
            try await server.waitForRequests(1)
            await expectCancelled(call, in: .sending, of: client)
            try await server.waitUntilAllClosed()
            try await body.ended.wait(timeout: .seconds(60))
        }
    }

    @Test func whileTheCallersBodyIsAwaitedTheConnectionIsClosedAndTheBodyLetGo() async throws {
        let body = GatedChunks(["one", "two"], gates: [1: TestSignal()])
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let call = Task { try await client.post("/", stream: body).data() }
            try await server.waitForRequests(1)
            await expectCancelled(call, in: .sending, of: client)
            try await server.waitUntilAllClosed()
            try await body.ended.wait(timeout: .seconds(60))
        }
    }

    @Test func whileTheBodyIsReceivedTheConnectionIsClosed() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .waitForClose)
        try await withPeer(peer) { client, server in
            let received = TestSignal()
            let call = Task {
                for try await _ in client.get("/").chunks { received.fire() }
            }
            try await received.wait(timeout: .seconds(60))
            await expectCancelled(call, in: .receiving, of: client)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aCancelledConsumerGetsNoMoreOfWhatIsBuffered() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeating(Array("buffered".utf8), count: .max))
        try await withPeer(peer) { client, server in
            let response = try await client.get("/").stream()
            try await client.waitUntilHeldBack()
            let go = TestSignal()
            let consumer = Task {
                await go.wait()
                for try await _ in response.body { Issue.record("A cancelled consumer was given bytes") }
            }
            consumer.cancel()
            go.fire()
            await #expect(throws: CancellationError.self) { try await consumer.value }
            #expect(await client.ledger.sockets == 0)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aCollectingCallThatIsCancelledClosesTheConnection() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"),
            .sendPaced([UInt8](repeating: 0x61, count: 100_000), every: .milliseconds(1)))
        try await withPeer(peer) { client, server in
            let call = Task { try await client.get("/").data() }
            try await client.waitUntil { $0.sockets == 1 }
            try await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.ledger.sockets == 0)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func theConnectionsOfOthersLiveOn() async throws {
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
        try await withPeer(peer) { client, server in
            let doomed = Task { try await client.get("/1").data() }
            try await server.waitForRequests(1)
            let other = Task { try await client.get("/2").string() }
            try await server.waitForRequests(2)
            await expectCancelled(doomed, in: .waiting, of: client, others: 1)
            gate.fire()
            #expect(await other.result.text == "done")
        }
    }

    @Test(arguments: Wire.allCases) func cancellingAfterTheEndChangesNothing(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("done") }, over: wire) { client, server in
            let call = Task { try await client.get("/").string() }
            #expect(await call.result.text == "done")
            call.cancel()
            #expect(await call.result.text == "done")
            try await client.expectText("done")
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: 0..<8) func cancellingAtARandomMomentIsEitherAnAnswerOrACancellation(_ seed: Int) async throws {
        try await withPeer(.answers { _ in .text("done") }, client: { $0.pool.connectionsPerHost = 4 }) { client, _ in
            await withTaskGroup { group in
                for index in 0..<50 {
                    group.addTask {
                        let call = Task { try await client.get("/\(index)").string() }
                        for _ in 0..<((index * 7 + seed * 13) % 60) { await Task.yield() }
                        call.cancel()
                        switch await call.result {
                        case .success(let text): #expect(text == "done")
                        case .failure(let error): #expect(error is CancellationError, "\(error)")
                        }
                    }
                }
            }
            let ledger = await client.ledger
            #expect(ledger.exchanges == 0 && ledger.waiters == 0 && ledger.connections == ledger.idleConnections)
            try await client.expectText("done")
        }
    }
}
