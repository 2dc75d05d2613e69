// Row 60 of the hostile peers: timeouts obey the monotonic clock and nothing else. The clock is moved by hand, so that no test
// waits, and time that the wall clock shows cannot be what ended a call.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 60: clocks", .timeLimit(.minutes(5))) struct ClockTests {
    private let time = ManualTime()

    private func configure(_ configuration: inout ClientConfiguration) { configuration.time = time.source }

    @Test func theIdleTimeoutFiresAtItsInstantAndNotBefore() async throws {
        try await withPeer(.script(.readRequest, .stall), client: configure) { client, server in
            let call = Task { try await client.get("/").timeout(idle: .seconds(60)).data() }
            try await server.waitForRequests(1)
            await time.advance(by: .seconds(59), in: client)
            #expect(await client.ledger.exchanges == 1)
            await time.advance(by: .seconds(1), in: client)
            let error = await expectFailure(.idleTimeout) { try await call.value }
            #expect(error?.phase == .waiting)
        }
    }

    @Test func aByteStartsTheIdleTimeoutAnew() async throws {
        let goesOn = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"), .wait(for: goesOn), .send("b"), .stall
        )
        try await withPeer(peer, client: configure) { client, _ in
            let response = try await client.get("/").timeout(idle: .seconds(60)).stream()
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("a".utf8))
            await time.advance(by: .seconds(59), in: client)
            goesOn.fire()
            #expect(try await iterator.next() == Data("b".utf8))
            await time.advance(by: .seconds(59), in: client)
            #expect(await client.ledger.exchanges == 1)
            await time.advance(by: .seconds(1), in: client)
            let error = await expectFailure(.idleTimeout) { try await iterator.next() }
            #expect(error?.phase == .receiving)
        }
    }

    /// Where a timeout is set, and when it fires.
    static let places: [(client: Duration?, call: Duration?, fires: Int)] = [
        (nil, nil, 60), (.seconds(20), nil, 20), (nil, .seconds(30), 30), (.seconds(20), .seconds(30), 30),
        (.seconds(30), .seconds(20), 20),
    ]

    @Test(arguments: places.indices) func theCallsTimeoutComesInPlaceOfTheClients(_ index: Int) async throws {
        let place = Self.places[index]
        try await withPeer(
            .script(.readRequest, .stall),
            client: {
                configure(&$0)
                if let idle = place.client { $0.defaults.options.timeouts.idle = idle }
            }
        ) { client, server in
            let call = Task { try await client.get("/").timeout(idle: place.call).data() }
            try await server.waitForRequests(1)
            await time.advance(by: .seconds(place.fires - 1), in: client)
            #expect(await client.ledger.exchanges == 1)
            await time.advance(by: .seconds(1), in: client)
            let error = await expectFailure(.idleTimeout) { try await call.value }
            #expect(error?.message.contains("\(place.fires)") == true)
        }
    }

    @Test func theTotalTimeoutBoundsACallThatIsNeverIdle() async throws {
        let more = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"), .wait(for: more), .send("b"), .stall)
        try await withPeer(peer, client: configure) { client, _ in
            let response = try await client.get("/").timeout(total: .seconds(90)).stream()
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("a".utf8))
            await time.advance(by: .seconds(50), in: client)
            more.fire()
            #expect(try await iterator.next() == Data("b".utf8))
            await time.advance(by: .seconds(40), in: client)
            let error = await expectFailure(.deadlineExceeded) { try await iterator.next() }
            #expect(error?.phase == .receiving)
        }
    }

    @Test func theTotalTimeoutIsSharedByBothAttemptsOfARecoveredCall() async throws {
        let peer = Peer.scripts(
            [.readRequest, .respond(.text("first")), .readRequest, .close], [.readRequest, .stall])
        try await withPeer(peer, client: configure) { client, server in
            try await client.expectText("first")
            let call = Task { try await client.get("/second").timeout(total: .seconds(30)).data() }
            try await server.waitForRequests(3)
            await time.advance(by: .seconds(30), in: client)
            let error = await expectFailure(.deadlineExceeded) { try await call.value }
            #expect(error?.attempts.count == 1)
        }
    }

    @Test func theConnectTimeoutFiresInTheHandshake() async throws {
        let options = try TestServer.Options.tls { $0.handshake = .never }
        try await withPeer(.script(.stall), server: options, client: configure) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForConnections(1)
            try await client.waitUntil { $0.sockets == 1 }
            await time.advance(by: .seconds(9), in: client)
            #expect(await client.ledger.exchanges == 1)
            await time.advance(by: .seconds(1), in: client)
            let error = await expectFailure(.connectTimeout) { try await call.value }
            #expect(error?.phase == .tls)
            #expect(error?.mayHaveReachedServer == false)
        }
    }

    @Test func aPlaceInTheQueueIsNotCountedAsConnecting() async throws {
        let release = TestSignal()
        let peer = Peer.script(.readRequest, .wait(for: release), .respond(.text("done")), .startAgain)
        try await withPeer(
            peer,
            client: {
                configure(&$0)
                $0.pool.connectionsPerHost = 1
            }
        ) { client, server in
            let first = Task { try await client.get("/1").string() }
            try await server.waitForRequests(1)
            let second = Task { try await client.get("/2").timeout(connect: .seconds(10), idle: .seconds(10)).string() }
            try await client.waitUntil { $0.waiters == 1 }
            await time.advance(by: .seconds(59), in: client)
            release.fire()
            #expect(await first.result.text == "done")
            #expect(await second.result.text == "done")
        }
    }

    @Test func theTotalTimeoutReachesACallThatWaitsForItsTurn() async throws {
        let peer = Peer.script(.readRequest, .stall)
        try await withPeer(
            peer,
            client: {
                configure(&$0)
                $0.pool.connectionsPerHost = 1
            }
        ) { client, server in
            let first = Task { try await client.get("/1").data() }
            try await server.waitForRequests(1)
            let second = Task { try await client.get("/2").timeout(.seconds(5)).data() }
            try await client.waitUntil { $0.waiters == 1 }
            await time.advance(by: .seconds(5), in: client)
            let error = await expectFailure(.deadlineExceeded) { try await second.value }
            #expect(error?.phase == .queued)
            #expect(error?.mayHaveReachedServer == false)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }
    }

    @Test func aConsumerThatHoldsBackIsNotTimedOut() async throws {
        let size = 8 << 20
        let peer = Peer.answers { _ in .data(Data(repeating: 0x61, count: size)) }
        try await withPeer(peer, client: configure) { client, _ in
            let response = try await client.get("/").stream()
            // The server has more to send than all buffers hold.
            try await client.waitUntilHeldBack()
            for _ in 0..<10 { await time.advance(by: .seconds(59), in: client) }
            let body = try await response.body.collect()
            #expect(body.count == size)
        }
    }

    @Test func aCallerThatHoldsItsOwnBodyBackIsNotTimedOut() async throws {
        let gate = TestSignal()
        let body = GatedChunks(["one", "two"], gates: [1: gate])
        let arrived = TestSignal()
        let script = Peer.script(
            .readHead, .read("3\r\none\r\n".utf8.count), .signal(arrived), .read("3\r\ntwo\r\n0\r\n\r\n".utf8.count),
            .respond(.text("done")))
        try await withPeer(script, client: configure) { client, _ in
            let call = Task { try await client.post("/", stream: body).string() }
            try await arrived.wait(timeout: .seconds(60))
            for _ in 0..<10 { await time.advance(by: .seconds(59), in: client) }
            gate.fire()
            #expect(await call.result.text == "done")
        }
    }

    @Test func anIdleConnectionIsClosedWhenItsLifetimeIsOver() async throws {
        try await withPeer(
            .answers { _ in .text("done") },
            client: {
                configure(&$0)
                $0.pool.idleLifetime = .seconds(30)
            }
        ) { client, server in
            try await client.expectText("done")
            try await client.waitUntil { $0.idleConnections == 1 }
            await time.advance(by: .seconds(29), in: client)
            #expect(await client.ledger.idleConnections == 1)
            await time.advance(by: .seconds(1), in: client)
            #expect(await client.ledger == .init())
            try await server.waitUntilAllClosed()
            try await client.expectText("done")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func aClockThatJumpsFarAheadEndsCallsAndBreaksNothing() async throws {
        try await withPeer(.script(.readRequest, .stall), client: configure) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForRequests(1)
            await time.advance(by: .seconds(100 * 365 * 86_400), in: client)
            await expectFailure(.idleTimeout) { try await call.value }
        }
    }

    @Test(arguments: Wire.allCases) func durationsBeyondTheClockAreNoTimeout(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("done") }, over: wire) { client, _ in
            let endless = Duration.seconds(Int64.max)
            let text = try await client.get("/").timeout(connect: endless, idle: endless, total: endless).string()
            #expect(text == "done")
        }
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
    func aTotalTimeoutOfNothingEndsTheCallAtOnce(_ total: Duration) async throws {
        try await withPeer(.answers { _ in .text("done") }) { client, _ in
            await expectFailure(.deadlineExceeded) { try await client.get("/").timeout(total).data() }
        }
    }
}
