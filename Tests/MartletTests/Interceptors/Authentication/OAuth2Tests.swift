// Tokens from an OAuth 2 server: what it is asked, and what becomes of its answers.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct OAuth2Tests {
    private static let tokenURL = "https://login.example.com/token"

    private static let login = OAuth2(
        tokenURL: tokenURL, clientID: "app:1", clientSecret: "s 3&ä", scopes: ["read", "write"])

    /// A server of tokens that gives `t1`, `t2`, and one that takes the last of them.
    private static func transport(_ extra: String = "", expires: Int? = 100) -> MockTransport {
        let count = Lock(0)
        return MockTransport { request in
            guard request.path == "/token" else {
                let isGood = request.headers["Authorization"] == "Bearer t\(count.withLock { $0 })"
                return isGood ? .ok : .status(401)
            }
            let number = count.withLock {
                $0 += 1; return $0
            }
            let lifetime = expires.map { ", \"expires_in\": \($0)" } ?? ""
            return .json("{\"access_token\": \"t\(number)\", \"token_type\": \"Bearer\"\(lifetime)\(extra)}")
        }
    }

    private static func bodies(_ transport: MockTransport) -> [String] {
        transport.requests.filter { $0.path == "/token" }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func clientCredentialsAreExchangedForAToken() async throws {
        let transport = Self.transport()
        let client = MartletClient.mocked(transport) { $0.defaults.headers = ["X-Secret": "canary"] }
        let session = client.authenticated(by: .oauth2(Self.login, through: client))
        for _ in 0..<3 { #expect(try await session.get("/").response().status == 200) }
        #expect(Self.bodies(transport) == ["grant_type=client_credentials&scope=read%20write"])
        let asked = try #require(transport.requests.first)
        let encoded = Data("app%3A1:s%203%26%C3%A4".utf8).base64EncodedString()
        #expect(asked.method == .post)
        #expect(asked.headers["Authorization"] == "Basic \(encoded)")
        #expect(asked.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(asked.headers["X-Secret"] == nil)
        #expect(transport.requests.count == 4)
    }

    @Test func theSecretMayGoIntoTheBody() async throws {
        let transport = Self.transport()
        var login = Self.login
        login.clientAuthentication = .body
        login.scopes = []
        login.parameters = ["audience": "https://api"]
        _ = try await login.token(through: MartletClient.mocked(transport))
        #expect(
            Self.bodies(transport) == [
                "audience=https%3A%2F%2Fapi&client_id=app%3A1&client_secret=s%203%26%C3%A4&grant_type=client_credentials"
            ])
        #expect(transport.requests.first?.headers["Authorization"] == nil)
    }

    @Test func aTokenIsReplacedShortlyBeforeItsEndAndWhenItIsRefused() async throws {
        let transport = Self.transport()
        let clock = TestClock()
        let client = MartletClient.mocked(transport)
        let tokens: RefreshingAuthenticator = .oauth2(Self.login, through: client, clock: clock)
        let session = client.authenticated(by: tokens)
        _ = try await session.get("/").response()
        clock.advance(by: .seconds(89))
        _ = try await session.get("/").response()
        #expect(tokens.credential?.value == "t1")
        clock.advance(by: .seconds(1))
        _ = try await session.get("/").response()
        #expect(tokens.credential?.value == "t2")
        tokens.replace(by: "revoked".token)
        #expect(try await session.get("/").response().status == 200)
        #expect(tokens.credential?.value == "t3")
    }

    @Test(arguments: [true, false])
    func aRefreshTokenIsExchangedAndRotated(isRotated: Bool) async throws {
        let transport = Self.transport(isRotated ? ", \"refresh_token\": \"r2\"" : "")
        let login = OAuth2(tokenURL: Self.tokenURL, clientID: "app", grant: .refreshToken("r1"))
        let client = MartletClient.mocked(transport)
        let first = try await login.token(through: client)
        let second = try await login.token(after: first, through: client)
        #expect(
            Self.bodies(transport) == [
                "client_id=app&grant_type=refresh_token&refresh_token=r1",
                "client_id=app&grant_type=refresh_token&refresh_token=\(isRotated ? "r2" : "r1")",
            ])
        #expect(second.refreshToken == (isRotated ? "r2" : "r1"))
    }

    @Test(arguments: [
        (200, #"{"access_token": "canary", "token_type": "mac"}"#), (200, #"{"token": "canary"}"#), (200, "canary"),
        (200, #"{"access_token": ""}"#), (400, #"{"error": "invalid_grant", "error_description": "canary"}"#),
        (401, #"{"error": "canary canary"}"#), (500, "canary"), (302, ""),
    ])
    func whatIsNoTokenEndsTheCallWithoutATraceOfIt(status: Int, body: String) async throws {
        let transport = MockTransport { request in
            request.path == "/token"
                ? .text(
                    body, status: HTTPStatus(integerLiteral: status), headers: ["Location": "https://evil.example/"])
                : .ok
        }
        let client = MartletClient.mocked(transport)
        let session = client.authenticated(by: .oauth2(Self.login, through: client))
        let error = await expectFailure(.authenticationFailed) { try await session.get("/").response() }
        var text = "\(error as Any) \(error.map { String(reflecting: $0) } ?? "")"
        dump(error, to: &text)
        #expect(!text.contains("canary"), "\(text)")
        if body.contains("invalid_grant") { #expect(text.contains("invalid_grant")) }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("\"7200\"", 7_200), ("1.5e3", 1_500), ("-5", 0), ("\"soon\"", nil), ("null", nil), ("1e300", 1_000_000_000),
    ])
    func lifetimesAreReadAsServersWriteThem(text: String, seconds: Int?) async throws {
        let transport = Self.transport(", \"expires_in\": \(text)", expires: nil)
        let token = try await Self.login.token(through: MartletClient.mocked(transport))
        #expect(token.lifetime == seconds.map { .seconds($0) })
    }

    @Test func secretsDoNotGoInTheClear() async throws {
        let transport = Self.transport()
        var login = Self.login
        login.tokenURL = "http://login.example.com/token"
        await expectFailure(.insecureCredential) { try await login.token(through: MartletClient.mocked(transport)) }
        login.tokenURL = "http://localhost/token"
        #expect(try await login.token(through: MartletClient.mocked(transport)).value == "t1")
    }

    /// C169 by way of OAuth 2: the session is its own client.
    @Test func aSessionMayFetchItsOwnToken() async throws {
        let transport = Self.transport()
        let client = MartletClient.mocked(transport)
        let own = Lock<MartletClient?>(nil)
        let tokens = RefreshingAuthenticator(token: nil) { old in
            try await Self.login.token(after: old, through: own.withLock { $0 } ?? client)
        }
        let session = client.authenticated(by: tokens)
        own.withLock { $0 = session }
        defer { own.withLock { $0 = nil } }
        #expect(try await session.get("/").response().status == 200)
    }
}
