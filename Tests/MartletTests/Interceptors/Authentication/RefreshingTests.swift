// C162 to C176: a credential that is refreshed once for however many calls need it.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct RefreshingTests {
    struct RefreshError: Error, Equatable {}

    /// A service whose tokens are numbers: it accepts those from `accepted` on.
    final class Service: Sendable {
        struct State: Sendable {
            var refreshes = 0
            var accepted = 1
        }

        let state = Lock(State())
        var refreshes: Int { state.withLock { $0.refreshes } }

        var transport: MockTransport {
            MockTransport { [state] request in
                let number = request.headers["Authorization"].flatMap { Int($0.dropFirst("Bearer ".count)) } ?? -1
                return number >= state.withLock { $0.accepted } ? .ok : .text("refused", status: 401)
            }
        }

        /// A refresh that gives the next number, after waiting for a signal.
        func authenticator(
            _ first: Int? = 0, lifetime: Duration? = nil, window: RefreshWindow? = RefreshWindow(),
            clock: TestClock = TestClock(), after gate: TestSignal? = nil, fails: Bool = false
        ) -> RefreshingAuthenticator<AccessToken> {
            RefreshingAuthenticator(
                token: first.map { AccessToken(Secret("\($0)"), lifetime: lifetime) }, window: window, clock: clock
            ) { [state] old in
                if let gate { try await gate.wait(timeout: .seconds(60)) }
                state.withLock { $0.refreshes += 1 }
                if fails { throw RefreshError() }
                let number = old.flatMap { Int($0.value.revealed) } ?? 0
                return AccessToken(Secret("\(number + 1)"), lifetime: lifetime)
            }
        }
    }

    private static func tokens(_ transport: MockTransport) -> [String?] {
        transport.requests.map { $0.headers["Authorization"] }
    }

    /// C162
    @Test func aValidOneIsSentWithoutARefresh() async throws {
        let service = Service()
        let transport = service.transport
        let response = try await MartletClient.mocked(transport).authenticated(by: service.authenticator(1)).get("/")
            .response()
        #expect(response.status == 200)
        #expect(response.attempts.isEmpty)
        #expect(Self.tokens(transport) == ["Bearer 1"])
        #expect(service.refreshes == 0)
    }

    @Test func theFirstIsFetchedWhenItIsNeeded() async throws {
        let service = Service()
        let transport = service.transport
        let tokens = service.authenticator(nil)
        #expect(tokens.credential == nil)
        let client = MartletClient.mocked(transport).authenticated(by: tokens)
        for _ in 0..<3 { #expect(try await client.get("/").response().status == 200) }
        #expect(service.refreshes == 1)
        #expect(tokens.credential?.value == "1")
    }

    @Test func theRefusalOfTheCallersOwnFieldRefreshesNothing() async throws {
        let service = Service()
        let transport = service.transport
        let client = MartletClient.mocked(transport).authenticated(by: service.authenticator(1))
        #expect(try await client.get("/").header("Authorization", "Bearer 0").response().status == 401)
        #expect(service.refreshes == 0)
        #expect(transport.requests.count == 1)
    }

    /// C164
    @Test func oneThatIsDueIsRefreshedOnceForAll() async throws {
        let service = Service()
        let (clock, gate) = (TestClock(), TestSignal())
        let transport = service.transport
        let tokens = service.authenticator(0, lifetime: .seconds(100), clock: clock, after: gate)
        let client = MartletClient.mocked(transport).authenticated(by: tokens)
        clock.advance(by: .seconds(90))
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<6 { group.addTask { try await client.get("/").response().status } }
            try await waitForWaiters(6, tokens)
            gate.fire()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 6))
        #expect(Self.tokens(transport) == Array(repeating: "Bearer 1", count: 6))
        #expect(service.refreshes == 1)
    }

    /// C165
    @Test func aRefreshThatFailsBeforeTheCallSendsNothing() async throws {
        let service = Service()
        let gate = TestSignal()
        let transport = service.transport
        let tokens = service.authenticator(nil, after: gate, fails: true)
        let client = MartletClient.mocked(transport).authenticated(by: tokens)
        let errors = await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask { await expectFailure(.authenticationFailed) { try await client.get("/").response() } }
            }
            try? await waitForWaiters(6, tokens)
            gate.fire()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.allSatisfy { $0?.underlying is RefreshError && $0?.mayHaveReachedServer == false })
        #expect(transport.requests.isEmpty)
        #expect(service.refreshes == 1)
    }

    /// C166, with as many calls as the acceptance asks for.
    @Test(arguments: [6, 100])
    func callsThatAreRefusedTogetherCauseOneRefresh(count: Int) async throws {
        let service = Service()
        let gate = TestSignal()
        let transport = service.transport
        let client = MartletClient.mocked(transport).authenticated(by: service.authenticator(0, after: gate))
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await client.get("/").response().status } }
            // All are on their way with the old one before there is a new one.
            try await transport.waitForRequests(count, timeout: .seconds(60))
            gate.fire()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: count))
        #expect(service.refreshes == 1)
        #expect(transport.requests.count == 2 * count)
        #expect(Self.tokens(transport).filter { $0 == "Bearer 1" }.count == count)
    }

    @Test func aRefreshThatFailsCostsOneRefreshAndAHundredErrors() async throws {
        let service = Service()
        let gate = TestSignal()
        let transport = service.transport
        let client = MartletClient.mocked(transport)
            .authenticated(by: service.authenticator(0, after: gate, fails: true))
        let errors = try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { await expectFailure(.authenticationFailed) { try await client.get("/").response() } }
            }
            try await transport.waitForRequests(100, timeout: .seconds(60))
            gate.fire()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 100)
        #expect(errors.allSatisfy { $0?.underlying is RefreshError && $0?.mayHaveReachedServer == true })
        #expect(errors.allSatisfy { $0?.attempts.map(\.reason) == ["401"] })
        #expect(service.refreshes == 1)
        #expect(transport.requests.count == 100)
    }

    /// C168
    @Test func aRefusalOfAnOlderOneIsSentAgainAtOnce() async throws {
        let service = Service()
        let late = TestSignal()
        let transport = MockTransport { request in
            if request.path == "/late", request.headers["Authorization"] == "Bearer 0" {
                try await late.wait(timeout: .seconds(60))
            }
            return request.headers["Authorization"] == "Bearer 0" ? .status(401) : .ok
        }
        let client = MartletClient.mocked(transport).authenticated(by: service.authenticator(0))
        async let slow = client.get("/late").response()
        try await transport.waitForRequests(1, timeout: .seconds(60))
        #expect(try await client.get("/").response().status == 200)
        late.fire()
        #expect(try await slow.status == 200)
        #expect(service.refreshes == 1)
    }

    /// C170
    @Test func theWindowBoundsRefreshes() async throws {
        let service = Service()
        service.state.withLock { $0.accepted = 100 }
        let transport = service.transport
        let clock = TestClock()
        let window = RefreshWindow(maximum: 2, interval: .seconds(30))
        let client = MartletClient.mocked(transport)
            .authenticated(by: service.authenticator(0, window: window, clock: clock))
        #expect(try await client.get("/").response().status == 401)
        #expect(try await client.get("/").response().status == 401)
        let error = await expectFailure(.excessiveRefresh) { try await client.get("/").response() }
        #expect(error?.attempts.map(\.reason) == ["401"])
        #expect(service.refreshes == 2)
        #expect(Self.tokens(transport).last == "Bearer 2")
        clock.advance(by: .seconds(30))
        #expect(try await client.get("/").response().status == 401)
        #expect(service.refreshes == 3)
    }

    /// C172
    @Test func oneThatIsDueAsSoonAsItIsThereIsBoundedByTheWindow() async throws {
        let service = Service()
        let client = MartletClient.mocked(service.transport)
            .authenticated(by: service.authenticator(0, lifetime: .zero))
        for _ in 0..<5 { #expect(try await client.get("/").response().status == 200) }
        await expectFailure(.excessiveRefresh) { try await client.get("/").response() }
        #expect(service.refreshes == 5)
    }

    /// C173, C174: the next call tries again, and the attempts before count.
    @Test func afterAFailureTheNextCallTriesAgainAndLateRefusalsDoNot() async throws {
        let service = Service()
        let late = TestSignal()
        let transport = MockTransport { request in
            if request.path == "/late" { try await late.wait(timeout: .seconds(60)) }
            return .status(401)
        }
        let client = MartletClient.mocked(transport).authenticated(by: service.authenticator(0, fails: true))
        async let slow: MartletError? = expectFailure(.authenticationFailed) {
            try await client.get("/late").response()
        }
        try await transport.waitForRequests(1, timeout: .seconds(60))
        await expectFailure(.authenticationFailed) { try await client.get("/").response() }
        #expect(service.refreshes == 1)
        late.fire()
        #expect(await slow?.underlying is RefreshError)
        #expect(service.refreshes == 1)
        for _ in 2...5 { await expectFailure(.authenticationFailed) { try await client.get("/").response() } }
        #expect(service.refreshes == 5)
        await expectFailure(.excessiveRefresh) { try await client.get("/").response() }
    }

    /// C176: ours waits, since the credential was refused.
    @Test func aNewCallWaitsForARefreshThatARefusalHasCaused() async throws {
        let service = Service()
        let gate = TestSignal()
        let transport = service.transport
        let tokens = service.authenticator(0, after: gate)
        let client = MartletClient.mocked(transport).authenticated(by: tokens)
        async let first = client.get("/1").response()
        try await waitForWaiters(1, tokens)
        async let second = client.get("/2").response()
        try await waitForWaiters(2, tokens)
        #expect(transport.requests.count == 1)
        gate.fire()
        #expect(try await [first.status, second.status] == [200, 200])
        #expect(Self.tokens(transport) == ["Bearer 0", "Bearer 1", "Bearer 1"])
    }
}

/// Waits until so many callers wait for a refresh.
nonisolated(nonsending) func waitForWaiters(_ count: Int, _ tokens: RefreshingAuthenticator<AccessToken>) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while tokens.refresher.waiterCount < count {
        guard ContinuousClock.now < end else { throw TestServerError.timedOut("\(count) that wait") }
        await Task.yield()
    }
}
