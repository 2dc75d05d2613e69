// The budget: as a value with the time given, and in a storm.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct RetryBudgetTests {
    private func at(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000_000 + Int64(seconds * 1e9))
    }

    private func withdrawals(_ account: inout RetryBudget.Account, _ budget: RetryBudget, _ now: MonotonicInstant)
        -> Int
    {
        var count = 0
        while account.withdraw(budget, at: now) { count += 1 }
        return count
    }

    @Test func aFewASecondAreAlwaysAllowed() {
        let budget = RetryBudget()
        var account = RetryBudget.Account(budget, at: at(0))
        #expect(withdrawals(&account, budget, at(0)) == 10)
        #expect(withdrawals(&account, budget, at(0.5)) == 5)
        #expect(withdrawals(&account, budget, at(100)) == 10)
    }

    @Test(arguments: [(0.2, 1_000, 200), (0.5, 10, 5), (0, 1_000, 0), (0.1, 100, 10), (1, 7, 7), (-1, 100, 0)])
    func aShareOfTheRequestsIsAllowed(ratio: Double, requests: Int, retries: Int) {
        let budget = RetryBudget(ratio: ratio, perSecond: 0)
        var account = RetryBudget.Account(budget, at: at(0))
        for _ in 0..<requests { account.deposit(budget, at: at(0)) }
        #expect(withdrawals(&account, budget, at(1)) == retries)
    }

    @Test func whatIsNotUsedExpires() {
        let budget = RetryBudget(ratio: 1, perSecond: 0)
        var account = RetryBudget.Account(budget, at: at(0))
        for second in 0..<20 { account.deposit(budget, at: at(Double(second))) }
        #expect(withdrawals(&account, budget, at(19.5)) == 10)
        account.deposit(budget, at: at(20))
        #expect(withdrawals(&account, budget, at(30)) == 0)
    }

    @Test func timeThatStandsOrGoesBackChangesNothing() {
        let budget = RetryBudget(ratio: 1, perSecond: 0)
        var account = RetryBudget.Account(budget, at: at(5))
        account.deposit(budget, at: at(5))
        account.deposit(budget, at: at(1))
        #expect(withdrawals(&account, budget, at(0)) == 2)
    }

    @Test func eachOriginHasItsOwnAccountAndOldOnesAreForgotten() throws {
        let accounts = RetryAccounts()
        let budget = RetryBudget(ratio: 0, perSecond: 1)
        let origins = try (0..<5_000).map { try RequestURL("http://h\($0).example/").origin }
        #expect(accounts.withdraw(budget, for: origins[0], at: at(0)))
        #expect(!accounts.withdraw(budget, for: origins[0], at: at(0)))
        #expect(accounts.withdraw(budget, for: origins[1], at: at(0)))
        for (index, origin) in origins.enumerated() { accounts.deposit(budget, for: origin, at: at(Double(index))) }
        #expect(accounts.count <= 1_024)
    }

    @Test func anExhaustedBudgetGivesTheFailureBackAtOnce() async throws {
        let transport = MockTransport { _ in .status(503) }
        let client = MartletClient.mocked(transport, clock: TestClock()) {
            $0.defaults.retry = .idempotent
            $0.defaults.retry.backoff = .none
            $0.defaults.retry.budget = RetryBudget(ratio: 0, perSecond: 1)
        }
        #expect(try await client.get("/").response().attempts.count == 1)
        #expect(try await client.get("/").response().attempts.isEmpty)
        #expect(
            try await client.scoped { $0.baseURL = "https://other.example" }.get("/").response().attempts.count == 1)
    }

    /// Calls answered 503 throughout put at most the budget's share and floor of requests on the wire.
    @Test(arguments: [1_000])
    func aStormIsNotMultiplied(calls: Int) async throws {
        try await Self.storm(calls)
    }

    static func storm(_ calls: Int) async throws {
        let transport = MockTransport { _ in .status(503) }
        let client = MartletClient.mocked(transport) { $0.clock = nil }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<calls {
                group.addTask { _ = try await client.get("/").retry(.idempotent).response() }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let floor = 10 * (seconds + 1)
        #expect(Double(transport.requests.count) <= 1.25 * Double(calls) + floor)
        #expect(transport.requests.count > calls)
    }
}
