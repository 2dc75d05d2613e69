// From a name to a connection: which addresses are tried, in which order, and how long. RFC 8305 (happy eyeballs). Names are
// answered by resolvers of the tests' own, and the clock is moved by hand.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Connecting", .timeLimit(.minutes(5))) struct ConnectTests {
    private static let four = SocketAddress(ipv4: SocketAddress.loopback4, port: 0)
    private static let six = SocketAddress(ipv6: SocketAddress.loopback6, port: 0)
    // Loopback addresses on which no test listens.
    private static func dead(_ last: UInt32) -> SocketAddress { SocketAddress(ipv4: 0x7F00_0100 + last, port: 0) }

    /// A name and its addresses are the same to both versions, but for who shares the connection.
    static let wires = [Wire.http1, .http2]

    /// A client whose every name has these addresses.
    private static func client(
        _ addresses: [SocketAddress?], time: TimeSource = .system, pool: PoolLimits = PoolLimits(),
        over wire: Wire = .http1
    ) -> MartletClient {
        var settings = RegistrySettings()
        if wire == .http2 { settings.version = .http2PriorKnowledge }
        settings.resolver = ScriptedResolver(.success(addresses.compactMap(\.self)))
        settings.time = time
        settings.pool = pool
        return MartletClient(transport: SocketTransport(settings))
    }

    @Test(arguments: wires) func aDeadAddressIsSkipped(_ wire: Wire) async throws {
        let server = try await TestServer.serve { .text($0["Host"] ?? "") }
        let client = Self.client([Self.dead(1), Self.dead(2), Self.four], over: wire)
        try await client.expectText("any.example:\(server.port)", at: "http://any.example:\(server.port)/")
        await expectNothingLeft(of: client)
        await server.stop()
    }

    @Test(arguments: wires) func anAddressThatDoesNotAnswerIsNotWaitedForLongerThanItsTurn(_ wire: Wire) async throws {
        let busy = try await FullListener()
        var options = TestServer.Options()
        options.host = .ipv6
        options.port = busy.server.port
        let server = try await TestServer.serve(options) { _ in .text("six") }
        let time = ManualTime()
        let client = Self.client([Self.four, Self.six], time: time.source, over: wire)
        let text = Task { try await client.get("http://any.example:\(server.port)/").string() }
        try await client.waitUntil { $0.sockets == 1 && $0.timers == 2 }
        await time.advance(by: .milliseconds(249), in: client)
        #expect(server.connectionCount == 0)
        await time.advance(by: .milliseconds(1), in: client)
        #expect(await text.result.text == "six")
        // The attempt that lost is closed.
        #expect(await client.ledger.sockets == 1)
        await expectNothingLeft(of: client)
        await server.stop()
        await busy.close()
    }

    @Test(arguments: wires) func anAddressThatNeverAnswersEndsInAConnectTimeout(_ wire: Wire) async throws {
        let busy = try await FullListener()
        let time = ManualTime()
        let client = Self.client([Self.four], time: time.source, over: wire)
        let url = "http://any.example:\(busy.server.port)/"
        let call = Task { try await client.get(url).data() }
        try await client.waitUntil { $0.sockets == 1 }
        await time.advance(by: .seconds(9), in: client)
        #expect(await client.ledger.exchanges == 1)
        await time.advance(by: .seconds(1), in: client)
        let error = await expectFailure(.connectTimeout) { try await call.value }
        #expect(error?.phase == .connecting)
        #expect(error?.mayHaveReachedServer == false)
        await expectNothingLeft(of: client)
        await busy.close()
    }

    @Test(arguments: wires) func cancellingWhileConnectingClosesTheSocket(_ wire: Wire) async throws {
        let busy = try await FullListener()
        let client = Self.client([Self.four], over: wire)
        let url = "http://any.example:\(busy.server.port)/"
        let call = Task { try await client.get(url).data() }
        try await client.waitUntil { $0.sockets == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await client.ledger == .init())
        #expect(await client.socketTransport?.cancellations() == [.connecting: 1])
        await expectNothingLeft(of: client)
        await busy.close()
    }

    @Test(arguments: wires) func aNameThatIsNeverFoundEndsInAConnectTimeout(_ wire: Wire) async throws {
        let time = ManualTime()
        var settings = RegistrySettings()
        let resolver = ScriptedResolver(nil)
        settings.resolver = resolver
        settings.time = time.source
        if wire == .http2 { settings.version = .http2PriorKnowledge }
        let client = MartletClient(transport: SocketTransport(settings))
        let call = Task { try await client.get("http://slow.example/").timeout(connect: .seconds(3)).data() }
        try await resolver.asked.wait(timeout: .seconds(60))
        try await client.waitUntil { $0.timers == 1 }
        await time.advance(by: .seconds(3), in: client)
        let error = await expectFailure(.connectTimeout) { try await call.value }
        #expect(error?.phase == .lookUp)
        #expect(error?.mayHaveReachedServer == false)
        #expect(resolver.cancelled.hasFired)
        // An answer that comes after all harms nobody.
        resolver.answerLate(.success([]))
        await expectNothingLeft(of: client)
    }

    @Test(arguments: wires) func theErrorNamesEveryAddressThatWasTried(_ wire: Wire) async throws {
        let client = Self.client([Self.dead(1), Self.dead(2), Self.dead(3)], over: wire)
        let error = await expectFailure(.connectionRefused) { try await client.get("http://any.example:9/").data() }
        for last in 1...3 { #expect(error?.message.contains("127.0.1.\(last):9") == true) }
        await expectNothingLeft(of: client)
    }

    @Test(arguments: wires) func ofAThousandAddressesSixteenAreTried(_ wire: Wire) async throws {
        let client = Self.client((1...1_000).map { Self.dead($0) }, over: wire)
        let error = await expectFailure(.connectionRefused) { try await client.get("http://any.example:9/").data() }
        #expect(error?.message.components(separatedBy: "127.0.").count == 17)
        await expectNothingLeft(of: client)
    }

    @Test func familiesTakeTurns() throws {
        let fours = (1...20).map { Self.dead($0) }
        let six = try #require(Self.six)
        let ordered = ConnectAttempt.ordered(fours + [six])
        #expect(ordered.count == 16)
        #expect(ordered[0] == fours[0] && ordered[1] == six && ordered[2] == fours[1])
    }

    @Test func anIPv6AddressIsDialledAndNamedInBrackets() async throws {
        var options = TestServer.Options()
        options.host = .ipv6
        try await withPeer(.answers { .text($0["Host"] ?? "") }, server: options) { client, server in
            try await client.expectText("[::1]:\(server.port)")
        }
    }

    @Test func localhostIsNeverLookedUp() async throws {
        let server = try await TestServer.serve { _ in .text("done") }
        let client = Self.client([])
        for host in ["localhost", "a.localhost", "LOCALHOST", "127.0.0.1"] {
            try await client.expectText("done", at: "http://\(host):\(server.port)/")
        }
        await expectNothingLeft(of: client)
        await server.stop()
    }

    @Test(arguments: wires) func aSavedPlaceGoesToTheNextWhenAConnectFails(_ wire: Wire) async throws {
        let client = Self.client([Self.dead(1)], pool: PoolLimits(connectionsPerHost: 1, connections: 1), over: wire)
        await withTaskGroup { group in
            for index in 0..<20 {
                group.addTask {
                    await expectFailure(.connectionRefused) {
                        try await client.get("http://host\(index % 3).example:9/").data()
                    }
                }
            }
        }
        await expectNothingLeft(of: client)
    }
}

/// A port that listens and whose queue is full, so that connecting to it neither succeeds nor fails.
private struct FullListener {
    let server: TestServer
    private let fillers: [Socket]

    init() async throws {
        var options = TestServer.Options()
        options.accepts = false
        options.backlog = 0
        server = try await TestServer.start(options, script: [.stall])
        let address = SocketAddress(ipv4: SocketAddress.loopback4, port: server.port)
        var fillers: [Socket] = []
        for _ in 0..<8 {
            let socket = try Socket(family: .ipv4)
            _ = socket.connect(to: address)
            fillers.append(socket)
        }
        self.fillers = fillers
    }

    func close() async {
        fillers.forEach { $0.close() }
        await server.stop()
    }
}
