// Credentials on requests: where they go, where they never go, and what becomes of a refusal.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct AuthenticationTests {
    private static let home = "https://api.example.com"

    private func client(_ transport: MockTransport, _ change: (inout ClientConfiguration) -> Void = { _ in })
        -> MartletClient
    {
        MartletClient.mocked(transport, change)
    }

    // MARK: What is sent

    @Test(arguments: [
        ("user", "password", "dXNlcjpwYXNzd29yZA=="), ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123£", "dGVzdDoxMjPCow=="), ("", "", "Og=="), ("a", "b:c", "YTpiOmM="),
    ])
    func basicIsUTF8InBase64(user: String, password: String, expected: String) async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport).authenticated(by: .basic(user: user, password: Secret(password)))
        _ = try await client.get("/").response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Basic \(expected)"])
    }

    @Test(arguments: [("a:b", "c"), ("a", "b\r\nX: y"), ("a\u{0}", "b"), ("a", "\u{7F}")])
    func whatBasicCannotSayEndsTheCall(user: String, password: String) async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport).authenticated(by: .basic(user: user, password: Secret(password)))
        let error = await expectFailure(.invalidRequest) { try await client.get("/").response() }
        #expect(transport.requests.isEmpty)
        #expect(error.map { !"\($0)".contains("X: y") } == true)
    }

    @Test func bearerAndKeysAreSent() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport)
        _ = try await client.authenticated(by: .bearer("abc")).get("/").response()
        _ = try await client.authenticated(by: .apiKey("k", header: "X-Key")).get("/").response()
        let response = try await client.authenticated(by: .apiKey("k&=", query: "key")).get("/?a=1").response()
        #expect(transport.requests[0].headers["Authorization"] == "Bearer abc")
        #expect(transport.requests[1].headers["X-Key"] == "k")
        #expect(transport.requests[2].url.query == "a=1&key=k%26%3D")
        #expect(response.url.query == "a=1")
    }

    @Test func theCallersOwnFieldComesBeforeIt() async throws {
        let transport = MockTransport { _ in .status(401) }
        let client = client(transport).authenticated(by: .bearer("abc"))
        _ = try await client.get("/").header("authorization", "Own").response()
        _ = try await client.authenticated(by: .apiKey("k")).get("/").header("x-api-key", "own").response()
        #expect(transport.requests.map { $0.headers.values(for: "Authorization") } == [["Own"], []])
        #expect(transport.requests[1].headers.values(for: "X-Api-Key") == ["own"])
    }

    @Test func aCallsComesBeforeItsClients() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) { $0.defaults.authenticate(by: .bearer("client")) }
        _ = try await client.get("/").response()
        _ = try await client.get("/").authenticated(by: .bearer("call")).response()
        _ = try await client.get("/").unauthenticated().response()
        _ = try await client.scoped { $0.removeAuthentication() }.get("/").response()
        #expect(
            transport.requests.map { $0.headers["Authorization"] } == ["Bearer client", "Bearer call", nil, nil])
    }

    @Test func withoutACredentialNoLayerIsWalked() {
        let client = client(MockTransport { _ in .ok })
        #expect(client.get("/").layers.isBare)
        #expect(!client.authenticated(by: .bearer("a")).get("/").layers.isBare)
        #expect(client.authenticated(by: .bearer("a")).get("/").unauthenticated().layers.isBare)
    }

    // MARK: Where it goes

    @Test func aClientsBelongsToItsBaseURL() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) { $0.defaults.allowsOtherOrigins = true }.authenticated(by: .bearer("abc"))
        for url in [
            "/a", "https://API.example.com:443/b", "https://other.example/", "http://api.example.com/",
            "https://api.example.com:8443/", "https://api.example.com.evil.example/",
        ] {
            _ = try await client.get(url).response()
        }
        #expect(
            transport.requests.map { $0.headers["Authorization"] } == ["Bearer abc", "Bearer abc", nil, nil, nil, nil])
    }

    @Test func anotherBaseURLDoesNotTakeItAlong() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport).authenticated(by: .bearer("abc")).scoped { $0.baseURL = "https://other.example" }
        _ = try await client.get("/").response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func theOrderInAConfigurationDoesNotMatter() async throws {
        let transport = MockTransport { _ in .ok }
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.defaults.authenticate(by: .bearer("abc"))
        configuration.defaults.baseURL = Self.home
        _ = try await MartletClient(configuration).get("/").response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer abc"])
    }

    @Test func withoutABaseURLItsPlaceMustBeSaid() async throws {
        let transport = MockTransport { _ in .ok }
        let client = MartletClient(transport: transport)
        await expectFailure(.invalidRequest) {
            try await client.authenticated(by: .bearer("a")).get("https://api.example.com/").response()
        }
        await expectFailure(.invalidURL) {
            try await client.authenticated(by: .bearer("a"), at: "/x").get("https://api.example.com/").response()
        }
        let bound = client.authenticated(by: .bearer("a"), at: "https://api.example.com/any/path")
            .authenticated(by: .bearer("b"), at: "https://other.example")
        for url in ["https://api.example.com/", "https://other.example/", "https://third.example/"] {
            _ = try await bound.get(url).response()
        }
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer b", nil])
    }

    @Test(arguments: [true, false])
    func aRedirectDoesNotTakeItToAnotherOrigin(isOfTheCall: Bool) async throws {
        let transport = MockTransport(answers: [
            .redirect(to: "/same"), .redirect(to: "https://other.example/"), .redirect(to: "\(Self.home)/back"), .ok,
        ])
        let client = client(transport)
        let call =
            isOfTheCall
            ? client.get("/").authenticated(by: .bearer("abc"))
            : client.authenticated(by: .bearer("abc")).get("/")
        _ = try await call.response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer abc", "Bearer abc", nil, nil])
    }

    @Test func aHopGetsTheCredentialOfItsOwnOrigin() async throws {
        let transport = MockTransport(answers: [.redirect(to: "https://other.example/"), .ok])
        let client = client(transport).authenticated(by: .bearer("a"))
            .authenticated(by: .bearer("b"), at: "https://other.example")
        _ = try await client.get("/").response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer b"])
    }

    @Test func aKeyInTheQueryIsNotInheritedByARedirect() async throws {
        let transport = MockTransport(answers: [.redirect(to: "?b=2"), .redirect(to: "https://other.example/"), .ok])
        _ = try await client(transport).authenticated(by: .apiKey("canary", query: "key")).get("/?a=1").response()
        #expect(
            transport.requests.map(\.url.description) == [
                "\(Self.home)/?a=1&key=canary", "\(Self.home)/?b=2&key=canary", "https://other.example/",
            ])
    }

    @Test func aPageAtAnotherOriginGetsNone() async throws {
        let transport = MockTransport { request in
            switch request.index {
            case 0: .json("[1]", headers: ["Link": "<https://other.example/2>; rel=next"])
            case 1: .json("[2]", headers: ["Link": "<https://api.example.com/3>; rel=next"])
            default: .json("[3]")
            }
        }
        let client = client(transport)
        for call in [
            client.authenticated(by: .bearer("abc")).get("/1"), client.get("/1").authenticated(by: .bearer("abc")),
        ] {
            let first = transport.requests.count
            let next = try call.linked(to: RequestURL("https://other.example/2"), allowingOtherOrigin: true)
            let back = try next.linked(to: RequestURL("https://api.example.com/3"), allowingOtherOrigin: true)
            for each in [call, next, back] { _ = try await each.response() }
            #expect(
                transport.requests.dropFirst(first).map { $0.headers["Authorization"] } == ["Bearer abc", nil, nil])
        }
    }

    // MARK: Plain http

    @Test(arguments: [
        ("http://api.example.com/", false), ("http://10.0.0.1/", false), ("http://localhost.example.com/", false),
        ("http://localhost:8080/", true), ("http://a.localhost/", true), ("http://127.0.0.2/", true),
        ("http://[::1]/", true), ("https://api.example.com/", true),
    ])
    func isNotSentWhereOthersCanReadIt(url: String, isSent: Bool) async throws {
        let transport = MockTransport { _ in .ok }
        let client = MartletClient(transport: transport)
        let authenticators: [any Authenticator] = [
            BasicAuthenticator.basic(user: "a", password: "canary"), BearerAuthenticator.bearer("canary"),
            APIKeyAuthenticator.apiKey("canary"),
        ]
        for authenticator in authenticators {
            let call = client.get(url).authenticated(by: authenticator)
            if isSent {
                _ = try await call.response()
            } else {
                let error = await expectFailure(.insecureCredential) { try await call.response() }
                #expect(error.map { !"\($0)".contains("canary") } == true)
            }
            _ = try await client.get(url).authenticated(by: authenticator, allowingPlainHTTP: true).response()
        }
        #expect(transport.requests.count == (isSent ? 6 : 3))
    }

    // MARK: Refusals

    /// C180: the challenge is answered at most once, and the refusal is the response.
    @Test func aWrongPasswordIsTheResponse() async throws {
        let transport = MockTransport { _ in .text("no", status: 401, headers: ["WWW-Authenticate": "Basic realm=x"]) }
        let client = client(transport).authenticated(by: .basic(user: "a", password: "b"))
        let response = try await client.get("/").response()
        #expect(response.status == 401)
        #expect(response.body == Data("no".utf8))
        #expect(transport.requests.count == 1)
    }

    private struct Persistent: Authenticator {
        let trail: Trail
        var error: (any Error & Sendable)?

        nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
            trail.add("prepare")
            request.headers["X-Try"] = "\(trail.steps.count)"
        }

        nonisolated(nonsending) func respond(to refusal: AuthenticationRefusal) async throws -> Bool {
            trail.add(
                "\(refusal.number) \(refusal.challenges.first?.scheme ?? "") \(refusal.request.headers["X-Try"] ?? "")")
            if let error { throw error }
            return true
        }
    }

    @Test func anAuthenticatorIsAskedAtMostTwice() async throws {
        let transport = MockTransport { _ in .status(401, headers: ["WWW-Authenticate": "Own"]) }
        let trail = Trail()
        let response = try await client(transport).authenticated(by: Persistent(trail: trail)).get("/").response()
        #expect(response.status == 401)
        #expect(response.attempts.map(\.reason) == ["401", "401"])
        #expect(trail.steps == ["prepare", "1 own 1", "prepare", "2 own 3", "prepare"])
        #expect(transport.requests.count == 3)
    }

    private struct OwnError: Error {}

    @Test func whatAnAuthenticatorFailsWithIsTheCauseOfATypedError() async throws {
        let transport = MockTransport { _ in .status(401) }
        let failing = Persistent(trail: Trail(), error: OwnError())
        let error = await expectFailure(.authenticationFailed) {
            try await client(transport).authenticated(by: failing).get("/").response()
        }
        #expect(error?.underlying is OwnError)
        #expect(error?.mayHaveReachedServer == true)
        #expect(error?.request?.url == "\(Self.home)/")
    }

    @Test func aBodyThatCanBeReadOnceLeavesTheRefusal() async throws {
        let transport = MockTransport { _ in .text("no", status: 401) }
        let chunks = AsyncStream<Data> {
            $0.yield(Data("x".utf8)); $0.finish()
        }
        let call = client(transport).authenticated(by: Persistent(trail: Trail())).post("/").body(stream: chunks)
        #expect(try await call.response().status == 401)
        #expect(transport.requests.count == 1)
    }

    @Test func retriesOfAnAnswerHaveTheirOwnAttempts() async throws {
        let transport = MockTransport(answers: [.status(401), .status(503), .ok])
        let call = client(transport).authenticated(by: Persistent(trail: Trail())).get("/").retry(.idempotent)
        let response = try await call.response()
        #expect(response.attempts.map(\.reason) == ["401", "503"])
        #expect(response.attempts.map(\.number) == [1, 2])
        #expect(transport.requests.map { $0.headers["X-Try"] } == ["1", "3", "3"])
    }
}
