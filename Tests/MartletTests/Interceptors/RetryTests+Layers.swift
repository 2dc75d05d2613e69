// Who decides about a retry, and what else a call has on while it is repeated.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension RetryTests {
    // MARK: Deciding

    @Test func theDecisionIsAskedOnceForEachAttempt() async throws {
        let asked = Trail()
        let transport = MockTransport { _ in .status(401) }
        let client = client(
            transport,
            .idempotent.deciding { attempt in
                asked.add("\(attempt.number) \(attempt.response?.status.code ?? 0)")
                return attempt.number == 1 ? .retry : .stop
            })
        let error = await expectFailure(.unacceptableStatus) {
            try await client.get("/").intercepting(.adapt { _ in asked.add("adapt") }).json() as Int
        }
        #expect(asked.steps == ["adapt", "1 401", "2 401"])
        #expect(error?.attempts.map(\.reason) == ["401"])
    }

    @Test func theDecisionIsToldWhatThePolicyWouldDo() async throws {
        let asked = Trail()
        let transport = MockTransport(answers: [.status(503, headers: ["Retry-After": "7"]), lost(.connectionClosed)])
        let client = client(
            transport,
            .idempotent.deciding { attempt in
                asked.add("\(attempt.suggestion) \(attempt.retryAfter ?? .zero) \(attempt.mayHaveReachedServer)")
                return attempt.suggestion
            })
        await expectFailure(.connectionClosed) { try await client.get("/").response() }
        #expect(asked.steps == ["retry 7.0 seconds true", "retry 0.0 seconds true"])
    }

    @Test func theDecisionMaySetTheWaitOrEndTheCall() async throws {
        let transport = MockTransport { _ in .status(418) }
        let client = client(
            transport,
            .never.deciding { attempt in
                attempt.number == 1 ? .retryAfter(.seconds(3)) : .fail(MartletError(.unsupported, "A teapot."))
            })
        let error = await expectFailure(.unsupported) { try await client.get("/").response() }
        #expect(clock.sleeps == [.seconds(3)])
        #expect(error?.attempts.map(\.reason) == ["418", "418"])
    }

    @Test func theDecisionIsNotAskedAboutSuccess() async throws {
        let client = client(MockTransport { _ in .ok }, .never.deciding { _ in .retry })
        #expect(try await client.get("/").response().attempts.isEmpty)
    }

    @Test func whatTheDecisionFailsWithIsTheCause() async throws {
        struct Own: Error {}
        let client = client(MockTransport { _ in .status(500) }, .never.deciding { _ in throw Own() })
        let error = await expectFailure(.interceptorFailed) { try await client.get("/").response() }
        #expect(error?.underlying is Own)
    }

    // MARK: Bodies

    @Test func theSameBodyGoesAgain() async throws {
        let transport = MockTransport(answers: [.status(500), .ok])
        let body = RequestBody.stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        }
        _ = try await client(transport).put("/").body(body).response()
        #expect(transport.requests.map(\.bodyText) == ["abc", "abc"])
    }

    @Test func aBodyThatCanBeReadOnceEndsTheCallWithWhatMadeItNecessary() async throws {
        let transport = MockTransport(answers: [lost(.connectionClosed), .ok])
        let error = await expectFailure(.bodyNotReplayable) {
            try await client(transport).put("/", stream: AsyncStream { $0.finish() }).response()
        }
        #expect((error?.underlying as? MartletError)?.code == .connectionClosed)
        #expect(error?.mayHaveReachedServer == true)
        #expect(error?.attempts.map(\.reason) == ["connectionClosed"])
    }

    @Test func aResponseToABodyThatCanBeReadOnceIsTheCalls() async throws {
        let transport = MockTransport(answers: [.text("busy", status: 503), .ok])
        let response = try await client(transport).put("/", stream: AsyncStream { $0.finish() }).response()
        #expect(String(decoding: response.body, as: UTF8.self) == "busy")
    }

    // MARK: With other layers

    @Test func attemptInterceptorsRunForEachAttemptAndInterceptorsOnce() async throws {
        let runs = Trail()
        let client = client(MockTransport(answers: [.status(500), .status(500), .ok])) {
            $0.defaults.interceptors = [.adapt { _ in runs.add("call") }]
            $0.defaults.attemptInterceptors = [.adapt { _ in runs.add("attempt") }]
        }
        _ = try await client.get("/").response()
        #expect(runs.steps == ["call", "attempt", "attempt", "attempt"])
    }

    @Test func anAdapterThatFailsAtTheSecondAttemptEndsTheCall() async throws {
        struct Own: Error { var number: Int }
        let count = Lock(0)
        let client = client(MockTransport { _ in .status(500) }) {
            $0.defaults.attemptInterceptors = [
                .adapt { _ in
                    let number = count.withLock {
                        $0 += 1; return $0
                    }
                    if number == 2 { throw Own(number: number) }
                }
            ]
        }
        let error = await expectFailure(.interceptorFailed) { try await client.get("/").response() }
        #expect((error?.underlying as? Own)?.number == 2)
        #expect(error?.attempts.map(\.reason) == ["500"])
    }

    @Test func eachHopHasAttemptsOfItsOwn() async throws {
        let transport = MockTransport(answers: [
            .status(503), .status(503), .redirect(to: "/b"), .status(502), .status(502), .text("there"),
        ])
        let response = try await client(transport).get("/a").response()
        #expect(response.attempts.map(\.reason) == ["503", "503", "502", "502"])
        #expect(response.attempts.map(\.number) == [1, 2, 1, 2])
        #expect(response.redirects.count == 1)
    }

    @Test func recoveriesOfAConnectionAreAttemptsToo() async throws {
        let stale = MartletError(.connectionClosed, "Lost.").with { $0.recovery = .staleConnection }
        let transport = MockTransport(answers: [.failure(stale), .status(503), .failure(stale), .ok])
        let response = try await client(transport).get("/").response()
        #expect(response.attempts.map(\.reason) == ["connectionClosed", "503", "connectionClosed"])
        #expect(response.attempts.map(\.number) == [1, 2, 3])
    }

    // MARK: Cancellation

    @Test func cancellingEndsTheWait() async throws {
        let clock = TestClock()
        let transport = MockTransport(answers: [.status(503, headers: ["Retry-After": "30"]), .ok])
        let client = MartletClient.mocked(transport, clock: clock) { $0.defaults.retry = .idempotent }
        let call = Task { try await client.get("/").response() }
        try await clock.waitForSleepers(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(transport.requests.count == 1)
        #expect(clock.sleeperCount == 0)
    }

    @Test func aCancelledCallIsNotAskedAbout() async throws {
        let transport = MockTransport { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return .status(503)
        }
        let asked = Trail()
        let client = client(
            transport,
            .idempotent.deciding { _ in
                asked.add("asked"); return .retry
            })
        let call = Task { try await client.get("/").response() }
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(asked.steps.isEmpty)
        #expect(transport.requests.count == 1)
    }
}
