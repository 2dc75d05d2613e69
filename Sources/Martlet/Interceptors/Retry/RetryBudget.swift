// How many retries an origin is burdened with. Each request puts a share of a retry into the account of its origin, each retry
// takes one out; what is not used expires. A few a second are always allowed, so that little traffic is not left without any.

/// A limit of the retries that go to one origin, kept by the client for all calls together.
public struct RetryBudget: Sendable, Hashable {
    /// The share of requests that may be repeated; 0.2 by default.
    public var ratio = 0.2
    /// The retries of each second that are allowed in any case; 10 by default.
    public var perSecond = 10

    /// Makes a budget: by default a fifth of the requests of the last ten seconds, and ten retries a second.
    public init(ratio: Double = 0.2, perSecond: Int = 10) {
        self.ratio = ratio
        self.perSecond = perSecond
    }

    /// The account of one origin: a pure value, told the time.
    struct Account {
        private static let slots = 10
        private static let slotLength: Int64 = 1_000_000_000

        private var deposits = [Double](repeating: 0, count: slots)
        private var slot: Int64
        private var floor: Double
        private var floorAt: MonotonicInstant

        init(_ budget: RetryBudget, at now: MonotonicInstant) {
            slot = now.nanoseconds / Self.slotLength
            floor = Double(budget.perSecond)
            floorAt = now
        }

        /// Notes a request that is not a retry.
        mutating func deposit(_ budget: RetryBudget, at now: MonotonicInstant) {
            expire(now)
            deposits[index(slot)] += max(budget.ratio, 0)
        }

        /// Takes out one retry; false when there is none.
        mutating func withdraw(_ budget: RetryBudget, at now: MonotonicInstant) -> Bool {
            expire(now)
            let seconds = Double(max(now.nanoseconds(since: floorAt), 0)) / 1e9
            floor = min(floor + seconds * Double(budget.perSecond), Double(budget.perSecond))
            floorAt = now
            if floor >= 1 {
                floor -= 1
                return true
            }
            // Sums of tenths fall short of the whole by a rounding error.
            guard deposits.reduce(0, +) >= 1 - 1e-6 else { return false }
            var owed = 1.0
            for age in stride(from: Int64(Self.slots) - 1, through: 0, by: -1) where owed > 0 {
                let place = index(slot - age)
                let taken = min(deposits[place], owed)
                deposits[place] -= taken
                owed -= taken
            }
            return true
        }

        /// Whether nothing is left in it that a new account would not have.
        func isSpent(at now: MonotonicInstant) -> Bool {
            now.nanoseconds / Self.slotLength - slot >= Int64(Self.slots)
        }

        private func index(_ slot: Int64) -> Int {
            let rest = Int(slot % Int64(Self.slots))
            return rest < 0 ? rest + Self.slots : rest
        }

        private mutating func expire(_ now: MonotonicInstant) {
            let current = now.nanoseconds / Self.slotLength
            guard current > slot else { return }
            let passed = min(current - slot, Int64(Self.slots))
            for step in 1...passed { deposits[index(slot + step)] = 0 }
            if passed == Int64(Self.slots) { deposits = [Double](repeating: 0, count: Self.slots) }
            slot = current
        }
    }
}

/// The accounts of a client, by origin.
final class RetryAccounts: Sendable {
    // Beyond this many, those are forgotten that have not been used for as long as deposits last.
    private static let sweepAt = 1024

    private struct State {
        var accounts: [Origin: RetryBudget.Account] = [:]
        var sweepAt = RetryAccounts.sweepAt
    }

    private let state = Lock(State())

    /// Notes a request that is not a retry.
    func deposit(_ budget: RetryBudget, for origin: Origin, at now: MonotonicInstant) {
        state.withLock { state in
            if state.accounts.count >= state.sweepAt, state.accounts[origin] == nil { Self.sweep(&state, now) }
            state.accounts[origin, default: RetryBudget.Account(budget, at: now)].deposit(budget, at: now)
        }
    }

    /// Takes out one retry; false when there is none.
    func withdraw(_ budget: RetryBudget, for origin: Origin, at now: MonotonicInstant) -> Bool {
        state.withLock {
            $0.accounts[origin, default: RetryBudget.Account(budget, at: now)].withdraw(budget, at: now)
        }
    }

    /// How many origins have an account.
    var count: Int { state.withLock { $0.accounts.count } }

    private static func sweep(_ state: inout State, _ now: MonotonicInstant) {
        state.accounts = state.accounts.filter { !$0.value.isSpent(at: now) }
        state.sweepAt = max(sweepAt, state.accounts.count * 2)
    }
}
