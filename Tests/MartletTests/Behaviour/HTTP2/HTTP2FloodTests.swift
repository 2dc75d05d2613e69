// Header bombs and frames without use (RFC 9113, section 10.5; hostile peers, row 8).

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: limits and floods", .timeLimit(.minutes(5)))
struct HTTP2FloodTests {
    static let bombs: [(String, [HTTP2Frame])] = [
        (
            "many fields",
            [.headers(1, block: HTTP2FieldBlock.encode([(":status", "200")] + (0..<300).map { ("a\($0)", "b") }))]
        ),
        (
            "one large field",
            [
                .headers(
                    1,
                    block: HTTP2FieldBlock.encode([(":status", "200"), ("a", String(repeating: "b", count: 16_000))]),
                    endsBlock: false)
            ]
                + (0..<5).map {
                    .continuation(
                        1, block: HTTP2FieldBlock.encode([("a", String(repeating: "b", count: 16_000))]),
                        endsBlock: $0 == 4)
                }
        ),
        (
            "many early hints",
            (0..<10).map { _ in
                .headers(
                    1,
                    block: HTTP2FieldBlock.encode([(":status", "103"), ("a", String(repeating: "b", count: 10_000))]))
            }
        ),
    ]

    @Test(arguments: bombs.indices)
    func headThatIsTooLargeIsRefusedAndTheConnectionKept(_ index: Int) async throws {
        try await withHTTP2Peer(.frames(Self.bombs[index].1)) { client, server in
            await expectFailure(.headTooLarge) { try await client.get("/").data() }
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func manyInformationalHeadsAreRefused() async throws {
        try await withHTTP2Peer(.frames((0..<21).map { _ in .headers(1, [":status": "103"]) })) { client, _ in
            await expectFailure(.tooManyInformationalResponses) { try await client.get("/").data() }
        }
    }

    static let floods: [(String, HTTP2Frame)] = [
        ("PING", .ping()), ("PING that answers nothing", .ping(isAnswer: true)), ("SETTINGS", .settings()),
        ("empty DATA", .data(1, "")),
        ("RST_STREAM of a stream that is gone", .reset(1, code: 8)),
        ("PRIORITY", HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 1])),
    ]

    /// A peer may have sent a few frames on a stream before it learns that the stream was reset.
    @Test func framesOnStreamsThatWeResetAreNoFlood() {
        var meter = FloodMeter()
        let now = MonotonicInstant(nanoseconds: 0)
        var isFlood = meter.add(at: now)
        for _ in 0..<FloodMeter.limit {
            meter.forgive()
            for _ in 0..<4 { isFlood = meter.add(at: now) || isFlood }
        }
        #expect(!isFlood)
        for _ in 1..<FloodMeter.limit { isFlood = meter.add(at: now) || isFlood }
        #expect(!isFlood)
        isFlood = meter.add(at: now)
        #expect(isFlood)
        isFlood = meter.add(at: now + FloodMeter.span + .seconds(1))
        #expect(!isFlood)
    }

    @Test(arguments: floods.indices)
    func floodEndsTheConnection(_ index: Int) async throws {
        let flood = Self.floods[index]
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "next" } }
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]))
            try await connection.sendRepeating(flood.1.bytes, count: 100_000)
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            let outcome = await client.outcome()
            #expect(outcome == #"200 "" invalidResponse"# || outcome == #"200 "" bodyTruncated"#, "\(flood.0)")
            let next = await client.outcome()
            #expect(next == #"200 "next""# || next == "invalidResponse", "\(flood.0)")
        }
    }
}
