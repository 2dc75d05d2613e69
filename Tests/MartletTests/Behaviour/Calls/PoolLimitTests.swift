// The pool's limits on the wire: how many connections there are at once, who gets one next, what makes way for whom.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Pool limits", .timeLimit(.minutes(5))) struct PoolLimitTests {
    @Test func fiftyCallsOverTwoConnectionsAllSucceed() async throws {
        let busy = Counter()
        let peer = Peer.answers { _ in
            busy.increment()
            await Task.yield()
            busy.decrement()
            return .text("done")
        }
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 2 }) { client, server in
            let texts = await withTaskGroup { group in
                for index in 0..<50 {
                    group.addTask { await Task { try await client.get("/\(index)").string() }.result.text }
                }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "done", count: 50))
            #expect(busy.peak <= 2)
            #expect(server.connectionCount == 2)
            #expect(server.requests.count == 50)
        }
    }

    @Test func callsThatWaitAreServedInTheirOrder() async throws {
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            let first = Task { try await client.get("/0").string() }
            try await server.waitForRequests(1)
            var calls = [first]
            for index in 1..<10 {
                calls.append(Task { try await client.get("/\(index)").string() })
                try await client.waitUntil { $0.waiters == index }
            }
            gate.fire()
            for call in calls { #expect(await call.result.text == "done") }
            #expect(server.requests.map(\.path) == (0..<10).map { "/\($0)" })
            #expect(server.connectionCount == 1)
        }
    }

    @Test func theOrderHoldsWhenConnectionsAreClosedInBetween() async throws {
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done").closing()))
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            var calls: [Task<String, any Error>] = []
            for index in 0..<6 {
                calls.append(Task { try await client.get("/\(index)").string() })
                if index == 0 { try await server.waitForRequests(1) }
                try await client.waitUntil { $0.waiters == index }
            }
            gate.fire()
            for call in calls { #expect(await call.result.text == "done") }
            #expect(server.requests.map(\.path) == (0..<6).map { "/\($0)" })
            #expect(server.connectionCount == 6)
        }
    }

    @Test func aWaiterGoesOnWhenTheOneBeforeItFails() async throws {
        let gate = TestSignal()
        let peer = Peer.scripts(
            [.readRequest, .wait(for: gate), .reset], [.readRequest, .respond(.text("done")), .startAgain])
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
            let first = Task { try await client.get("/0").string() }
            try await server.waitForRequests(1)
            let second = Task { try await client.get("/1").string() }
            try await client.waitUntil { $0.waiters == 1 }
            gate.fire()
            await expectFailure(.connectionClosed) { try await first.value }
            #expect(await second.result.text == "done")
        }
    }

    @Test func waitersGoOnWhenConnectingFails() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await withPeer(.script(), server: options, client: { $0.pool.connectionsPerHost = 2 }) { client, _ in
            await withTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        let error = await expectFailure(.connectionRefused) { try await client.get("/").data() }
                        #expect(error?.mayHaveReachedServer == false)
                        #expect(error?.phase == .connecting)
                    }
                }
            }
        }
    }

    @Test func theTotalLimitTakesAnIdleConnectionOfAnotherOrigin() async throws {
        let other = try await TestServer.serve { _ in .text("other") }
        try await withPeer(
            .answers { _ in .text("done") },
            client: {
                $0.pool.connections = 1
                $0.defaults.allowsOtherOrigins = true
            }
        ) { client, server in
            try await client.expectText("done")
            try await client.expectText("other", at: other.baseURL)
            try await server.waitUntilAllClosed()
            #expect(await client.ledger.connections == 1)
            try await client.expectText("done")
            try await other.waitUntilAllClosed()
            #expect(server.connectionCount == 2)
        }
        await other.stop()
    }

    @Test func theTotalLimitMakesACallWaitForABusyConnectionOfAnotherOrigin() async throws {
        let other = try await TestServer.serve { _ in .text("other") }
        let gate = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
        try await withPeer(
            peer,
            client: {
                $0.pool.connections = 1
                $0.defaults.allowsOtherOrigins = true
            }
        ) { client, server in
            let first = Task { try await client.get("/").string() }
            try await server.waitForRequests(1)
            let second = Task { try await client.get(other.baseURL).string() }
            try await client.waitUntil { $0.waiters == 1 }
            #expect(other.connectionCount == 0)
            gate.fire()
            #expect(await first.result.text == "done")
            #expect(await second.result.text == "other")
            #expect(await client.ledger.connections == 1)
        }
        await other.stop()
    }

    @Test func differentNamesForOneAddressShareNothing() async throws {
        try await withPeer(
            .answers { .text($0["Host"] ?? "") }, client: { $0.defaults.allowsOtherOrigins = true }
        ) { client, server in
            try await client.expectText("127.0.0.1:\(server.port)")
            try await client.expectText("localhost:\(server.port)", at: server.url("/", host: "localhost"))
            #expect(server.connectionCount == 2)
        }
    }

    @Test func severalLoopsEachKeepTheirOwnBooksAndAllEndEmpty() async throws {
        try await withPeer(.answers { _ in .text("done") }, client: { $0.eventLoops = 3 }) { client, server in
            for _ in 0..<9 { try await client.expectText("done") }
            #expect(server.connectionCount == 3)
        }
    }
}
