// What an observer is told of a call, event by event, over both versions of HTTP: each once, in order, and nothing after the end.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Client events", .timeLimit(.minutes(5))) struct ClientEventTests {
    /// The events of one attempt on a new connection.
    private static func attempt(
        _ number: Int, _ path: String, _ status: Int, _ body: Int, connection: [String]
    ) -> [String] {
        let events =
            ["attempt \(path)"] + connection + [
                "head sent", "head \(status)", "body \(body)", "over \(HTTPStatus(status))",
            ]
        return events.map { "\(number) \($0)" }
    }

    private static func fresh(_ wire: Wire) -> [String] {
        wire == .http2TLS ? ["connecting", "handshaking", "connected"] : ["connecting", "connected"]
    }

    @Test(arguments: Wire.allCases) func plainGet(_ wire: Wire) async throws {
        let inspector = Inspector()
        try await withPeer(.answers { _ in .text("four") }, over: wire) {
            $0.defaults.observers = [inspector]
        } run: { client, _ in
            try await client.expectText("four")
            let words = try await inspector.words()
            let own = words.filter { $0 != "1 progress" }
            #expect(own == ["call"] + Self.attempt(1, "/", 200, 4, connection: Self.fresh(wire)) + ["end 200 OK"])
            try await client.expectText("four")
            let later = try await inspector.words(calls: 2).dropFirst(words.count).filter { $0 != "1 progress" }
            #expect(later == ["call"] + Self.attempt(1, "/", 200, 4, connection: ["reused"]) + ["end 200 OK"])
        }
    }

    @Test(arguments: [Wire.http1, .http2]) func retriedGet(_ wire: Wire) async throws {
        let inspector = Inspector()
        let count = Lock(0)
        try await withPeer(
            .answers { _ in
                let number = count.withLock {
                    $0 += 1
                    return $0
                }
                return number == 1 ? .text("busy", status: 503) : .text("done")
            }, over: wire
        ) {
            $0.defaults.observers = [inspector]
            $0.clock = TestClock(advancesItself: true)
        } run: { client, _ in
            let text = try await client.get("/").retry(.idempotent).string()
            #expect(text == "done")
            let words = try await inspector.words().filter { !$0.hasSuffix("progress") }
            #expect(
                words == ["call"] + Self.attempt(1, "/", 503, 4, connection: Self.fresh(wire))
                    + ["retry 503 Service Unavailable"] + Self.attempt(2, "/", 200, 4, connection: ["reused"])
                    + ["end 200 OK"])
        }
    }

    @Test(arguments: [Wire.http1, .http2]) func redirectedGet(_ wire: Wire) async throws {
        let inspector = Inspector()
        try await withPeer(
            .answers { request in
                request.path == "/old" ? .redirect(to: "/new", status: 302) : .text("new")
            }, over: wire
        ) {
            $0.defaults.observers = [inspector]
        } run: { client, _ in
            try await client.expectText("new", at: "/old")
            let words = try await inspector.words().filter { !$0.hasSuffix("progress") }
            #expect(
                words == ["call"] + Self.attempt(1, "/old", 302, 0, connection: Self.fresh(wire))
                    + ["redirect 302 /new"] + Self.attempt(2, "/new", 200, 3, connection: ["reused"]) + ["end 200 OK"])
        }
    }

    @Test(arguments: [Wire.http1, .http2]) func cancelledGet(_ wire: Wire) async throws {
        let inspector = Inspector()
        let arrived = TestSignal()
        try await withPeer(
            .answers { _ in
                arrived.fire()
                try await TestSignal().wait(timeout: .seconds(60))
                return .text("never")
            }, over: wire
        ) {
            $0.defaults.observers = [inspector]
        } run: { client, _ in
            let call = Task { try await client.get("/").data() }
            try await arrived.wait(timeout: .seconds(60))
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            let words = try await inspector.words()
            #expect(
                words == ["call", "1 attempt /"] + Self.fresh(wire).map { "1 \($0)" } + [
                    "1 head sent", "1 over cancelled", "end cancelled",
                ])
        }
    }

    @Test func failedGet() async throws {
        let inspector = Inspector()
        var options = TestServer.Options()
        options.listens = false
        try await withPeer(
            .answers { _ in .text("") }, server: options, client: { $0.defaults.observers = [inspector] }
        ) { client, _ in
            await expectFailure(.connectionRefused) { try await client.get("/").retry(.idempotent.attempts(1)).data() }
            let words = try await inspector.words()
            #expect(
                words == [
                    "call", "1 attempt /", "1 connecting", "1 over failed: connectionRefused",
                    "no retry connectionRefused attempts", "end failed: connectionRefused",
                ])
        }
    }

    @Test(arguments: [Wire.http1, .http2]) func bodiesAreToldBothWays(_ wire: Wire) async throws {
        let inspector = Inspector(.transfers)
        let size = 3 << 20
        try await withPeer(.answers { .data(Data($0.body.reversed())) }, over: wire) {
            $0.defaults.observers = [inspector, Inspector(.calls)]
        } run: { client, _ in
            let body = try await client.post("/", data: Data(count: size)).data()
            #expect(body.count == size)
            let words = inspector.events.map(\.word)
            #expect(words.first == "1 head sent")
            #expect(words.last == "1 body \(size)")
            #expect(words.contains("1 body sent \(size)"))
            #expect(words.contains("1 progress"))
            #expect(words.count { $0 == "1 head 200" } == 1)
            let sent = inspector.events.compactMap { event in
                if case .requestBodyProgress(let sent) = event.kind { sent } else { nil }
            }
            #expect(sent == sent.sorted())
            #expect(sent.allSatisfy { $0 < size })
        }
    }

    @Test(arguments: [Wire.http1, .http2]) func abandonedBodyEndsTheCall(_ wire: Wire) async throws {
        let inspector = Inspector([.calls, .attempts])
        try await withPeer(.answers { _ in .data(Data(count: 8 << 20)) }, over: wire) {
            $0.defaults.observers = [inspector]
        } run: { client, _ in
            for try await _ in client.get("/").chunks { break }
            let words = try await inspector.words()
            #expect(words == ["call", "1 attempt /", "1 over abandoned", "end abandoned"])
        }
    }

    @Test func brokenBodyFailsTheCall() async throws {
        let inspector = Inspector([.calls, .attempts])
        try await withPeer(
            .script(.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfour"), .close),
            client: { $0.defaults.observers = [inspector] }
        ) { client, _ in
            await expectFailure(.bodyTruncated) { try await client.get("/").data() }
            let words = try await inspector.words()
            #expect(words == ["call", "1 attempt /", "1 over failed: bodyTruncated", "end failed: bodyTruncated"])
        }
    }

    @Test func staleConnectionIsRecoveredAndTold() async throws {
        let inspector = Inspector([.calls, .attempts, .decisions])
        try await withPeer(
            .scripts(
                [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .readRequest, .close],
                [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .waitForClose])
        ) { client, _ in
            try await client.get("/").discard()
            try await client.get("/").observing(inspector).discard()
            let words = try await inspector.words()
            #expect(
                words == [
                    "call", "1 attempt /", "1 over failed: connectionClosed", "recover connectionClosed", "2 attempt /",
                    "2 over 200 OK", "end 200 OK",
                ])
        }
    }

    @Test func layersAreEnteredAndLeft() async throws {
        let inspector = Inspector([.calls, .layers])
        let client = MartletClient.mocked(MockTransport(answers: [.text("a")])) {
            $0.defaults.observers = [inspector]
            $0.defaults.interceptors = [.adapt { $0.headers["A"] = "b" }]
        }
        try await client.expectText("a")
        let words = try await inspector.words()
        #expect(words == ["call", "enter", "leave", "end 200 OK"])
    }

    @Test func otherTransportsAreToldOfToo() async throws {
        let inspector = Inspector()
        let client = MartletClient.mocked(MockTransport(answers: [.text("four")])) {
            $0.defaults.observers = [inspector]
        }
        try await client.expectText("four")
        let words = try await inspector.words()
        #expect(
            words == ["call", "1 attempt /", "1 head 200", "1 progress", "1 body 4", "1 over 200 OK", "end 200 OK"])
    }

    @Test func budgetAndRefusedRedirectAreTold() async throws {
        let inspector = Inspector([.calls, .decisions])
        let client = MartletClient.mocked(MockTransport(answers: [.status(503)])) {
            $0.defaults.observers = [inspector]
            $0.defaults.retry = .idempotent
            $0.defaults.retry.budget = RetryBudget(ratio: 0, perSecond: 0)
        }
        _ = try await client.get("/").response()
        let redirects = MartletClient.mocked(MockTransport(answers: [.redirect(to: "http://other.example/")])) {
            $0.defaults.observers = [inspector]
        }
        await expectFailure(.insecureRedirect) { try await redirects.get("/").response() }
        let words = try await inspector.words(calls: 2)
        #expect(
            words == [
                "call", "no retry 503 Service Unavailable budget", "end 503 Service Unavailable", "call",
                "no redirect 302 insecureRedirect", "end failed: insecureRedirect",
            ])
    }

    @Test func eventsOfManyCallsAreInOrderEach() async throws {
        let inspector = Inspector()
        try await withPeer(.answers { _ in .text("x") }, client: { $0.defaults.observers = [inspector] }) { client, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<200 { group.addTask { try await client.expectText("x") } }
                try await group.waitForAll()
            }
            _ = try await inspector.words(calls: 200)
            let calls = Dictionary(grouping: inspector.events, by: { $0.call.id })
            #expect(calls.count == 200)
            for events in calls.values {
                #expect(events.first?.word == "call")
                #expect(events.last?.word == "end 200 OK")
                #expect(events.count { $0.isEnd } == 1)
                #expect(events.map(\.elapsed) == events.map(\.elapsed).sorted())
            }
        }
    }

    @Test func observersOfClientScopeAndCallAreToldInTurn() async throws {
        let trail = Trail()
        func observer(_ name: String) -> ClosureObserver {
            .events(.calls) { if $0.isEnd { trail.add(name) } }
        }
        let client = MartletClient.mocked(MockTransport(answers: [.text("a")])) {
            $0.defaults.observers = [observer("client")]
        }
        let scoped = client.scoped { $0.observers.append(observer("scope")) }
        try await scoped.get("/").observing(observer("call")).discard()
        #expect(trail.steps == ["client", "scope", "call"])
    }
}
