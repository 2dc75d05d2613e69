// Who waits for a refresh, and who does not: callers that are cancelled or run out of time, the refresh itself, a new login.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension RefreshingTests {
    @Test func aCallerThatIsCancelledDoesNotCancelTheRefreshOfTheOthers() async throws {
        let service = Service()
        let gate = TestSignal()
        let tokens = service.authenticator(nil, after: gate)
        let client = MartletClient.mocked(service.transport).authenticated(by: tokens)
        let starter = Task { try await client.get("/").response() }
        try await waitForWaiters(1, tokens)
        let other = Task { try await client.get("/").response().status }
        try await waitForWaiters(2, tokens)
        starter.cancel()
        await #expect(throws: CancellationError.self) { _ = try await starter.value }
        gate.fire()
        #expect(try await other.value == 200)
        #expect(service.refreshes == 1)
    }

    @Test func aRefreshThatNobodyWaitsForAnyMoreIsForTheNext() async throws {
        let service = Service()
        let gate = TestSignal()
        let tokens = service.authenticator(nil, after: gate)
        let client = MartletClient.mocked(service.transport).authenticated(by: tokens)
        let starter = Task { try await client.get("/").response() }
        try await waitForWaiters(1, tokens)
        starter.cancel()
        _ = await starter.result
        gate.fire()
        #expect(try await client.get("/").response().status == 200)
        #expect(service.refreshes == 1)
    }

    @Test func theTotalTimeoutEndsTheWait() async throws {
        let service = Service()
        let client = MartletClient.mocked(service.transport)
            .authenticated(by: service.authenticator(nil, after: TestSignal()))
        await expectFailure(.deadlineExceeded) {
            try await client.get("/").timeout(.milliseconds(20)).response()
        }
    }

    /// C169: through the client that it authenticates, which has one connection.
    @Test func aRefreshThroughTheSameClientDoesNotWaitForItself() async throws {
        let peer = Peer.answers { request in
            if request.path == "/token" { return .text(request["Authorization"] == nil ? "new" : "own") }
            return request["Authorization"] == "Bearer new" ? .text("in") : .text("refused", status: 401)
        }
        try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { plain, server in
            let own = Lock<MartletClient?>(nil)
            let tokens = RefreshingAuthenticator(token: "old".token) { _ in
                guard let client = own.withLock({ $0 }) else { throw RefreshError() }
                return AccessToken(Secret(try await client.post("/token").string()))
            }
            let client = plain.authenticated(by: tokens)
            own.withLock { $0 = client }
            defer { own.withLock { $0 = nil } }
            let texts = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await client.get("/").string() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "in", count: 8))
            #expect(server.requests.filter { $0.path == "/token" }.count == 1)
        }
    }

    @Test func anotherLoginReplacesIt() async throws {
        let service = Service()
        let tokens = service.authenticator(nil, after: TestSignal())
        let client = MartletClient.mocked(service.transport).authenticated(by: tokens)
        async let status = client.get("/").response().status
        try await waitForWaiters(1, tokens)
        tokens.replace(by: "7".token)
        #expect(try await status == 200)
        #expect(service.refreshes == 0)
    }

    @Test func whatIsARefusalCanBeSaid() async throws {
        let transport = MockTransport { $0.headers["X-Session"] == "1" ? .ok : .status(419) }
        let sessions = RefreshingAuthenticator<Int>(
            0, isRefusal: { $0.status == 419 }, apply: { $1.headers["X-Session"] = "\($0)" },
            refresh: { ($0 ?? 0) + 1 })
        let client = MartletClient.mocked(transport).authenticated(by: sessions)
        #expect(try await client.get("/").response().status == 200)
    }
}
