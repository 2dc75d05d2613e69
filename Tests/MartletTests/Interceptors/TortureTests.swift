// A call with every policy on, with a fault at its nth step, for each n: whatever breaks, the outcome is typed, the history says
// what happened, and nothing is left open.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Torture", .timeLimit(.minutes(5))) struct TortureTests {
    enum Fault: CaseIterable, Sendable { case lostConnection, ownError, cancellation }

    private struct OwnError: Error {}

    /// Counts the steps of a call and breaks one of them.
    private final class Saboteur: Sendable {
        private struct State {
            var count = 0
            var brokenStep: String?
            var passes = 0
            var open = 0
        }

        private let state = Lock(State())
        let breaking: Int
        let fault: Fault

        init(_ breaking: Int, _ fault: Fault) {
            self.breaking = breaking
            self.fault = fault
        }

        /// The step that was broken; nil when the call has fewer.
        var brokenStep: String? { state.withLock { $0.brokenStep } }
        /// How many attempts have begun.
        var passes: Int { state.withLock { $0.passes } }
        /// Bodies that are neither read to their end nor let go.
        var open: Int { state.withLock { $0.open } }

        /// Waits until all bodies are let go, which a task that was cancelled does in its own time, for ten seconds at most.
        func waitUntilClosed() async {
            let end = ContinuousClock.now + .seconds(60)
            while open > 0, ContinuousClock.now < end { await Task.yield() }
        }

        func step(_ name: String) throws {
            let isHere = state.withLock { state in
                state.count += 1
                if state.count == breaking { state.brokenStep = name }
                return state.count == breaking
            }
            guard isHere else { return }
            switch fault {
            case .lostConnection: throw MartletError(.connectionClosed, "Lost.").with { $0.mayHaveReachedServer = true }
            case .ownError: throw OwnError()
            case .cancellation:
                withUnsafeCurrentTask { $0?.cancel() }
                throw CancellationError()
            }
        }

        func pass() { state.withLock { $0.passes += 1 } }
        func opened() { state.withLock { $0.open += 1 } }
        func closed() { state.withLock { $0.open -= 1 } }
    }

    /// Held by whoever may still read a body.
    private final class Hold: Sendable {
        let saboteur: Saboteur
        init(_ saboteur: Saboteur) {
            self.saboteur = saboteur
            saboteur.opened()
        }
        deinit { saboteur.closed() }
    }

    private struct Chunks: AsyncSequence, Sendable {
        let hold: Hold

        struct AsyncIterator: AsyncIteratorProtocol {
            let hold: Hold
            var left = 2

            mutating func next() async throws -> Data? {
                try hold.saboteur.step("body")
                guard left > 0 else { return nil }
                left -= 1
                return Data("ab".utf8)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(hold: hold) }
    }

    /// 503, then a redirect; behind it 502, and then the answer.
    private final class Wire: Transport {
        let saboteur: Saboteur
        private let count = Lock(0)

        init(_ saboteur: Saboteur) { self.saboteur = saboteur }

        nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody> {
            try saboteur.step("connect")
            if case .feed(let feed) = try await request.body.open().content {
                try await feed { [saboteur] _ in try saboteur.step("send") }
            }
            try saboteur.step("wait")
            let number = count.withLock {
                $0 += 1; return $0
            }
            let isMoved = request.url.path != "/"
            let head =
                switch (isMoved, number) {
                case (false, 1): ResponseHead(status: 503, headers: ["Retry-After": "1"])
                case (false, _): ResponseHead(status: 307, headers: ["Location": "/moved"])
                case (true, 3): ResponseHead(status: 502)
                default: ResponseHead(status: 200)
                }
            return Response(head: head, body: ResponseBody(Chunks(hold: Hold(saboteur))), url: request.url)
        }
    }

    private static func client(_ saboteur: Saboteur, _ clock: TestClock) -> MartletClient {
        var configuration = ClientConfiguration()
        configuration.transport = Wire(saboteur)
        configuration.clock = clock
        configuration.randomness = SeededRandom(seed: 1)
        configuration.defaults.baseURL = "https://api.example.com"
        configuration.defaults.retry = .idempotent.deciding { attempt in
            try saboteur.step("retry?")
            return attempt.suggestion
        }
        configuration.defaults.redirects = .deciding { redirect in
            try saboteur.step("redirect?")
            return redirect.next
        }
        configuration.defaults.interceptors = [
            .interceptor { request, next in
                try saboteur.step("call before")
                let response = try await next(request)
                try saboteur.step("call after")
                return response
            }
        ]
        configuration.defaults.attemptInterceptors = [
            .interceptor { request, next in
                saboteur.pass()
                try saboteur.step("attempt before")
                let response = try await next(request)
                try saboteur.step("attempt after")
                return response
            }
        ]
        return MartletClient(configuration)
    }

    /// Runs the call with the fault at a step; false when the call has no such step.
    private static func run(_ breaking: Int, _ fault: Fault) async -> Bool {
        let saboteur = Saboteur(breaking, fault)
        let clock = TestClock(advancesItself: true)
        let outcome = await Task {
            let body = RequestBody.stream { [saboteur] in
                try saboteur.step("make the body")
                return AsyncStream {
                    $0.yield(Data("content".utf8)); $0.finish()
                }
            }
            return try await client(saboteur, clock).put("/").body(body).timeout(.seconds(600)).response()
        }.result
        let step = saboteur.brokenStep
        let place = Comment("\(fault) at step \(breaking), \(step ?? "none")")
        await saboteur.waitUntilClosed()
        #expect(saboteur.open == 0, place)
        #expect(clock.sleeperCount == 0, place)
        switch outcome {
        case .success(let response):
            #expect(response.status == 200, place)
            #expect(response.body == Data("abab".utf8), place)
            expectHistory(response.attempts, response.redirects, ends: [1], saboteur, place)
        case .failure(let error as MartletError):
            #expect(fault != .cancellation, place)
            #expect(!"\(error)".isEmpty, place)
            // What a layer throws away with the response it had is its own affair.
            if step?.hasPrefix("call") == false {
                expectHistory(error.attempts, error.redirects, ends: [0, 1], saboteur, place)
            }
        case .failure(let error):
            // A body that is not of our own transport fails with what it fails with.
            let isBodys = error is OwnError && step == "body"
            #expect(isBodys || (error is CancellationError && fault == .cancellation), "\(place): \(error)")
        }
        return step != nil
    }

    private static func expectHistory(
        _ attempts: [MartletError.AttemptRecord], _ redirects: [RedirectRecord], ends: Set<Int>, _ saboteur: Saboteur,
        _ place: Comment
    ) {
        #expect(ends.contains(saboteur.passes - attempts.count - redirects.count), place)
        #expect(redirects.allSatisfy { $0.status == 307 }, place)
        var last = 0
        for record in attempts {
            #expect(record.number == last + 1 || record.number == 1, place)
            #expect(record.cause is MartletError, place)
            last = record.number
        }
    }

    @Test(arguments: Fault.allCases)
    func whateverBreaksTheOutcomeIsTypedAndNothingIsLeft(fault: Fault) async {
        var step = 1
        while await Self.run(step, fault) { step += 1 }
        // 4 passes, each with its layers, its body and its wire, and what comes between them.
        #expect(step > 30)
    }
}
