// HTTP/2 with servers that others wrote: nginx, nghttpd and Apache.

import Foundation
import Testing

@testable import Martlet

@Suite(
    .enabled(if: !RealServers.http2.isEmpty && RealServers.authority != nil), .serialized, .timeLimit(.minutes(15)))
struct HTTP2ServerTests {
    @Test(arguments: RealServers.http2)
    func smallCallsShareOneConnection(_ server: String) async throws {
        let count = Soak.count(2_000, soak: 50_000)
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            let connections = Collected<Int?>()
            let start = ContinuousClock.now
            try await withThrowingTaskGroup { group in
                for lane in 0..<64 {
                    group.addTask {
                        for _ in stride(from: lane, to: count, by: 64) {
                            let response = try await client.get("/small").response()
                            #expect(response.body.count == 100)
                            #expect(response.metrics.protocolName == "h2")
                            connections.append(response.metrics.connectionID)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(connections.values).count == 1)
            #expect(connections.values.count == count)
            Soak.tell("small \(server)", ["calls": count, "milliseconds": (ContinuousClock.now - start).milliseconds])
        }
    }

    @Test(arguments: RealServers.http2)
    func largeFileIsStreamedWhole(_ server: String) async throws {
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            var count = 0
            for try await chunk in client.get("/64m").chunks { count += chunk.count }
            #expect(count == 64 << 20)
        }
    }

    /// How a consumer goes about its body.
    private enum Pace: CaseIterable { case fast, slow, drops, cancels }

    /// Takes a body at its pace, byte by byte as it must be; returns how much it took, and whether to the end.
    private static func take(
        _ body: ResponseBody, _ pace: Pace, _ expected: Data, _ random: inout SeededRandom
    ) async throws -> Int {
        let limit = random.next(below: expected.count)
        var count = 0
        do {
            for try await chunk in body {
                let isExpected = chunk == expected.dropFirst(count).prefix(chunk.count)
                #expect(isExpected, "foreign bytes after \(count)")
                count += chunk.count
                switch pace {
                case .fast: break
                case .slow: try await Task.sleep(for: .microseconds(random.next(below: 4_000)))
                case .drops: if count > limit { return count }
                case .cancels: if count > limit { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
        } catch is CancellationError where pace == .cancels {
            return count
        }
        if pace == .fast || pace == .slow { #expect(count == expected.count) }
        return count
    }

    /// 200 at once do not fit on two connections of 64 streams each: the rest waits, and the two are never exceeded.
    @Test(arguments: RealServers.http2)
    func everyBodyIsItsOwnThoughSomeAreSlowAndSomeAreCutShort(_ server: String) async throws {
        let count = Soak.count(48, soak: 200)
        let streams = Soak.isOn ? 64 : 16
        let bodies = try RealServers.bodies()
        try await RealServers.withClient(
            server, trusting: RealServers.authority,
            configure: {
                $0.pool.connectionsPerHost = 2
                $0.http2.streamsPerConnection = streams
            }
        ) { client in
            let connections = Collected<Int?>()
            let bytes = Collected<Int>()
            let start = ContinuousClock.now
            try await withThrowingTaskGroup { group in
                for index in 0..<count {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(index))
                        let number = random.next(below: bodies.count)
                        let pace = Pace.allCases[random.next(below: Pace.allCases.count)]
                        let response = try await client.get("/body\(number)").stream()
                        connections.append(response.metrics.connectionID)
                        bytes.append(try await Self.take(response.body, pace, bodies[number], &random))
                        #expect(await client.ledger.connections <= 2)
                    }
                }
                try await group.waitForAll()
            }
            // One is enough for them where the machine is slow.
            #expect((1...2).contains(Set(connections.values).count))
            try await client.waitUntil { $0.exchanges == 0 }
            // What was cut short has left nothing to those that come next.
            for (number, body) in bodies.enumerated() {
                let isWhole = try await client.get("/body\(number)").data() == body
                #expect(isWhole)
            }
            Soak.tell(
                "bodies \(server)",
                [
                    "bodies": count, "MiB": bytes.values.reduce(0, +) >> 20,
                    "milliseconds": (ContinuousClock.now - start).milliseconds,
                ])
        }
    }

    @Test(arguments: RealServers.http2)
    func whatFollowsADroppedBodyIsItsOwn(_ server: String) async throws {
        let bodies = try RealServers.bodies()
        var random = SeededRandom(seed: 48)
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            let first = try await client.get("/small").response().metrics.connectionID
            for _ in 0..<Soak.count(20, soak: 200) {
                let limit = random.next(below: 2 << 20)
                var count = 0
                for try await chunk in client.get("/64m").chunks {
                    count += chunk.count
                    if count > limit { break }
                }
                let number = random.next(below: bodies.count)
                let next = try await client.get("/body\(number)").response()
                let isWhole = next.body == bodies[number]
                #expect(isWhole)
                #expect(next.metrics.connectionID == first)
            }
        }
    }

    /// Sixteen bodies that nobody reads: their windows together are twice that of their connection.
    @Test(arguments: RealServers.http2)
    func pausedBodiesHoldTheirWindowsAndSlowNobody(_ server: String) async throws {
        let paused = 16
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            func rate() async throws -> Double {
                var best = Duration.seconds(1_000)
                for _ in 0..<3 {
                    let start = ContinuousClock.now
                    var count = 0
                    for try await chunk in client.get("/64m").chunks { count += chunk.count }
                    #expect(count == 64 << 20)
                    best = min(best, ContinuousClock.now - start)
                }
                return 64_000 / Double(max(1, best.milliseconds))
            }
            let alone = try await rate()
            var responses: [Response<ResponseBody>] = []
            for _ in 0..<paused { responses.append(try await client.get("/64m").stream()) }
            try await client.waitUntilHeldBack(paused)
            let beside = try await rate()
            let held = await client.socketTransport?.registries.first?.heldBytes ?? []
            #expect(held.count == paused)
            #expect(held.allSatisfy { $0 <= 1 << 20 }, "\(held)")
            #expect(Set(responses.map(\.metrics.connectionID)).count == 1)
            // Beside other tests a rate says little.
            if Soak.isOn, !Soak.isThreadSanitized { #expect(beside >= 0.7 * alone) }
            Soak.tell(
                "paused \(server)",
                [
                    "MiB/s alone": Int(alone), "MiB/s beside 16 paused": Int(beside),
                    "KiB held by one": (held.max() ?? 0) >> 10,
                ])
            responses = []
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Int { Int(self / .milliseconds(1)) }
}
