// The life of a call: the cases of Alamofire's tests (C122 to C141), in Martlet's shape. A call is a value that is sent when it is
// awaited, so there is no resume, suspend or registration of handlers to get wrong; each case becomes what takes its place.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("The life of a call", .timeLimit(.minutes(5))) struct CallLifecycleTests {
    // C122
    @Test(arguments: ["", "http://", "http:// /", "relative", "http://[::1", "mailto:a@b", "http://a:99999/"])
    func aURLThatCannotBeReadIsThrownAtTheTerminal(_ url: String) async throws {
        let client = MartletClient()
        await expectFailure(.invalidURL) { try await client.get(url).data() }
        await expectFailure(.invalidURL) { try await client.get(url).stream() }
        await expectFailure(.invalidURL) { try await client.get(url).response() }
        await expectFailure(.invalidURL) { for try await _ in client.get(url).chunks {} }
        await expectFailure(.invalidURL) { try await client.post(url, data: Data("x".utf8)).data() }
        await expectFailure(.invalidURL) { try await client.post(url, file: "/etc/hostname").data() }
        await expectFailure(.invalidURL) { try await client.post(url, stream: GatedChunks(["x"])).data() }
        await expectNothingLeft(of: client)
    }

    @Test(arguments: Wire.allCases) func anEmptyURLIsTheBase(_ wire: Wire) async throws {
        try await withPeer(.answers { .text($0.target) }, over: wire) { client, _ in
            try await client.expectText("/", at: "")
        }
    }

    @Test func aBaseThatCannotBeReadIsThrownByEveryCall() async throws {
        let client = MartletClient(baseURL: "nonsense")
        for _ in 0..<2 { await expectFailure(.invalidURL) { try await client.get("/").data() } }
        await expectNothingLeft(of: client)
    }

    // C124
    @Test(arguments: Wire.allCases) func aCallOfACancelledTaskIsNotSent(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .ok }, over: wire) { client, server in
            let call = client.get("/")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await call.data()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.connectionCount == 0)
            // The call itself is a value: another task may send it.
            try await call.discard()
            #expect(server.requests.count == 1)
        }
    }

    // C125, C128
    @Test func cancellingAHundredTimesFromAnywhereCancelsOnce() async throws {
        try await withPeer(.script(.readRequest, .waitForClose)) { client, server in
            let call = Task { try await client.get("/").data() }
            try await server.waitForRequests(1)
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { call.cancel() } }
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(await client.socketTransport?.cancellations().values.reduce(0, +) == 1)
        }
    }

    // C126
    @Test(arguments: Wire.allCases) func aResultThatIsAwaitedAHundredTimesIsSentOnce(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("done") }, over: wire) { client, server in
            let call = Task { try await client.get("/").string() }
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { #expect(await call.result.text == "done") } }
            }
            #expect(server.requests.count == 1)
        }
    }

    // C129
    @Test(arguments: Wire.allCases) func cancellingAfterTheResultLeavesTheSuccess(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("done") }, over: wire) { client, server in
            let task = Task {
                let text = try await client.get("/").string()
                withUnsafeCurrentTask { $0?.cancel() }
                return text
            }
            #expect(await task.result.text == "done")
            let ledger = await client.ledger
            #expect(ledger.exchanges == 0 && ledger.idleConnections == 1)
            #expect(await client.socketTransport?.cancellations().isEmpty == true)
            #expect(server.requests.count == 1)
        }
    }

    // C130, C141
    @Test(arguments: Wire.allCases) func aCallInsideTheLoopOfAnotherWorks(_ wire: Wire) async throws {
        try await withPeer(.answers { .text($0.path) }, over: wire) { client, _ in
            var paths: [String] = []
            for try await outer in client.get("/1").chunks {
                for try await middle in client.get("/2").chunks {
                    for try await inner in client.get("/3").chunks {
                        paths += [outer, middle, inner].map { String(decoding: $0, as: UTF8.self) }
                    }
                }
            }
            #expect(paths == ["/1", "/2", "/3"])
        }
    }

    // C132: Alamofire ends the requests of a session that is released with `sessionDeinitialized`. Martlet differs on purpose:
    // calls under way hold what they need and finish; only `shutdown()` ends them.
    @Test func aHundredCallsOfAClientThatIsReleasedAllFinish() async throws {
        let gate = TestSignal()
        let server = try await TestServer.start(
            script: [.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain])
        var calls: [Task<String, any Error>] = []
        var transport: SocketTransport?
        do {
            let client = MartletClient(baseURL: server.baseURL)
            transport = client.socketTransport
            for index in 0..<100 { calls.append(Task { try await client.get("/\(index)").string() }) }
        }
        try await server.waitForRequests(100)
        gate.fire()
        for call in calls { #expect(await call.result.text == "done") }
        calls = []
        try await server.waitUntilAllClosed()
        // A visit to the loop after the last close: the books were written before it.
        #expect(await transport?.ledger() == .init())
        await server.stop()
    }

    // C133
    @Test func aHundredCallsInAllStagesAreEndedByShutdown() async throws {
        try await withPeer(.script(.readRequest, .waitForClose), client: { $0.pool.connectionsPerHost = 10 }) {
            client, server in
            let calls = (0..<100).map { index in Task { try await client.get("/\(index)").data() } }
            try await server.waitForRequests(10)
            try await client.waitUntil { $0.waiters == 90 }
            await client.shutdown()
            #expect(await client.ledger == .init())
            for call in calls { await expectFailure(.clientShutDown) { try await call.value } }
            #expect(server.requests.count == 10)
        }
    }

    @Test func aHundredCallsAreEndedByTheCancellationOfTheirGroup() async throws {
        try await withPeer(.script(.readRequest, .waitForClose), client: { $0.pool.connectionsPerHost = 10 }) {
            client, server in
            await withTaskGroup { group in
                for index in 0..<100 {
                    group.addTask {
                        await #expect(throws: CancellationError.self) { try await client.get("/\(index)").data() }
                    }
                }
                _ = try? await server.waitForRequests(10)
                group.cancelAll()
            }
            #expect(await client.ledger == .init())
            try await server.waitUntilAllClosed()
        }
    }

    // C134
    @MainActor @Test(arguments: Wire.allCases) func callsWorkFromTheMainActorAndStayThere(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("done") }, over: wire) { client, _ in
            try await client.expectText("done")
            for try await _ in client.get("/").chunks { MainActor.assertIsolated() }
        }
    }

    @Test(arguments: Wire.allCases) func callsWorkFromTheLoopsOwnExecutor(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .data(Data(repeating: 0x61, count: 1 << 20)) }, over: wire) { client, _ in
            try await withTaskExecutorPreference(client.executor) {
                let data = try await client.get("/").data()
                #expect(data.count == 1 << 20)
                var received = 0
                for try await chunk in client.get("/").chunks { received += chunk.count }
                #expect(received == 1 << 20)
            }
        }
    }

    // C136
    @Test func theMetricsOfAFinishedCallAreComplete() async throws {
        try await withPeer(.answers { .text("answer to \($0.body.count)") }) { client, server in
            let response = try await client.post("/", data: Data(repeating: 0x61, count: 1_000)).response()
            let metrics = response.metrics
            #expect(metrics.bodyBytesSent == 1_000)
            #expect(metrics.bodyBytesReceived == "answer to 1000".utf8.count)
            #expect(metrics.bytesSent == 1_000 + (server.requests.first?.rawHead.count ?? 0))
            #expect(metrics.bytesReceived > metrics.bodyBytesReceived)
            #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(metrics.localAddress?.hasPrefix("127.0.0.1:") == true)
            #expect(metrics.protocolName == "http/1.1")
            let sent = try #require(metrics.requestSent)
            let total = try #require(metrics.total)
            #expect(sent <= metrics.firstByte && metrics.firstByte <= total)
        }
    }

    // C137: Alamofire loads `file://` URLs. Martlet differs on purpose: it speaks http and https, and a URL from elsewhere must not
    // be able to read files.
    @Test(arguments: ["file:///etc/hostname", "FILE:///etc/hostname", "data:text/plain,x", "ftp://127.0.0.1/"])
    func aURLOfAnotherSchemeIsRefused(_ url: String) async throws {
        let client = MartletClient()
        let error = await expectFailure(.invalidURL) { try await client.get(url).data() }
        #expect(error?.mayHaveReachedServer == false)
        await expectNothingLeft(of: client)
    }

    // C138
    @Test func aRequestDescribesItselfWithoutItsSecrets() async throws {
        let client = MartletClient(baseURL: "https://api.example.com")
        let request = try client.get("/users").query("token", "secret").makeRequest()
        #expect("\(request)" == "GET https://api.example.com/users?token=<redacted>")
        await expectNothingLeft(of: client)
    }

    // C140
    @Test(arguments: Wire.allCases) func aBodyThatCannotBeEncodedEndsTheCallBeforeItConnects(_ wire: Wire) async throws
    {
        try await withPeer(.answers { _ in .ok }, over: wire) { client, server in
            let error = await expectFailure(.encodingFailed) { try await client.post("/", json: Double.nan).data() }
            #expect(error?.underlying is EncodingError)
            #expect(server.connectionCount == 0)
        }
    }

    // C085: Alamofire takes an empty body for an error unless the status is 204 or 205. Martlet differs on purpose: no bytes are
    // `Data()` and "", and only a type that has no empty form fails.
    @Test(arguments: Wire.allCases) func anEmptyBodyIsEmptyDataAndAnEmptyString(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .ok }, over: wire) { client, _ in
            let data = try await client.get("/").data()
            #expect(data.isEmpty)
            let text = try await client.get("/").string()
            #expect(text.isEmpty)
            await expectFailure(.emptyBody) { try await client.get("/").json(as: [Int].self) }
        }
    }

    // C094: Alamofire reads text without a charset as ISO-8859-1. Martlet differs on purpose: as UTF-8, which the web is written in.
    @Test(
        arguments: [
            ("text/plain", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
            ("image/jpeg; charset=utf-8", [0x63, 0x61, 0x66, 0xC3, 0xA9]),
            ("text/plain; charset=iso-8859-1", [0x63, 0x61, 0x66, 0xE9]),
        ] as [(String, [UInt8])])
    func textIsReadInItsCharsetAndElseInUTF8(_ type: String, _ bytes: [UInt8]) async throws {
        try await withPeer(.answers { _ in .data(Data(bytes), type: type) }) { client, _ in
            try await client.expectText("caf\u{E9}")
        }
    }

    @Test(arguments: Wire.allCases) func textThatIsNotInItsCharsetIsAnError(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .data(Data([0x63, 0xE9]), type: "text/plain") }, over: wire) { client, _ in
            let error = await expectFailure(.decodingFailed) { try await client.get("/").string() }
            #expect(error?.response?.bodyPrefix == Data([0x63, 0xE9]))
        }
    }
}
