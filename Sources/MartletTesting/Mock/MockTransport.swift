// A transport without a wire, for the tests of code that uses Martlet: it answers from memory, keeps what it was
// asked, and fails where a test says. The layers above it, retries and redirects among them, are the real ones.

import Foundation
public import Martlet

/// A transport that answers from memory.
///
/// ```swift
/// let transport = MockTransport { request in
///     request.path == "/users/1" ? .json(User(name: "Ada")) : .status(404)
/// }
/// let client = MartletClient(transport: transport, baseURL: "https://api.example.com")
/// let user: User = try await client.get("/users/1").json()
/// #expect(transport.requests.map(\.path) == ["/users/1"])
/// ```
///
/// Timeouts are the wire's and do not apply here: answer with `.failure(MartletError(.idleTimeout, …))` to test them.
public final class MockTransport: Transport {
    /// What answers a request. What it throws is thrown to the caller in place of a response.
    public typealias Answer = @Sendable (MockRequest) async throws -> MockResponse

    private struct State: Sendable {
        var requests: [MockRequest] = []
        var started = 0
        var isShutDown = false
    }

    private let state = Watched(State())
    private let clock: any Clock<Duration>
    private let answer: Answer

    /// Makes a transport that answers each request with what the closure returns.
    ///
    /// - Parameters:
    ///   - clock: the clock on which delayed responses wait; the system's by default.
    ///   - answer: gives the response; it may wait, and may throw.
    public init(clock: any Clock<Duration> = ContinuousClock(), answer: @escaping Answer) {
        self.clock = clock
        self.answer = answer
    }

    /// Makes a transport that gives these answers one after the other, one for each attempt: the first request gets the
    /// first, a retry of it the second. The last is repeated; without any, every request fails.
    public convenience init(clock: any Clock<Duration> = ContinuousClock(), answers: [MockResponse]) {
        self.init(clock: clock) { request in
            guard !answers.isEmpty else {
                throw MartletError(.transportUnavailable, "The mock transport was given no answer. Give it one.")
            }
            return answers[min(request.index, answers.count - 1)]
        }
    }

    /// The requests so far, in the order in which they came, with their bodies.
    public var requests: [MockRequest] { state.value.requests.sorted { $0.index < $1.index } }

    /// Whether the transport was shut down; from then on every request fails with `MartletError.Code.clientShutDown`.
    public var isShutDown: Bool { state.value.isShutDown }

    /// Waits until at least `count` requests have come, and returns them.
    ///
    /// Throws `TestServerError.timedOut` after `timeout`, 30 s by default.
    @discardableResult
    public nonisolated(nonsending) func waitForRequests(
        _ count: Int, timeout: Duration = .seconds(30)
    ) async throws(TestServerError) -> [MockRequest] {
        try await state.wait(for: "\(count) requests", timeout: timeout) { $0.requests.count >= count }
        return requests
    }

    /// Answers a request. Throws what the answer says, and `CancellationError` when the task is cancelled.
    public nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        let index: Int? = state.update { state in
            guard !state.isShutDown else { return nil }
            defer { state.started += 1 }
            return state.started
        }
        guard let index else {
            throw MartletError(.clientShutDown, "The client was shut down. Make a new one.")
        }
        let body = try await request.body.collect()
        try Task.checkCancellation()
        let seen = MockRequest(request: request, body: body, index: index)
        state.update { $0.requests.append(seen) }
        do {
            let response = try await respond(to: seen)
            try Task.checkCancellation()
            return response
        } catch {
            // Cancellation wins over what it has caused.
            try Task.checkCancellation()
            throw error
        }
    }

    private nonisolated(nonsending) func respond(to seen: MockRequest) async throws -> Response<ResponseBody> {
        let response = try await answer(seen)
        if response.neverAnswers { await TestSignal().wait() }
        if let delay = response.headDelay { try await clock.sleep(for: delay) }
        for head in response.informational { seen.request.options.onInformational?(head) }
        if let error = response.headError { throw error }
        let hasBody = seen.method != .head && !response.isBodiless
        return Response(
            head: response.head,
            body: hasBody ? ResponseBody(MockBody(response: response, clock: clock)) : ResponseBody(Data()),
            url: seen.url)
    }

    /// Ends the transport: later requests fail with `MartletError.Code.clientShutDown`.
    public nonisolated(nonsending) func shutdown(drain: Duration) async {
        state.update { $0.isShutDown = true }
    }
}
