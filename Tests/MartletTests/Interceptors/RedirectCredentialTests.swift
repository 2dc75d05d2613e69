// Rows 33, 36 and 41 of the hostile peers: what is bound to an origin stays there. Two servers record what reaches them.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite("Rows 33, 36, 41, 57: redirects and secrets", .timeLimit(.minutes(5))) struct RedirectCredentialTests {
    static let canary = "canary0secret"

    /// All places in which a caller may put a secret, with the secret in each.
    private static func loaded(_ call: Call) -> Call {
        call.header("Authorization", "Bearer \(canary)").header("Proxy-Authorization", "Basic \(canary)")
            .header("Cookie", "session=\(canary)").header("X-Api-Key", canary).header("Referer", "https://a/\(canary)")
            .header("Origin", "https://\(canary).example").header("X-Amz-Security-Token", canary)
            .header("Signature", canary).header("Idempotency-Key", canary).header("Host", "\(canary).example")
            .header("If-None-Match", "\"\(canary)\"").header("X-Forwarded-For", canary)
            .query("key", canary)
            .options { $0.trailers = { ["X-Trailer": canary] } }
    }

    private static func client(_ configuration: inout ClientConfiguration) {
        configuration.defaults.headers = ["X-Default-Secret": canary]
        configuration.defaults.interceptors = [.adapt { $0.headers["X-Intercepted"] = canary }]
        configuration.defaults.retry = .idempotent
        configuration.defaults.retry.backoff = .none
    }

    private static func text(_ requests: [RecordedRequest]) -> String {
        requests.map { request in
            request.headText + String(decoding: request.rawBody, as: UTF8.self)
                + request.trailers.map(\.description).joined()
        }.joined(separator: "\n")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func nothingThatTheCallerSetReachesAnotherOrigin(status: Int) async throws {
        let other = try await TestServer.serve { _ in .text("there") }
        let place = other.url("/there")
        let peer = Peer.answers { _ in .text("moved", status: status, headers: ["Location": place]) }
        try await withPeer(peer, client: Self.client) { client, server in
            var call = Self.loaded(client.post("/here")).header("Accept", "text/plain")
            call = call.body(data: Data("content".utf8), contentType: "text/plain")
            let response = try await call.response()
            #expect(response.status == 200)
            #expect(Self.text(server.requests).contains(Self.canary))
            let received = Self.text(other.requests)
            #expect(!received.contains(Self.canary), "\(received)")
            #expect(other.requests.first?["Accept"] == "text/plain")
            #expect(other.requests.first?["User-Agent"]?.hasPrefix("Martlet/") == true)
            #expect(other.requests.first?["Content-Type"] == (status >= 307 ? "text/plain" : nil))
            #expect(other.requests.first?.bodyText == (status >= 307 ? "content" : ""))
            #expect(other.requests.first?["Referer"] == nil)
            #expect(!"\(response.redirects)".contains(Self.canary))
        }
        await other.stop()
    }

    @Test func theHostIsThatOfTheHop() async throws {
        let other = try await TestServer.serve { _ in .text("there") }
        let place = other.url("/there")
        let peer = Peer.answers { request in
            switch request.path {
            case "/here": .text("", status: 302, headers: ["Location": "/still"])
            default: .text("", status: 302, headers: ["Location": place])
            }
        }
        try await withPeer(peer) { client, server in
            _ = try await client.get("/here").header("Host", "own.example").response()
            #expect(server.requests.map { $0["Host"] } == ["own.example", "own.example"])
            #expect(other.requests.map { $0["Host"] } == ["127.0.0.1:\(other.port)"])
        }
        await other.stop()
    }

    /// A → B → A: what was dropped on the way to B is not given back.
    @Test func whatWasDroppedStaysDroppedWhenARedirectReturns() async throws {
        let other = try await TestServer.serve { request in
            .text("", status: 302, headers: ["Location": request.query ?? ""])
        }
        let away = other.url("/")
        let peer = Peer.answers { request in
            request.path == "/here"
                ? .text("", status: 302, headers: ["Location": "\(away)?http://\(request["X-Address"] ?? "")/back"])
                : .text("back")
        }
        try await withPeer(peer, client: Self.client) { client, server in
            let address = server.baseURL.replacing("http://", with: "")
            let call = Self.loaded(client.get("/here")).header("Host", nil).header("X-Address", address)
                .options { $0.trailers = nil }
            let response = try await call.response()
            #expect(response.status == 200)
            #expect(server.requests.map(\.path) == ["/here", "/back"])
            #expect(!Self.text(server.requests.suffix(1)).contains(Self.canary))
            #expect(!Self.text(other.requests).contains(Self.canary))
        }
        await other.stop()
    }

    /// Scheme, host and port: each alone makes another origin.
    @Test(arguments: [
        "https://api.example.com:8443/b", "https://www.example.com/b", "https://example.com/b",
        "https://api.example.com.evil.example/b", "http://api.example.com/b", "https://api.example.com:80/b",
    ])
    func eachPartOfTheOriginCounts(place: String) async throws {
        let transport = MockTransport(answers: [.redirect(to: place), .ok])
        var policy = RedirectPolicy.follow
        policy.allowsDowngrade = true
        let client = MartletClient.mocked(transport) { $0.defaults.redirects = policy }
        _ = try await client.get("/a").header("Authorization", Self.canary).response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == [Self.canary, nil])
    }

    @Test(arguments: ["/b", "//api.example.com/b", "https://API.example.com:443/b"])
    func theSameOriginKeepsThem(place: String) async throws {
        let transport = MockTransport(answers: [.redirect(to: place), .ok])
        _ = try await MartletClient.mocked(transport).get("/a").header("Authorization", Self.canary).response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == [Self.canary, Self.canary])
    }

    @Test func aDecisionThatLeavesTheOriginTakesNothingAlongButWhatItSetsItself() async throws {
        let transport = MockTransport(answers: [.redirect(to: "/b"), .ok])
        let policy = RedirectPolicy.deciding { redirect in
            var next = redirect.next
            next.url = try RequestURL("https://other.example/b")
            next.headers["X-New"] = "new"
            next.headers["X-Changed"] = "new"
            return next
        }
        _ = try await MartletClient.mocked(transport).get("/a").redirects(policy)
            .header("Authorization", Self.canary).header("X-Changed", Self.canary).response()
        let last = try #require(transport.requests.last)
        #expect(last.headers["Authorization"] == nil)
        #expect(last.headers["X-New"] == "new")
        #expect(last.headers["X-Changed"] == "new")
    }

    /// Every error that a redirect can end with, and the errors of the hop after it.
    @Test(arguments: [
        "https://u:canary0secret@other.example/", "file:///canary0secret",
        "http://api.example.com/canary0secret?canary0secret",
        "https://other.example/?key=canary0secret",
    ])
    func noErrorTellsASecret(place: String) async throws {
        let transport = MockTransport(answers: [
            .redirect(to: place), .failure(MartletError(.connectionClosed, "Closed.")),
        ])
        let client = MartletClient.mocked(transport, Self.client)
        do {
            _ = try await Self.loaded(client.get("/a")).retry(.never).response()
            Issue.record("The call succeeds")
        } catch let error as MartletError {
            let texts = ["\(error)", error.debugDescription, error.localizedDescription, "\(error.redirects)"]
            for text in texts { #expect(!text.contains(Self.canary), "\(text)") }
        }
    }
}
#endif
