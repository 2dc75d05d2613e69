// The end of a client: shut down, with and without time to drain, or dropped. Nothing outlives it but calls under way.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Lifetime of a client", .timeLimit(.minutes(5))) struct LifetimeTests {
    @Test func aCallAfterShutdownFailsAtOnce() async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.get("/").discard()
            await client.shutdown()
            let error = await expectFailure(.clientShutDown) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.request != nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test func shutdownEndsWhatIsUnderWayInEveryPhase() async throws {
        let peer = Peer.connection { connection in
            let head = try await connection.readHead()
            if head.path == "/receiving" { try await connection.send("HTTP/1.1 200 OK\r\n\r\nhalf") }
            try await connection.waitForClose()
        }
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 3 }) { client, server in
            let receiving = try await client.get("/receiving").stream()
            let waiting = Task { try await client.get("/waiting").data() }
            let sending = Task {
                try await client.post("/sending", stream: GatedChunks(["a", "b"], gates: [1: TestSignal()])).data()
            }
            try await server.waitForRequests(3)
            let queued = Task { try await client.get("/queued").data() }
            try await client.waitUntil { $0.waiters == 1 }
            await client.shutdown()
            #expect(await client.ledger == .init())
            try await server.waitUntilAllClosed()
            for call in [waiting, sending] {
                let error = await expectFailure(.clientShutDown) { try await call.value }
                #expect(error?.mayHaveReachedServer == true)
            }
            let error = await expectFailure(.clientShutDown) { try await queued.value }
            #expect(error?.mayHaveReachedServer == false)
            await expectFailure(.clientShutDown) { try await receiving.body.collect() }
            #expect(server.requests.count == 3)
        }
    }

    @Test func shutdownWithDrainLetsCallsFinishAndTakesNoNewOnes() async throws {
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            let first = Task { try await client.get("/1").string() }
            try await server.waitForRequests(1)
            let queued = Task { try await client.get("/2").string() }
            try await client.waitUntil { $0.waiters == 1 }
            let end = Task { await client.shutdown(drain: .seconds(60)) }
            try await client.waitUntilShutDown()
            await expectFailure(.clientShutDown) { try await client.get("/3").data() }
            gate.fire()
            #expect(await first.result.text == "done")
            #expect(await queued.result.text == "done")
            await end.value
            #expect(await client.ledger == .init())
            #expect(server.requests.count == 2)
        }
    }

    @Test func drainWaitsForTheBodyToo() async throws {
        let gate = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .wait(for: gate), .send("lf"),
            .waitForClose)
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").stream()
            let end = Task { await client.shutdown(drain: .seconds(60)) }
            try await client.waitUntilShutDown()
            gate.fire()
            let body = try await response.body.collect()
            #expect(body == Data("half".utf8))
            await end.value
        }
    }

    @Test func drainEndsWhenItsTimeIsOver() async throws {
        let time = ManualTime()
        try await withPeer(.script(.readRequest, .stall), client: { $0.time = time.source }) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForRequests(1)
            let end = Task { await client.shutdown(drain: .seconds(30)) }
            try await client.waitUntilShutDown()
            await time.advance(by: .seconds(29), in: client)
            #expect(await client.ledger.exchanges == 1)
            await time.advance(by: .seconds(1), in: client)
            await expectFailure(.clientShutDown) { try await call.value }
            await end.value
        }
    }

    @Test func shuttingDownTwiceIsHarmless() async throws {
        try await withPeer(.answers { _ in .ok }) { client, _ in
            try await client.get("/").discard()
            async let one: Void = client.shutdown()
            async let two: Void = client.shutdown(drain: .seconds(60))
            _ = await (one, two)
            await client.shutdown()
        }
    }

    @Test func shuttingDownAClientThatWasNeverUsedIsHarmless() async throws {
        try await withPeer(.answers { _ in .ok }) { client, _ in await client.shutdown(drain: .seconds(60)) }
    }

    @Test func aDroppedClientFinishesWhatIsUnderWayAndClosesItsConnections() async throws {
        let gate = TestSignal()
        let server = try await TestServer.start(
            script: [.readRequest, .wait(for: gate), .respond(.text("done")), .waitForClose])
        var client: MartletClient? = MartletClient(baseURL: server.baseURL)
        let transport = try #require(client?.socketTransport)
        let call = try #require(client?.get("/"))
        let text = Task { try await call.string() }
        client = nil
        try await server.waitForRequests(1)
        gate.fire()
        #expect(await text.result.text == "done")
        _ = consume call
        try await server.waitForRequests(1)
        #expect(await transport.isEventuallyEmpty())
        await server.stop()
    }

    @Test func aBodyOutlivesItsClient() async throws {
        let gate = TestSignal()
        let server = try await TestServer.start(script: [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .wait(for: gate), .send("lf"),
            .waitForClose,
        ])
        func response() async throws -> (ResponseBody, SocketTransport?) {
            let client = MartletClient(baseURL: server.baseURL)
            return (try await client.get("/").stream().body, client.socketTransport)
        }
        let (body, transport) = try await response()
        gate.fire()
        let whole = try await body.collect()
        #expect(whole == Data("half".utf8))
        #expect(await transport?.isEventuallyEmpty() == true)
        try await server.waitUntilAllClosed()
        await server.stop()
    }

    @Test func idleConnectionsGoWithTheirClient() async throws {
        let server = try await TestServer.serve { _ in .text("done") }
        do {
            let client = MartletClient(baseURL: server.baseURL)
            try await client.expectText("done")
        }
        try await server.waitUntilAllClosed()
        await server.stop()
    }

    @Test func aScopedClientKeepsTheConnectionsAlive() async throws {
        let server = try await TestServer.serve { .text($0["A"] ?? "none") }
        var scoped: MartletClient?
        do {
            let client = MartletClient(baseURL: server.baseURL)
            try await client.expectText("none")
            scoped = client.scoped { $0.headers = ["A": "b"] }
        }
        try await scoped?.expectText("b")
        #expect(server.connectionCount == 1)
        await scoped?.shutdown()
        try await server.waitUntilAllClosed()
        await server.stop()
    }

    @Test func codeThatPrefersTheExecutorOfAClientThatIsGoneStillRuns() async throws {
        let server = try await TestServer.serve { _ in .text("done") }
        let client = MartletClient(baseURL: server.baseURL)
        let executor = client.executor
        try await withTaskExecutorPreference(executor) {
            try await client.expectText("done")
            await client.shutdown()
            await Task.yield()
            await expectFailure(.clientShutDown) { try await client.get("/").data() }
        }
        let sum = await withTaskGroup { group in
            for number in 1...100 { group.addTask(executorPreference: executor) { number } }
            return await group.reduce(0, +)
        }
        #expect(sum == 5_050)
        await server.stop()
    }

    @Test func aClientMayGoAwayOnItsOwnLoop() async throws {
        let server = try await TestServer.serve { _ in .text("done") }
        var client: MartletClient? = MartletClient(baseURL: server.baseURL)
        let executor = try #require(client?.executor)
        let call = try #require(client?.get("/"))
        client = nil
        let task = Task(executorPreference: executor) { [call] in try await call.string() }
        #expect(await task.result.text == "done")
        await server.stop()
    }

    @Test func withClientShutsDownHoweverItsBodyEnds() async throws {
        struct Refusal: Error {}
        let server = try await TestServer.serve { _ in .text("done") }
        await #expect(throws: Refusal.self) {
            try await MartletClient.withClient { client in
                _ = try await client.get(server.baseURL).string()
                throw Refusal()
            }
        }
        try await server.waitUntilAllClosed()
        await server.stop()
    }
}

extension MartletClient {
    /// Waits until a shutdown that was begun elsewhere has reached the engine.
    fileprivate func waitUntilShutDown() async throws {
        let end = ContinuousClock.now + .seconds(60)
        while await socketTransport?.registries.first?.ending != .shutDown {
            guard ContinuousClock.now < end else { throw TestServerError.timedOut("the shutdown") }
            await Task.yield()
        }
    }
}

extension SocketTransport {
    /// Whether the books become empty within ten seconds.
    fileprivate func isEventuallyEmpty() async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while await ledger() != .init() {
            guard ContinuousClock.now < end else { return false }
            await Task.yield()
        }
        return true
    }
}
