// Retries: what is repeated, when, how often, and what is told about it.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct RetryTests {
    let clock = TestClock(advancesItself: true)

    func client(
        _ transport: MockTransport, _ policy: RetryPolicy = .idempotent,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> MartletClient {
        .mocked(transport, clock: clock) {
            $0.defaults.retry = policy
            change(&$0)
        }
    }

    func lost(_ code: MartletError.Code, reached: Bool = true) -> MockResponse {
        .failure(MartletError(code, "Lost.").with { $0.mayHaveReachedServer = reached })
    }

    func unjittered(_ policy: RetryPolicy = .idempotent) -> RetryPolicy {
        var policy = policy
        policy.backoff = policy.backoff.withoutJitter()
        return policy
    }

    // MARK: What is repeated

    @Test func nothingByDefault() async throws {
        let transport = MockTransport(answers: [.status(503), .ok])
        #expect(try await MartletClient.mocked(transport).get("/").response().status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func aCallMayAskForIt() async throws {
        let transport = MockTransport(answers: [.status(503), .text("there")])
        #expect(try await MartletClient.mocked(transport).get("/").retry(.idempotent).string() == "there")
        #expect(transport.requests.count == 2)
    }

    @Test func aCallMayDeclineIt() async throws {
        let transport = MockTransport(answers: [.status(503), .ok])
        #expect(try await client(transport).get("/").retry(.never).response().status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504] as [HTTPStatus])
    func theseStatusesAreRepeated(status: HTTPStatus) async throws {
        let transport = MockTransport(answers: [.status(status), .text("there")])
        let response = try await client(transport).get("/").response()
        #expect(response.status == 200)
        #expect(response.attempts.map(\.number) == [1])
        #expect(response.attempts.map(\.reason) == ["\(status.code)"])
    }

    @Test(arguments: [200, 204, 304, 400, 401, 403, 404, 409, 425, 501, 505, 507, 511] as [HTTPStatus])
    func otherStatusesAreNot(status: HTTPStatus) async throws {
        let transport = MockTransport(answers: [.status(status), .text("there")])
        #expect(try await client(transport).get("/").response().status == status)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [.delete, .get, .head, .options, .put, .trace, .query] as [HTTPMethod])
    func idempotentMethodsAreRepeated(method: HTTPMethod) async throws {
        let transport = MockTransport(answers: [.status(500), .ok])
        #expect(try await client(transport).request(method, "/").response().status == 200)
        #expect(transport.requests.map(\.method) == [method, method])
    }

    @Test(arguments: [.post, .patch, "PURGE", "get"] as [HTTPMethod])
    func otherMethodsAreNot(method: HTTPMethod) async throws {
        let transport = MockTransport(answers: [.status(500), .ok])
        #expect(try await client(transport).request(method, "/").response().status == 500)
        #expect(transport.requests.count == 1)
    }

    @Test(
        arguments: [
            .connectionRefused, .connectFailed, .connectTimeout, .lookUpFailed, .lookUpSaturated, .idleTimeout,
            .connectionClosed, .streamReset, .attemptTimeout,
        ] as [MartletError.Code])
    func connectionsThatFailedAreRepeated(code: MartletError.Code) async throws {
        let transport = MockTransport(answers: [lost(code), .ok])
        let response = try await client(transport).get("/").response()
        #expect(response.attempts.map(\.reason) == ["\(code)"])
    }

    @Test(
        arguments: [
            .certificateExpired, .certificateHostMismatch, .certificateIssuerUnknown, .certificateUntrusted,
            .tlsConfigurationInvalid, .nameNotFound, .invalidRequest, .invalidURL, .invalidResponse, .headTooLarge,
            .deadlineExceeded, .clientShutDown, .tooManyRedirects, .unsupported, .bodyFailed, .fileUnreadable,
        ] as [MartletError.Code])
    func whatWouldFailAgainIsNot(code: MartletError.Code) async throws {
        let transport = MockTransport(answers: [lost(code, reached: false), .ok])
        await expectFailure(code) { try await client(transport).get("/").response() }
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func anyMethodIsRepeatedWhenTheServerCannotHaveSeenIt(reached: Bool) async throws {
        let transport = MockTransport(answers: [lost(.connectionClosed, reached: reached), .ok])
        let call = client(transport).post("/", data: Data("a".utf8))
        if reached {
            await expectFailure(.connectionClosed) { try await call.response() }
        } else {
            _ = try await call.response()
        }
        #expect(transport.requests.count == (reached ? 1 : 2))
    }

    @Test(arguments: [
        (HTTPStatus(429), true), (503, true), (500, false), (502, false), (504, false), (408, false),
    ])
    func transientRepeatsWhatTheServerDidNotTakeUp(status: HTTPStatus, isRepeated: Bool) async throws {
        let transport = MockTransport(answers: [.status(status), .ok])
        _ = try await client(transport, .transient).post("/", data: Data("a".utf8)).response()
        #expect(transport.requests.count == (isRepeated ? 2 : 1))
    }

    @Test func transientRepeatsNoErrorAfterWhichTheServerMayHaveSeenTheRequest() async throws {
        let transport = MockTransport(answers: [lost(.connectionClosed), .ok])
        await expectFailure(.connectionClosed) { try await client(transport, .transient).get("/").response() }
    }

    @Test func connectionLostRepeatsNoStatus() async throws {
        let transport = MockTransport(answers: [lost(.connectionClosed), .status(503), .ok])
        let response = try await client(transport, .connectionLost).get("/").response()
        #expect(response.status == 503)
        #expect(response.attempts.map(\.reason) == ["connectionClosed"])
    }

    // MARK: Idempotency keys

    @Test func aCallsOwnPolicyGivesAPostAKeyThatIsKeptOverItsAttempts() async throws {
        let transport = MockTransport(answers: [.status(503), .status(502), .ok, .status(503), .ok])
        let call = MartletClient.mocked(transport).post("/", data: Data("a".utf8)).retry(.idempotent)
        #expect(try await call.response().attempts.count == 2)
        _ = try await call.response()
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] ?? "" }
        #expect(keys.allSatisfy { $0.count == 36 })
        #expect(Set(keys[..<3]).count == 1)
        #expect(Set(keys[3...]).count == 1)
        #expect(keys[0] != keys[3])
    }

    @Test func theCallersOwnKeyIsKept() async throws {
        let transport = MockTransport(answers: [.status(503), .ok])
        _ = try await client(transport).patch("/", data: Data("a".utf8)).idempotencyKey("own").response()
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["own", "own"])
    }

    @Test func noKeyIsMadeWhereTheClientAsksOrTheMethodNeedsNone() async throws {
        let transport = MockTransport { _ in .ok }
        _ = try await client(transport).post("/").response()
        _ = try await client(transport).put("/").retry(.idempotent).response()
        _ = try await client(transport).post("/").retry(.transient).response()
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == [nil, nil, nil])
    }

    @Test func aKeyIsKeptOverARedirectToTheSameOrigin() async throws {
        let transport = MockTransport(answers: [.status(503), .redirect(to: "/b", status: 307), .status(503), .ok])
        _ = try await client(transport).post("/a").retry(.idempotent).response()
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    // MARK: How often and when

    @Test func threeAttemptsAreMadeAndTheLastResponseIsTheCalls() async throws {
        let transport = MockTransport { .text("\($0.index)", status: 503) }
        let response = try await client(transport).get("/").response()
        #expect(String(decoding: response.body, as: UTF8.self) == "2")
        #expect(response.attempts.map(\.number) == [1, 2])
        #expect(transport.requests.count == 3)
    }

    @Test func theLastErrorTellsOfThoseBeforeIt() async throws {
        let transport = MockTransport(answers: [.status(503), lost(.connectionRefused, reached: false)])
        let error = await expectFailure(.connectionRefused) { try await client(transport).get("/").response() }
        #expect(error?.attempts.map(\.number) == [1, 2])
        #expect(error?.attempts.map(\.reason) == ["503", "connectionRefused"])
        #expect(error?.attempts.allSatisfy { $0.delay != nil } == true)
        #expect(error?.mayHaveReachedServer == true)
    }

    @Test func theErrorOfADecodingTerminalTellsOfTheAttempts() async throws {
        let error = await expectFailure(.unacceptableStatus) {
            try await client(MockTransport { _ in .status(503) }).get("/").data()
        }
        #expect(error?.attempts.count == 2)
    }

    @Test(arguments: [(1, 1), (2, 2), (5, 5), (0, 1)])
    func theNumberOfAttemptsMayBeSet(maximum: Int, requests: Int) async throws {
        let transport = MockTransport { _ in .status(503) }
        _ = try await client(transport, .idempotent.attempts(maximum)).get("/").response()
        #expect(transport.requests.count == requests)
    }

    @Test func theWaitsDouble() async throws {
        let transport = MockTransport { _ in .status(503) }
        _ = try await client(transport, unjittered().attempts(10)).get("/").response()
        #expect(
            clock.sleeps.map { $0.wholeNanoseconds / 1_000_000 } == [
                100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000,
            ])
    }

    @Test func jitterSpreadsTheWaitsOverAllOfTheTime() async throws {
        var policy = RetryPolicy.idempotent.attempts(1_001)
        policy.backoff = .exponential(base: .seconds(1), factor: 1)
        policy.budget = nil
        _ = try await client(MockTransport { _ in .status(503) }, policy).get("/").response()
        let waits = clock.sleeps
        #expect(waits.allSatisfy { $0 <= .seconds(1) })
        #expect((400...600).contains(waits.count { $0 < .milliseconds(500) }))
        #expect((50...150).contains(waits.count { $0 > .milliseconds(900) }))
    }

    @Test(arguments: [
        (RetryBackoff.constant(.seconds(2)), [2_000, 2_000]), (.none, []),
        (.custom { .seconds($0 * 3) }, [3_000, 6_000]),
        (.custom { _ in .seconds(-1) }, []),
    ])
    func theBackoffMayBeSet(backoff: RetryBackoff, milliseconds: [Int64]) async throws {
        var policy = RetryPolicy.idempotent
        policy.backoff = backoff
        _ = try await client(MockTransport { _ in .status(503) }, policy).get("/").response()
        #expect(clock.sleeps.map { $0.wholeNanoseconds / 1_000_000 } == milliseconds)
    }

    @Test(arguments: [1, 1.5, 2, 1e300, -1e300, .infinity, .nan, 0, -1])
    func noFactorAndNoNumberOfFailuresIsTooMuch(factor: Double) {
        var randomness: any RandomNumberGenerator & Sendable = SeededRandom(seed: 1)
        let backoff = RetryBackoff.exponential(base: .seconds(1), factor: factor)
        for failures in [Int.min, 0, 1, 2, 1_000, .max] {
            #expect((.zero ... .seconds(10)).contains(backoff.wait(after: failures, using: &randomness)))
        }
    }

    // MARK: Retry-After

    @Test(arguments: [
        ("2", Int64(2_000)), ("0", 0), ("3600", 60_000), ("99999999999999999999999", 60_000), ("-1", 100), ("1.5", 100),
        ("soon", 100), ("", 100), ("+2", 100),
    ])
    func theServersWaitComesBeforeThePolicys(value: String, milliseconds: Int64) async throws {
        let transport = MockTransport(answers: [.status(429, headers: ["Retry-After": value]), .ok])
        let response = try await client(transport, unjittered()).get("/").response()
        #expect(response.attempts.map { $0.delay?.wholeNanoseconds } == [milliseconds * 1_000_000])
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:47 GMT", Int64(10)), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:30 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 60),
    ])
    func theServersWaitMayBeADate(value: String, seconds: Int64) async throws {
        let transport = MockTransport(answers: [.status(503, headers: ["Retry-After": value]), .ok])
        let client = client(transport) { $0.wallTime = { Date(timeIntervalSince1970: 784_111_777) } }
        let response = try await client.get("/").response()
        #expect(response.attempts.map(\.delay) == [.seconds(seconds)])
    }

    @Test func whatDoesNotFitTheDeadlineIsNotWaitedFor() async throws {
        let transport = MockTransport(answers: [.status(503, headers: ["Retry-After": "20"]), .ok])
        let response = try await client(transport).get("/").timeout(.seconds(20)).response()
        #expect(response.status == 503)
        #expect(response.attempts.isEmpty)
        #expect(clock.sleeps.isEmpty)
    }

    @Test func theDeadlineBoundsAttemptsAndWaitsTogether() async throws {
        let transport = MockTransport(answers: [.status(503, headers: ["Retry-After": "15"])])
        let policy = RetryPolicy.idempotent.attempts(10)
        let response = try await client(transport, policy).get("/").timeout(.seconds(40)).response()
        #expect(response.status == 503)
        #expect(transport.requests.count == 3)
    }
}
