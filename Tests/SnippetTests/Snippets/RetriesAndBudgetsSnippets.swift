import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct RetriesAndBudgetsSnippets {
    @Test func ofAClient() async throws {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.retry = .idempotent
        let client = MartletClient(configuration)
        // end
        try await Example.run { server in
            let text = try await client.get(server.url("/status")).string()
            #expect(text == "fine")
        }
    }

    @Test func ofACall() async throws {
        let draft = User(name: "Ada")
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let made: User = try await client.post("/users", json: draft).retry(.idempotent).json()
            // end
            #expect(made.name == "Ada")
            #expect(server.requests.first?["Idempotency-Key"] != nil)
        }
    }

    @Test func changed() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            var policy = RetryPolicy.idempotent.attempts(5)
            policy.backoff = .exponential(base: .milliseconds(50), cap: .seconds(2))
            policy.attemptTimeout = .seconds(1)
            let call = client.get("/users/1").retry(policy).timeout(.seconds(5))
            let user: User = try await call.json()
            // end
            #expect(user.name == "Ada")
        }
    }

    @Test func deciding() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let policy = RetryPolicy.idempotent.deciding { attempt in
                if attempt.response?.status == 409 { return .retryAfter(.seconds(1)) }
                return attempt.suggestion
            }
            let report = try await client.get("/report").retry(policy).json()
            // end
            #expect(report.totals?.pages == 3)
        }
    }

    @Test func budget() {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.retry = .idempotent
        configuration.defaults.retry.budget = RetryBudget(ratio: 0.1, perSecond: 2)
        let client = MartletClient(configuration)
        // end
        #expect(RetryPolicy.idempotent.budget == RetryBudget(ratio: 0.2, perSecond: 10))
        _ = client
    }
}
