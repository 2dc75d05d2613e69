// Rows 42, 43 and 45 of the hostile peers, where the hostile part is a value that a caller passes on: nothing of it may end a
// line early, frame the message otherwise, or lead away from the base URL; and no byte is sent. RFC 9112, section 11.1.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Rows 42, 43 and 45: what callers pass on", .timeLimit(.minutes(5))) struct RequestInjectionTests {
    static let breaks = ["\r\n", "\r", "\n", "\0", "\u{7F}", "\u{1}"]

    private func expectRefusal(
        _ code: MartletError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ call: (MartletClient, TestServer) -> Call
    ) async throws {
        try await withPeer(.answers { _ in .ok }, sourceLocation: sourceLocation) { client, server in
            let error = await expectFailure(code, sourceLocation: sourceLocation) {
                try await call(client, server).data()
            }
            #expect(error?.mayHaveReachedServer == false, sourceLocation: sourceLocation)
            #expect(server.connectionCount == 0, sourceLocation: sourceLocation)
            let text = error.map { "\($0) \($0.debugDescription) \($0.localizedDescription)" } ?? ""
            #expect(!text.contains("Injected"), sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: breaks) func row42ABreakInAHeaderValueIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidRequest) { client, _ in client.get("/").header("A", "b\(text)Injected: c") }
    }

    @Test(arguments: breaks + [" ", ":", "é", ""]) func row42ABreakInAHeaderNameIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidRequest) { client, _ in
            client.get("/").header(text.isEmpty ? "" : "A\(text)Injected", "b")
        }
    }

    @Test(arguments: breaks + [" ", "é", ""]) func row42ABreakInAMethodIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidRequest) { client, _ in
            client.request(HTTPMethod(rawValue: text.isEmpty ? "" : "GET\(text)Injected"), "/")
        }
    }

    @Test(arguments: breaks) func row42ABreakInAPathIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidURL) { client, _ in client.get("/a\(text)Injected: c") }
    }

    @Test(arguments: breaks) func row42ABreakInAnAbsoluteURLIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidURL) { client, server in client.get("\(server.baseURL)/a\(text)Injected: c") }
        try await expectRefusal(.invalidURL) { client, server in
            client.get("http://127.0.0.1\(text):\(server.port)/Injected")
        }
    }

    @Test(arguments: breaks) func row42ABreakInAQueryItemIsEncoded(_ text: String) async throws {
        try await withPeer(.answers { .text($0.target) }) { client, server in
            let target = try await client.get("/").query("a", "b\(text)Injected: c").string()
            #expect(target.hasPrefix("/?a=b%"))
            #expect(server.requests.first?["Injected"] == nil)
            #expect(server.requests.first?.queryItems.first?.value == "b\(text)Injected: c")
        }
    }

    @Test(arguments: breaks) func row42ABreakInAHostFieldIsRefused(_ text: String) async throws {
        try await expectRefusal(.invalidRequest) { client, _ in client.get("/").header("Host", "a\(text)Injected: c") }
    }

    @Test(arguments: [
        ("Content-Length", "1"), ("Content-Length", "0, 0"), ("Content-Length", "+0"), ("Transfer-Encoding", "chunked"),
        ("transfer-encoding", "identity"), ("Connection", "close"), ("Connection", "Authorization"),
        ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "keep-alive"), ("Upgrade", "websocket"), ("TE", "gzip"),
        ("Expect", "100-continue"), ("Host", ""), ("Host", "a b"),
    ]) func row43AFramingFieldOfTheCallersIsRefused(_ name: String, _ value: String) async throws {
        try await expectRefusal(.invalidRequest) { client, _ in client.get("/").header(name, value) }
    }

    @Test func row43ALengthThatIsWrongIsRefusedAndOneThatIsRightIsSentOnce() async throws {
        let body = Data("body".utf8)
        try await expectRefusal(.invalidRequest) { client, _ in
            client.post("/", data: body).header("Content-Length", "5")
        }
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.post("/", data: body).header("Content-Length", "4").discard()
            #expect(server.requests.first?.values(for: "Content-Length") == ["4"])
        }
    }

    @Test func row43TwoHostsAreRefused() async throws {
        try await expectRefusal(.invalidRequest) { client, _ in
            client.get("/").headers([HTTPHeaders.Field("Host", "a"), HTTPHeaders.Field("Host", "b")])
        }
    }

    @Test func row43OneHostOfTheCallersReplacesTheURLs() async throws {
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.get("/").header("Host", "example.com").discard()
            #expect(server.requests.first?.values(for: "Host") == ["example.com"])
        }
    }

    @Test(arguments: [
        "http://evil.example/x", "https://127.0.0.1/x", "//evil.example/x", "HTTP://evil.example/", "///evil.example/x",
        "\\\\evil.example/x", "/\\evil.example/x", "http:evil.example", "http:/evil.example", "http://evil@127.0.0.1/",
        "ftp://127.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "unix:///run/docker.sock", "data:,x",
        " //evil.example/x", "\t//evil.example",
    ]) func row45AURLThatLeavesTheBaseIsRefused(_ url: String) async throws {
        try await expectRefusal(.invalidURL) { client, _ in client.get(url) }
    }

    @Test func row45TheBasesOwnOriginMayBeNamed() async throws {
        try await withPeer(.answers { .text($0.target) }) { client, server in
            try await client.expectText("/x", at: "\(server.baseURL)/x")
            try await client.expectText("/x", at: "//127.0.0.1:\(server.port)/x")
        }
    }

    @Test func row45AnotherPortIsAnotherOrigin() async throws {
        try await expectRefusal(.invalidURL) { client, server in
            client.get("http://127.0.0.1:\(server.port == 65_535 ? 1 : server.port + 1)/x")
        }
    }

    @Test(arguments: [("../../x", "/x"), ("/../x", "/x"), ("a/../../x", "/x"), ("x:y", "/x:y"), ("./x:y", "/x:y")])
    func row45DotSegmentsStayOnTheServer(_ path: String, _ target: String) async throws {
        try await withPeer(.answers { .text($0.target) }) { client, _ in
            if path == "x:y" {
                // Reads as the scheme "x": refused rather than guessed.
                await expectFailure(.invalidURL) { try await client.get(path).data() }
            } else {
                try await client.expectText(target, at: path)
            }
        }
    }
}
