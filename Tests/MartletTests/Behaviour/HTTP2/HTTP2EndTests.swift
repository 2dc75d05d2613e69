// How calls and connections end: cancellation, GOAWAY, lost connections, silence, floods, shutdown.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: ends", .timeLimit(.minutes(1)))
struct HTTP2EndTests {
    // MARK: Cancellation

    @Test func cancelledCallResetsItsStreamAndKeepsTheConnection() async throws {
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            let reset = try await connection.readFrame(.reset, stream: 1)
            #expect(reset.errorCode == 8)
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            let call = Task { try await client.get("/").data() }
            await asked.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.socketTransport?.ledger().exchanges == 0)
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func droppedBodyResetsItsStream() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "first"))
            let reset = try await connection.readFrame(.reset, stream: 1)
            #expect(reset.errorCode == 8)
            // What was on its way already belongs to nobody.
            try await connection.send(.data(1, "late", ends: true))
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            for try await chunk in try await client.get("/").stream().body {
                #expect(chunk == Data("first".utf8))
                break
            }
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func cancelDoesNotWaitForABlockedSocket() async throws {
        let stalled = TestSignal()
        let peer = Peer.connection { connection in
            try await connection.acceptHTTP2(.settings([4: 0x7FFF_FFFF]))
            try await connection.send(.windowUpdate(0, by: 0x7FFF_0000))
            stalled.fire()
            try await connection.stall()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let chunks = EndlessChunks()
            let call = Task { try await client.post("/", stream: chunks).data() }
            await stalled.wait()
            var pulled = -1
            while pulled != chunks.pulled.value || pulled == 0 {
                pulled = chunks.pulled.value
                try await Task.sleep(for: .milliseconds(20))
            }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.socketTransport?.ledger().exchanges == 0)
        }
    }

    @Test func deadlineResetsTheStream() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            _ = try await connection.readFrame(.reset, stream: 1)
            try await connection.answerHTTP2 { _ in "next" }
        }
        try await withHTTP2Peer(peer) { client, server in
            await expectFailure(.deadlineExceeded) { try await client.get("/").timeout(.milliseconds(50)).data() }
            try await client.expectText("next")
            #expect(server.connectionCount == 1)
        }
    }

    // MARK: GOAWAY (hostile peers, rows 11 and 12)

    @Test func goAwayWhileIdleClosesTheConnection() async throws {
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "one")
            try await connection.send(.goAway(last: 1))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("one")
            try await client.waitUntil { $0.connections == 0 }
            try await client.expectText("one")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [HTTPMethod.patch, .post, .put, "PURGE"])
    func whatGoAwayExcludesGoesAgainWhateverItsMethod(_ method: HTTPMethod) async throws {
        try await withHTTP2Peer(.frames([.goAway(last: 0)])) { client, server in
            let request = Request(
                method: method, url: try server.url().requestURL(relativeTo: nil, allowingOtherOrigin: true),
                body: .data(Data("body".utf8)))
            let response = try await client.request(request).response()
            #expect(response.attempts.count == 1)
            #expect(server.connectionCount == 2)
            #expect(server.requests.last?.bodyText == "body")
        }
    }

    @Test func bodyThatCanBeReadOnceDoesNotGoAgain() async throws {
        try await withHTTP2Peer(.frames([.goAway(last: 0)])) { client, server in
            let error = await expectFailure(.connectionClosed) {
                try await client.post("/", stream: GatedChunks(["once"])).data()
            }
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func goAwayLetsWhatItIncludesFinishAndSendsTheRestElsewhere() async throws {
        let both = TestSignal()
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "elsewhere" } }
            try await connection.answerHTTP2(count: 1, "warm")
            try await connection.readHTTP2Request()
            try await connection.readHTTP2Request()
            try await connection.send(.goAway(last: 3))
            both.fire()
            try await connection.send(.headers(3, [":status": "200"]), .data(3, "here", ends: true))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("warm")
            async let one = client.get("/").string()
            async let two = client.get("/").string()
            let texts = try await [one, two]
            #expect(texts.sorted() == ["elsewhere", "here"])
            #expect(server.connectionCount == 2)
        }
    }

    @Test func manyExcludedCallsShareNewConnections() async throws {
        let count = 40
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "again" } }
            try await connection.answerHTTP2(count: 1, "warm")
            for _ in 0..<count { try await connection.readHTTP2Request() }
            try await connection.send(.goAway(last: 1))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("warm")
            try await withThrowingTaskGroup { group in
                for _ in 0..<count {
                    group.addTask {
                        let got = try await client.post("/", data: Data("x".utf8)).string()
                        #expect(got == "again")
                    }
                }
                try await group.waitForAll()
            }
            // One, or a few more where the first of them was made before the last call came.
            #expect(server.connectionCount <= 5)
        }
    }

    @Test func refusedTwiceIsAnError() async throws {
        let peer = Peer.http2 { connection in
            let stream = try await connection.readHTTP2Request().stream ?? 1
            try await connection.send(.reset(stream, code: 7))
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, server in
            let error = await expectFailure(.connectionClosed) { try await client.get("/").data() }
            #expect(error?.attempts.count == 1)
            #expect(server.connectionCount == 2)
        }
    }

    // MARK: Lost connections

    @Test func keptConnectionThatIsLostIsReplacedForIdempotentCalls() async throws {
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "next" } }
            try await connection.answerHTTP2(count: 1, "first")
            try await connection.readHTTP2Request()
            connection.reset()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("first")
            try await client.expectText("next")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func lostConnectionEndsCallsThatMayHaveBeenProcessed() async throws {
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "first")
            try await connection.readHTTP2Request()
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, server in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) {
                try await client.post("/", data: Data("x".utf8)).data()
            }
            #expect(error?.mayHaveReachedServer == true)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func lostConnectionTruncatesBodies() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "half"))
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, _ in
            #expect(await client.outcome() == #"200 "half" bodyTruncated"#)
        }
    }

    @Test func responseThatCameWithTheEndOfTheConnectionIsDelivered() async throws {
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "whole", ends: true))
            connection.close()
        }
        try await withHTTP2Peer(peer) { client, _ in
            #expect(await client.outcome() == #"200 "whole""#)
        }
    }

    // MARK: Silence

    @Test func silentPeerEndsInTheIdleTimeout() async throws {
        let time = ManualTime()
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, _ in
            let call = Task { await expectFailure(.idleTimeout) { try await client.get("/").data() } }
            await asked.wait()
            await time.advance(by: .seconds(61), in: client)
            _ = await call.value
        }
    }

    @Test func keepAliveFindsThePeerThatIsGone() async throws {
        let time = ManualTime()
        let asked = TestSignal()
        let pinged = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            while true {
                let frame = try await connection.readFrame()
                if frame.kind == .ping { break }
            }
            pinged.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(
            peer,
            client: {
                $0.time = time.source
                $0.http2.keepAliveInterval = .seconds(10)
                $0.http2.keepAliveTimeout = .seconds(5)
            }
        ) { client, _ in
            let call = Task {
                await expectFailure(.connectionClosed) {
                    try await client.post("/", data: Data("x".utf8)).data()
                }
            }
            await asked.wait()
            await time.advance(by: .seconds(11), in: client)
            await pinged.wait()
            await time.advance(by: .seconds(6), in: client)
            let error = await call.value
            #expect(error?.message.contains("PING") == true)
        }
    }

    @Test func connectionThatWasSilentForLongIsAskedFirst() async throws {
        let time = ManualTime()
        let peer = Peer.http2 { connection in
            try await connection.answerHTTP2(count: 1, "one")
            var kinds: [HTTP2Frame.Kind?] = []
            while kinds.last != .ping {
                let frame = try await connection.readFrame()
                kinds.append(frame.kind)
                if frame.kind == .ping { try await connection.send(.ping(frame.payload, isAnswer: true)) }
            }
            #expect(!kinds.contains(.headers))
            try await connection.answerHTTP2 { _ in "two" }
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, server in
            try await client.expectText("one")
            await time.advance(by: .seconds(20), in: client)
            try await client.expectText("two")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func connectionThatDoesNotAnswerIsReplacedWithoutHavingCarriedTheCall() async throws {
        let time = ManualTime()
        let pinged = TestSignal()
        let peer = Peer.http2 { connection in
            guard connection.number == 0 else { return try await connection.answerHTTP2 { _ in "two" } }
            try await connection.answerHTTP2(count: 1, "one")
            while try await connection.readFrame().kind != .ping {}
            pinged.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer, client: { $0.time = time.source }) { client, server in
            try await client.expectText("one")
            await time.advance(by: .seconds(20), in: client)
            let call = Task { try await client.post("/", data: Data("x".utf8)).string() }
            await pinged.wait()
            await time.advance(by: .seconds(3), in: client)
            let two = try await call.value
            #expect(two == "two")
            #expect(server.connectionCount == 2)
            #expect(server.requests.count == 2)
        }
    }

    // MARK: Limits and floods (hostile peers, row 8)

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
        ("PING", .ping()), ("SETTINGS", .settings()), ("empty DATA", .data(1, "")),
        ("RST_STREAM of a stream that is gone", .reset(1, code: 8)),
        ("PRIORITY", HTTP2Frame(.priority, stream: 1, payload: [0, 0, 0, 0, 1])),
    ]

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

    // MARK: Shutdown

    @Test func shutdownLetsCallsFinish() async throws {
        let asked = TestSignal()
        let answer = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            await answer.wait()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "late", ends: true))
            let last = try await connection.readFrame(.goAway)
            #expect(last.errorCode == 0)
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let call = Task { try await client.get("/").string() }
            await asked.wait()
            let end = Task { await client.shutdown(drain: .seconds(10)) }
            answer.fire()
            let late = try await call.value
            #expect(late == "late")
            await end.value
            await expectFailure(.clientShutDown) { try await client.get("/").data() }
        }
    }

    @Test func shutdownEndsCallsThatDoNotFinish() async throws {
        let asked = TestSignal()
        let peer = Peer.http2 { connection in
            try await connection.readHTTP2Request()
            asked.fire()
            try await connection.waitForClose()
        }
        try await withHTTP2Peer(peer) { client, _ in
            let call = Task { await expectFailure(.clientShutDown) { try await client.get("/").data() } }
            await asked.wait()
            await client.shutdown()
            _ = await call.value
        }
    }
}
