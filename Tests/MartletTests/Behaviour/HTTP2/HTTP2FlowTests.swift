// Flow control (RFC 9113, section 5.2) and both directions at once.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: flow", .timeLimit(.minutes(5)))
struct HTTP2FlowTests {
    private static let chunk = Data(repeating: 0x61, count: 16_384)

    @Test func stalledConsumerHoldsNoMoreThanItsWindow() async throws {
        let window = 262_144
        let sent = Counter()
        let blocked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]))
            // As much as the window allows, and then nothing but what the client says.
            for _ in 0..<(window / 16_384) {
                try await connection.send(.data(1, [UInt8](Self.chunk)))
                sent.increment()
            }
            blocked.fire()
            let credit = try await connection.readFrame(.windowUpdate, stream: 1)
            #expect(credit.payload.reduce(0) { $0 << 8 | Int($1) } >= window / 2)
            try await connection.send(.data(1, "end", ends: true))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer, client: { $0.http2.streamWindow = window }) { client, _ in
            let response = try await client.get("/").stream()
            try await blocked.wait(timeout: .seconds(60))
            try await client.waitUntilHeldBack()
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            #expect(count == window + 3)
        }
    }

    @Test func stalledStreamsDoNotStallTheirSiblings() async throws {
        try await withHTTP2Peer(
            .answers { request in
                request.path == "/endless"
                    ? TestResponse(body: .infinite(Self.chunk)) : .data(Data(repeating: 7, count: 3_000_000))
            }
        ) { client, server in
            // More windows than the connection's own has room for, all of them full.
            var stalled: [Response<ResponseBody>] = []
            for _ in 0..<12 { stalled.append(try await client.get("/endless").stream()) }
            for _ in 0..<3 {
                let body = try await client.get("/whole").data()
                #expect(body.count == 3_000_000)
            }
            #expect(server.connectionCount == 1)
            for response in stalled { #expect(response.status == 200) }
            stalled = []
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }

    @Test func slowConsumerGetsEveryByte() async throws {
        let whole = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withHTTP2Peer(.answers { _ in .data(whole) }) { client, _ in
            var received = Data()
            for try await chunk in try await client.get("/").stream().body {
                received.append(chunk)
                await Task.yield()
            }
            #expect(received == whole)
        }
    }

    @Test func uploadWaitsForThePeersWindow() async throws {
        let window = 65_535
        let peer = Peer.http2 { connection in
            await connection.giveCredit(false)
            try await connection.readHTTP2Head()
            var count = 0
            while count < window { count += try await connection.readFrame(.data, stream: 1).payload.count }
            #expect(count == window)
            // The windows are used up: a PING is answered by nothing but a PING.
            try await connection.send(.ping())
            var frame = try await connection.readFrame()
            while frame.kind != .ping {
                #expect(frame.kind != .data)
                frame = try await connection.readFrame()
            }
            try await connection.send(.windowUpdate(0, by: 1_000_000), .windowUpdate(1, by: 1_000_000))
            while true {
                let frame = try await connection.readFrame(.data, stream: 1)
                count += frame.payload.count
                if frame.endsStream { break }
            }
            #expect(count == 300_000)
            try await connection.send(.headers(1, [":status": "200"], ends: true))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let response = try await client.post("/", data: Data(repeating: 1, count: 300_000)).response()
            #expect(response.status == 200)
            #expect(response.metrics.bodyBytesSent == 300_000)
        }
    }

    @Test func endlessUploadIsHeldBack() async throws {
        let chunks = EndlessChunks()
        let read = TestSignal()
        let peer = Peer.http2 { connection in
            await connection.giveCredit(false)
            var count = 0
            while count < 65_535 {
                let frame = try await connection.readFrame(.data, stream: 1)
                count += frame.payload.count
            }
            read.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let call = Task { try await client.post("/", stream: chunks).data() }
            try await read.wait(timeout: .seconds(60))
            // What waits for credit is bounded: the stream's share and the channel's.
            #expect(chunks.pulled.value < 64)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await chunks.ended.wait(timeout: .seconds(60))
        }
    }

    @Test func bothDirectionsFlowAtOnce() async throws {
        let chunks = GatedChunks(["one", "two", "three"], gates: [1: TestSignal(), 2: TestSignal()])
        let gates = chunks.gates
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Head()
            try await connection.send(.headers(1, [":status": "200"]))
            while true {
                let frame = try await connection.readFrame(.data, stream: 1)
                try await connection.send(.data(1, frame.payload, ends: frame.endsStream))
                if frame.endsStream { break }
            }
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            var echoed: [String] = []
            for try await chunk in try await client.post("/", stream: chunks).stream().body {
                echoed.append(String(decoding: chunk, as: UTF8.self))
                gates[echoed.count]?.fire()
            }
            #expect(echoed == ["one", "two", "three"])
        }
    }

    @Test(arguments: [
        RequestBody.data(Data("body".utf8)), .stream { GatedChunks(["bo", "dy"]) },
        .stream(length: 4) { GatedChunks(["bo", "dy"]) },
    ])
    func requestTrailersFollowTheBody(_ body: RequestBody) async throws {
        for version in [HTTPVersionPolicy.http1, .http2PriorKnowledge] {
            try await withPeer(.answers { _ in .ok }, client: { $0.httpVersion = version }) { client, server in
                var request = Request(
                    method: .post, url: try server.url().requestURL(relativeTo: nil, allowingOtherOrigin: true),
                    body: body)
                request.options.trailers = { ["X-Sum": "42"] }
                _ = try await client.request(request).data()
                let seen = try #require(server.requests.first)
                #expect(seen.bodyText == "body")
                #expect(seen.trailers.map { $0.name.lowercased() } == ["x-sum"])
                #expect(seen.trailers.map(\.value) == ["42"])
            }
        }
    }

    @Test func trailersThatMustNotComeSoLateAreRefused() async throws {
        for version in [HTTPVersionPolicy.http1, .http2PriorKnowledge] {
            try await withPeer(.answers { _ in .ok }, client: { $0.httpVersion = version }) { client, server in
                var request = Request(
                    method: .post, url: try server.url().requestURL(relativeTo: nil, allowingOtherOrigin: true),
                    body: .data(Data("body".utf8)))
                request.options.trailers = { ["Content-Length": "42"] }
                await expectFailure(.invalidRequest) { try await client.request(request).data() }
            }
        }
    }

    // MARK: A final response in the middle of an upload (hostile peers, row 18)

    @Test(arguments: [413, 401, 200])
    func earlyWholeResponseEndsTheUpload(_ status: Int) async throws {
        let chunks = EndlessChunks()
        let peer = Peer.http2 { connection in
            // Once the body's sequence is under way.
            _ = try await connection.readFrame(.data, stream: 1)
            try await connection.send(.headers(1, [":status": "\(status)"]), .data(1, "no", ends: true))
            let reset = try await connection.readFrame(.reset, stream: 1)
            #expect(reset.errorCode == 0)
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            let response = try await client.post("/", stream: chunks).response()
            #expect(response.status.code == status)
            try await chunks.ended.wait(timeout: .seconds(60))
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func earlyResponseIsWholeThoughTheServerResetsTheStream() async throws {
        let chunks = EndlessChunks()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Head()
            try await connection.send(
                .headers(1, [":status": "413"]), .data(1, "too large", ends: true), .reset(1, code: 0))
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            let response = try await client.post("/", stream: chunks).response()
            #expect(response.status == 413)
            #expect(String(decoding: response.body, as: UTF8.self) == "too large")
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }
}
