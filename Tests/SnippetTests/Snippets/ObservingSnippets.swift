import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct ObservingSnippets {
    /// What stands for the backends of the documents' reader.
    final class Kept: Sendable {
        private let lines = AsyncStream<String>.makeStream()

        func add(_ line: String) { lines.continuation.yield(line) }

        func all() async -> [String] {
            lines.continuation.finish()
            return await lines.stream.reduce(into: []) { $0.append($1) }
        }
    }

    struct Logger: Sendable {
        let kept: Kept
        func info(_ line: String) { kept.add(line) }
    }

    struct Timer: Sendable {
        let kept: Kept
        func record(_ time: Duration, _ labels: [String: String]) { kept.add("\(labels)") }
    }

    struct Tracer: Sendable {
        struct Span: Sendable {
            let context: TraceContext
            let kept: Kept
            func end() { kept.add("end") }
        }

        let kept: Kept
        func startSpan(_ name: String, in parent: TraceContext?) -> Span {
            kept.add("start \(name)")
            return Span(context: parent?.child() ?? .root(), kept: kept)
        }
    }

    // snippet
    struct LogForwarder: ClientObserver {
        let logger: Logger
        var topics: ClientEvent.Topics { .calls }

        func observe(_ event: ClientEvent) {
            guard case .callEnded(let outcome, _) = event.kind else { return }
            let url = event.call.url.redactedDescription
            logger.info("\(event.call.method) \(url): \(outcome), \(event.elapsed)")
        }
    }
    // end

    // snippet
    struct MetricsForwarder: ClientObserver {
        let timer: Timer
        var topics: ClientEvent.Topics { .calls }

        func observe(_ event: ClientEvent) {
            guard case .callEnded(let outcome, _) = event.kind else { return }
            timer.record(event.elapsed, ["outcome": ClientMetrics.Outcome(outcome).rawValue])
        }
    }
    // end

    @Test func console() {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.observers = [.console()]
        let client = MartletClient(configuration)
        // end
        _ = client
    }

    @Test func ofACall() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let report = try await client.get("/report").observing(.console(.trace)).json()
            // end
            #expect(report.totals?.pages == 3)
        }
    }

    @Test func closure() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let user: User = try await client.get("/users/1")
                .observing(.events(.decisions) { event in print(event) })
                .json()
            // end
            #expect(user.name == "Ada")
        }
    }

    @Test func backends() async throws {
        let (logged, timed) = (Kept(), Kept())
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await client.get("/status?a=b")
                .observing(LogForwarder(logger: Logger(kept: logged)), MetricsForwarder(timer: Timer(kept: timed)))
                .discard()
            #expect(await logged.all().first?.hasPrefix("GET \(server.url("/status"))?a=<redacted>: 200 OK, ") == true)
            #expect(await timed.all() == [#"["outcome": "2xx"]"#])
        }
    }

    @Test func figures() async throws {
        try await Example.run { server in try await Self.figures(of: MartletClient(baseURL: server.baseURL)) }
    }

    private static func figures(of outer: MartletClient) async throws {
        let client = outer
        do {
            // snippet
            let metrics = MetricsCollector()
            let client = client.scoped { $0.observers = [metrics] }
            _ = try await client.get("/status").data()

            let text = metrics.prometheusText()  // for whoever scrapes
            let slowest = metrics.snapshot().origins.map { $0.latency(.success).percentile(0.99) }
            // end
            #expect(text.contains("martlet_call_duration_seconds_count"))
            #expect(slowest.count == 1)
            #expect(MetricsCollector.prometheusContentType.contains("0.0.4"))
        }
    }

    @Test func traces() {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.attemptInterceptors = [.traceContext()]
        // end
        #expect(configuration.defaults.attemptInterceptors.count == 1)
    }

    @Test func tracer() async throws {
        let kept = Kept()
        try await Example.run { server in
            let client = Self.traced(MartletClient(baseURL: server.baseURL), Tracer(kept: kept))
            try await client.get("/status").discard()
            #expect(await kept.all() == ["start GET", "end"])
            #expect(TraceContext(traceparent: server.requests.first?["traceparent"]) != nil)
        }
    }

    private static func traced(_ outer: MartletClient, _ tracer: Tracer) -> MartletClient {
        let client = outer
        do {
            // snippet
            let client = client.scoped {
                $0.attemptInterceptors = [
                    .interceptor { request, next in
                        let span = tracer.startSpan(request.method.rawValue, in: TraceContext.current)
                        defer { span.end() }
                        return try await TraceContext.$current.withValue(span.context) {
                            try await next(request)
                        }
                    },
                    .traceContext(makesSpans: false),
                ]
            }
            // end
            return client
        }
    }

    @Test func incomingTrace() async throws {
        struct Asked {
            let headers: HTTPHeaders = ["traceparent": "00-\(String(repeating: "a", count: 32))-00000000000000ff-01"]
        }
        let request = Asked()
        @Sendable func handle(_ request: Asked) async throws {
            #expect(TraceContext.current?.spanID == "00000000000000ff")
        }
        // snippet
        let incoming = TraceContext(traceparent: request.headers["traceparent"], state: request.headers["tracestate"])
        try await TraceContext.$current.withValue(incoming) { try await handle(request) }
        // end
    }

    @Test func collector() {
        // snippet
        let metrics = MetricsCollector()
        var configuration = ClientConfiguration()
        configuration.defaults.observers = [metrics]
        // end
        #expect(configuration.defaults.observers.count == 1)
    }

    @Test func redaction() async {
        let printed = await Printed.lines {
            // snippet
            var redaction = Redaction.standard
            redaction.headers.hide("X-Session")
            redaction.queryItems.show("page", "limit")
            print(redaction.url("https://api.example.com/users?page=2&key=s3cret"))
            // end
        }
        #expect(printed == ["https://api.example.com/users?page=2&key=<redacted>"])
    }

    @Test func command() async throws {
        let draft = User(name: "Ada")
        let client = MartletClient(baseURL: "https://api.example.com")
        let printed = try await Printed.lines {
            // snippet
            print(try client.post("/users", json: draft).curlCommand())
            // end
        }
        #expect(printed.first?.hasPrefix("curl --compressed") == true)
    }
}
