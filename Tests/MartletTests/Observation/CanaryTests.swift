// A secret in every place where one may be configured is in none of the texts that the library makes.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct CanaryTests {
    private static let canary = "CANARY-5ecret"

    /// Everything that printing a value can bring about.
    private static func texts(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(describing: value), String(reflecting: value), dumped]
    }

    private static func expectSilent(_ value: some Any, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in texts(value) {
            #expect(!text.contains(canary), "\(text.prefix(600))", sourceLocation: sourceLocation)
        }
    }

    private static let fields = [
        "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "X-Acme-Secret", "Api-Key",
        "X-Amz-Security-Token", "X-Goog-Api-Key", "X-Session-Token",
    ]

    private static var configuration: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = "https://api.example.com/v1?base=\(canary)"
        for name in fields { configuration.defaults.headers[name] = "Bearer \(canary)" }
        return configuration
    }

    private static func call(_ client: MartletClient) -> Call {
        var call = client.post(
            "/login?token=\(canary)&\(canary)#\(canary)", data: Data(#"{"password":"\#(canary)"}"#.utf8)
        )
        .query("password", canary)
        for name in fields { call = call.header(name, canary) }
        return call.header("Content-Type", "application/json").header("Referer", "https://h/?t=\(canary)")
    }

    @Test func valuesPrintNone() throws {
        let client = MartletClient(Self.configuration)
        let call = Self.call(client)
        let request = try call.makeRequest()
        Self.expectSilent(client)
        Self.expectSilent(Self.configuration)
        Self.expectSilent(Self.configuration.defaults)
        Self.expectSilent(call)
        Self.expectSilent(call.chunks)
        Self.expectSilent(request)
        Self.expectSilent([request.headers])
        Self.expectSilent(request.body)
        Self.expectSilent(["url": request])
        Self.expectSilent(try call.curlCommand())
        Self.expectSilent(request.summary)
    }

    @Test(arguments: ["https://user:\(canary)@h/", "https://user:a/\(canary)@h/", "https://\(canary)@h/"])
    func userInformationIsInNoText(url: String) async throws {
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = url
        for client in [MartletClient(configuration), MartletClient()] {
            let call = client.get(url)
            Self.expectSilent(client)
            Self.expectSilent(call)
            let error = await expectFailure(.invalidURL) { try await call.data() }
            Self.expectSilent(try #require(error))
        }
        Self.expectSilent(configuration)
        Self.expectSilent(HTTPHeaders([.init("Location", url)]))
    }

    @Test func callsTellNone() async throws {
        let lines = Trail()
        let inspector = Inspector()
        let collector = MetricsCollector()
        let moved = "https://other.example/x?token=\(Self.canary)#\(Self.canary)"
        let transport = MockTransport { request in
            if request.url.origin.description.contains("other") { return .status(418) }
            return request.index == 0
                ? .status(503).header("Set-Cookie", "s=\(Self.canary)")
                : .redirect(to: moved, status: 307).header("Set-Cookie", "s=\(Self.canary)")
        }
        let client = MartletClient.mocked(transport) {
            $0.defaults = Self.configuration.defaults
            $0.defaults.retry = .idempotent
            $0.defaults.observers = [
                inspector, collector, ConsoleLogger(.trace, to: { lines.add($0) }),
                ConsoleLogger(to: { lines.add($0) }),
            ]
        }
        let call = Self.call(client).idempotencyKey("k")
        let response = try await call.response()
        #expect(response.attempts.count == 1)
        #expect(response.redirects.count == 1)
        Self.expectSilent(response)
        Self.expectSilent(response.head)
        Self.expectSilent(response.attempts)
        Self.expectSilent(response.redirects)
        let error = await expectFailure(.unacceptableStatus) { try await call.data() }
        Self.expectSilent(try #require(error))
        _ = try await inspector.words(calls: 2)
        #expect(inspector.events.count > 20)
        Self.expectSilent(inspector.events)
        for event in inspector.events {
            Self.expectSilent(event)
            Self.expectSilent(event.kind)
            Self.expectSilent(event.call)
        }
        #expect(lines.steps.count > 40)
        Self.expectSilent(lines.steps)
        Self.expectSilent(collector.prometheusText())
        Self.expectSilent(collector.snapshot())
    }

    @Test func broken() async throws {
        let transport = MockTransport { _ in .redirect(to: "ftp://u:\(Self.canary)@h/?t=\(Self.canary)") }
        let client = MartletClient.mocked(transport)
        let error = await expectFailure(.invalidRedirect) { try await client.get("/").data() }
        Self.expectSilent(try #require(error))
    }
}
