// The chain: order, what each layer sees, what becomes of errors, the deadline and cancellation.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct InterceptorTests {
    private let trail = Trail()

    private func client(
        _ transport: MockTransport = MockTransport { _ in .text("ok") },
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) -> MartletClient {
        .mocked(transport, change)
    }

    /// Appends its name to a field, and says when it was entered and left.
    private func layer(_ name: String) -> ClosureInterceptor {
        .interceptor { [trail] request, next in
            var request = request
            let before = request.headers["X-Trail"].map { "\($0) " } ?? ""
            trail.add("\(before)>\(name)")
            request.headers["X-Trail"] = before + name
            let response = try await next(request)
            trail.add("<\(name)")
            return response
        }
    }

    @Test func layersAreWalkedFromTheClientThroughTheScopedClientToTheCallAndEachSeesWhatThoseBeforeItMade()
        async throws
    {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) {
            $0.defaults.interceptors = [layer("1")]
            $0.defaults.attemptInterceptors = [layer("4")]
        }
        let scoped = client.scoped {
            $0.interceptors.append(layer("2"))
            $0.attemptInterceptors.append(layer("5"))
        }
        _ = try await scoped.get("/").intercepting(layer("3")).interceptingAttempts(layer("6")).response()
        #expect(transport.requests.map { $0.headers["X-Trail"] } == ["1 2 3 4 5 6"])
        #expect(
            trail.steps == [
                ">1", "1 >2", "1 2 >3", "1 2 3 >4", "1 2 3 4 >5", "1 2 3 4 5 >6", "<6", "<5", "<4", "<3", "<2", "<1",
            ])
    }

    @Test func whatALayerChangesIsSeenOnlyInsideIt() async throws {
        let seen = Trail()
        let client = client {
            $0.defaults.interceptors = [
                .observe { request, _ in seen.add(request.headers["X-A"] ?? "-") },
                .adapt { $0.headers["X-A"] = "1" },
                .observe { request, _ in seen.add(request.headers["X-A"] ?? "-") },
            ]
        }
        let call = client.get("/")
        _ = try await call.response()
        #expect(seen.steps == ["1", "-"])
        #expect(try call.makeRequest().headers["X-A"] == nil)
    }

    @Test func aLayerMayAnswerWithoutTheWire() async throws {
        let transport = MockTransport { _ in .status(500) }
        let client = client(transport) {
            $0.defaults.interceptors = [
                .interceptor { request, _ in
                    Response(head: ResponseHead(status: 200), body: ResponseBody(Data("own".utf8)), url: request.url)
                }
            ]
        }
        #expect(try await client.get("/").string() == "own")
        #expect(transport.requests.isEmpty)
    }

    @Test func aLayerMaySendAgain() async throws {
        let transport = MockTransport(answers: [.status(401), .text("in")])
        let client = client(transport) {
            $0.defaults.interceptors = [
                .interceptor { request, next in
                    let first = try await next(request)
                    guard first.status == 401 else { return first }
                    var again = request
                    again.headers["X-Token"] = "new"
                    return try await next(again)
                }
            ]
        }
        #expect(try await client.get("/").string() == "in")
        #expect(transport.requests.map { $0.headers["X-Token"] } == [nil, "new"])
    }

    @Test func withoutLayersNoneIsWalked() {
        #expect(client().get("/").layers.isBare)
        #expect(!client().get("/").intercepting(layer("1")).layers.isBare)
        let scoped = client { $0.defaults.interceptors = [layer("1")] }.scoped { $0.interceptors = [] }
        #expect(scoped.get("/").layers.isBare)
    }

    @Test func callsThatChangeNothingShareTheLayersOfTheirClient() {
        let client = client { $0.defaults.interceptors = [layer("1")] }
        #expect(client.get("/").layers === client.post("/").header("X-A", "1").layers)
    }

    // MARK: Errors

    private struct OwnError: Error, Equatable { var number = 1 }

    @Test(arguments: [true, false])
    func whatALayerFailsWithIsTheCauseOfATypedError(beforeTheWire: Bool) async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) {
            $0.defaults.interceptors = [
                .interceptor { request, next in
                    if beforeTheWire { throw OwnError() }
                    _ = try await next(request)
                    throw OwnError()
                }
            ]
        }
        let error = try await #require(throws: MartletError.self) { _ = try await client.get("/a?b=secret").data() }
        #expect(error.code == .interceptorFailed)
        #expect(error.underlying as? OwnError == OwnError())
        #expect(error.mayHaveReachedServer == !beforeTheWire)
        #expect(error.request?.url == "https://api.example.com/a?b=<redacted>")
        #expect(transport.requests.count == (beforeTheWire ? 0 : 1))
    }

    @Test func aTypedErrorOfALayerStaysAsItIs() async throws {
        let client = client { $0.defaults.interceptors = [.adapt { _ in throw MartletError(.invalidRequest, "No.") }] }
        let error = try await #require(throws: MartletError.self) { _ = try await client.get("/").data() }
        #expect(error.code == .invalidRequest)
    }

    @Test(arguments: [true, false])
    func whatTheTransportFailsWithIsTypedToo(hasLayers: Bool) async throws {
        let client = client(MockTransport { _ in throw OwnError() }) {
            if hasLayers { $0.defaults.interceptors = [.adapt { _ in }] }
        }
        let error = try await #require(throws: MartletError.self) { _ = try await client.get("/").data() }
        #expect(error.code == .other)
        #expect(error.underlying as? OwnError == OwnError())
    }

    // MARK: Ends

    @Test func theTotalTimeoutEndsACallWhoseLayerWaits() async throws {
        let client = client {
            $0.defaults.interceptors = [.adapt { _ in try await Task.sleep(for: .seconds(3600)) }]
        }
        await expectFailure(.deadlineExceeded) { try await client.get("/").timeout(.milliseconds(50)).data() }
    }

    @Test func theTotalTimeoutIsNotOfTheClockThatATestMoves() async throws {
        let client = client { $0.defaults.interceptors = [.adapt { _ in }] }
        #expect(try await client.get("/").timeout(.seconds(600)).string() == "ok")
    }

    @Test func theDeadlineReachesTheWireThoughALayerMakesTheRequestAnew() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) {
            $0.defaults.interceptors = [
                .interceptor { request, next in try await next(Request(url: request.url)) }
            ]
        }
        _ = try await client.get("/").timeout(.seconds(600)).response()
        #expect(transport.requests.map { $0.request.options.deadline != nil } == [true])
    }

    @Test func cancellationWinsOverWhatALayerMakesOfIt() async throws {
        let isInside = TestSignal()
        let client = client {
            $0.defaults.interceptors = [
                .adapt { _ in
                    isInside.fire()
                    try? await Task.sleep(for: .seconds(3600))
                    throw OwnError()
                }
            ]
        }
        let call = Task { try await client.get("/").data() }
        try await isInside.wait(timeout: .seconds(60))
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
    }

    @Test func aCancelledCallGoesNoFurther() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport) {
            $0.defaults.interceptors = [.adapt { _ in withUnsafeCurrentTask { $0?.cancel() } }]
        }
        let call = Task { try await client.get("/").data() }
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(transport.requests.isEmpty)
    }

    // MARK: Recovery

    @Test func aRequestThatGoesAgainAfterItsConnectionWasLostPassesTheAttemptLayersAgain() async throws {
        let signatures = Lock(0)
        let lost = MartletError(.connectionClosed, "Lost.").with { $0.recovery = .staleConnection }
        let transport = MockTransport(answers: [.failure(lost), .ok])
        let client = client(transport) {
            $0.defaults.interceptors = [layer("call")]
            $0.defaults.attemptInterceptors = [
                .adapt { request in
                    request.headers["X-Signature"] = "\(signatures.withLock { $0 += 1; return $0 })"
                }
            ]
        }
        let response = try await client.get("/").response()
        #expect(transport.requests.map { $0.headers["X-Signature"] } == ["1", "2"])
        #expect(trail.steps == [">call", "<call"])
        #expect(response.attempts.map(\.number) == [1])
    }
}
