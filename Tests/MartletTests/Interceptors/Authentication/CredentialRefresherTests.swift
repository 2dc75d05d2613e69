// Chance against the refresher: callers that come, are refused, are cancelled and find the credential due, in random orders under a
// manual clock. Whatever the order, nobody waits for ever, and no generation is refreshed twice.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct CredentialRefresherTests {
    private struct RefreshError: Error {}

    /// Refreshes that end when the test says so, each once.
    private final class Office: Sendable {
        struct State: Sendable {
            var open: [CheckedContinuation<Bool, Never>] = []
            /// From which credential each refresh began, and which one was there last.
            var begun: [Int] = []
            var isWorking = false
            var overlaps = 0
            var issued = 0
        }

        let state = Lock(State())

        func refresh(_ old: Int?) async throws -> Int {
            state.withLock { state in
                if state.isWorking { state.overlaps += 1 }
                state.isWorking = true
                state.begun.append(old ?? -1)
            }
            let isGood = await withCheckedContinuation { waiting in state.withLock { $0.open.append(waiting) } }
            return try state.withLock { state in
                state.isWorking = false
                guard isGood else { throw RefreshError() }
                state.issued += 1
                return state.issued
            }
        }

        /// Ends the refresh that is under way; false when there is none that has got so far.
        func end(_ isGood: Bool) -> Bool {
            let waiting = state.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst() }
            waiting?.resume(returning: isGood)
            return waiting != nil
        }
    }

    @Test(arguments: 0..<Soak.count(10, soak: 100))
    func randomInterleavingsEndAndRefreshEachGenerationOnce(block: Int) async throws {
        for seed in (block * 10)..<(block * 10 + 10) { try await run(seed: UInt64(seed)) }
    }

    private func run(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let clock = TestClock()
        let office = Office()
        let refresher = CredentialRefresher<Int>(
            random.next(below: 2) == 0 ? nil : 0, window: nil, clock: PolicyClock(clock),
            isDue: { _, age in age >= .seconds(10) }, refresh: { try await office.refresh($0) })
        var callers: [Task<Int?, any Error>] = []
        // What callers were given: the marks with which they may come back.
        let marks = Lock<[Int]>([])
        for _ in 0..<40 {
            switch random.next(below: 8) {
            case 0, 1, 2:
                callers.append(Task { try await Self.take(refresher, after: nil, marks) })
            case 3, 4:
                let mark = marks.withLock { $0.randomElement(using: &random) }
                callers.append(Task { try await Self.take(refresher, after: mark, marks) })
            case 5: callers.randomElement(using: &random)?.cancel()
            case 6: clock.advance(by: .seconds(random.next(below: 12)))
            default: _ = office.end(random.next(below: 3) > 0)
            }
            for _ in 0..<random.next(below: 4) { await Task.yield() }
        }
        // Everybody gets an answer once refreshes end.
        let all = callers
        let ending = Task { () -> Int in
            var answers = 0
            for caller in all {
                _ = await caller.result
                answers += 1
            }
            return answers
        }
        let end = ContinuousClock.now + .seconds(60)
        let finished = Lock(false)
        let watch = Task {
            _ = await ending.value
            finished.withLock { $0 = true }
        }
        while !finished.withLock({ $0 }), ContinuousClock.now < end {
            _ = office.end(true)
            await Task.yield()
        }
        #expect(finished.withLock { $0 }, "seed \(seed): somebody waits for ever")
        guard finished.withLock({ $0 }) else {
            for caller in all { caller.cancel() }
            return
        }
        await watch.value
        let state = office.state.withLock { $0 }
        #expect(state.overlaps == 0, "seed \(seed): two refreshes at a time")
        // A credential from which a refresh went well is gone: none begins from it again.
        let succeeded = state.begun.enumerated().filter { $0.offset + 1 < state.begun.count }
        for (index, from) in succeeded where state.begun[index + 1] != from {
            #expect(!state.begun[(index + 1)...].contains(from), "seed \(seed): \(state.begun)")
        }
        #expect(refresher.waiterCount == 0, "seed \(seed)")
    }

    /// Takes a credential, and notes its mark and that it is newer than the refused one.
    private static func take(
        _ refresher: CredentialRefresher<Int>, after refused: Int?, _ marks: Lock<[Int]>
    ) async throws -> Int? {
        guard let current = try await refresher.current(after: refused) else { return nil }
        if let refused { #expect(current.generation > refused) }
        marks.withLock { $0.append(current.generation) }
        return current.generation
    }

    // MARK: The state as a value

    private static let start = MonotonicInstant(nanoseconds: 1_000)
    private static let failure = MartletError(.authenticationFailed, "No.")

    private func isStart(_ decision: RefreshState<Int>.Decision) -> Bool {
        if case .start = decision { true } else { false }
    }

    private func isJoin(_ decision: RefreshState<Int>.Decision) -> Bool {
        if case .join = decision { true } else { false }
    }

    private func used(_ decision: RefreshState<Int>.Decision) -> Int? {
        if case .use(let credential, _) = decision { credential } else { nil }
    }

    private func isFailure(_ decision: RefreshState<Int>.Decision) -> Bool {
        if case .fail = decision { true } else { false }
    }

    @Test func aGenerationIsRefreshedOnce() {
        var state = RefreshState(7, window: nil, now: Self.start)
        #expect(used(state.next(after: nil, due: nil, at: Self.start)) == 7)
        #expect(isStart(state.next(after: 0, due: nil, at: Self.start)))
        #expect(isJoin(state.next(after: 0, due: nil, at: Self.start)))
        #expect(isJoin(state.next(after: nil, due: nil, at: Self.start)))
        state.end(.success(8), at: Self.start)
        #expect(used(state.next(after: 0, due: nil, at: Self.start)) == 8)
        #expect(isStart(state.next(after: 1, due: nil, at: Self.start)))
    }

    @Test func aFailureIsThatOfAllWhoWereRefusedBeforeIt() {
        var state = RefreshState(7, window: nil, now: Self.start)
        #expect(isStart(state.next(after: 0, due: nil, at: Self.start)))
        state.end(.failure(Self.failure), at: Self.start)
        #expect(isFailure(state.next(after: 0, due: nil, at: Self.start)))
        #expect(used(state.next(after: nil, due: nil, at: Self.start)) == 7)
        #expect(isStart(state.next(after: 1, due: nil, at: Self.start)))
    }

    @Test func aCredentialThatWasFoundDueIsLookedAtAgainWhenItHasChanged() {
        var state = RefreshState(7, window: nil, now: Self.start)
        #expect(isStart(state.next(after: nil, due: 0, at: Self.start)))
        state.end(.success(8), at: Self.start)
        let decision = state.next(after: nil, due: 0, at: Self.start)
        if case .lookAgain = decision {} else { Issue.record("\(decision)") }
    }

    @Test func theWindowMovesOn() {
        var state = RefreshState(7, window: RefreshWindow(maximum: 1, interval: .seconds(1)), now: Self.start)
        #expect(isStart(state.next(after: 0, due: nil, at: Self.start)))
        state.end(.success(8), at: Self.start)
        #expect(isFailure(state.next(after: 1, due: nil, at: Self.start + .milliseconds(999))))
        #expect(isStart(state.next(after: 1, due: nil, at: Self.start + .seconds(1))))
        state.set(9, at: Self.start)
        #expect(used(state.next(after: 1, due: nil, at: Self.start)) == 9)
        #expect(isStart(state.next(after: 2, due: nil, at: Self.start + .seconds(1))))
    }
}
