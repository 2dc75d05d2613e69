// The transport without a wire, under a real client.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct MockTransportTests {
    struct User: Codable, Equatable {
        var name: String
    }

    private func client(_ transport: MockTransport) -> MartletClient {
        MartletClient(transport: transport, baseURL: "https://api.example.com")
    }

    private func request(_ method: HTTPMethod = .get, body: RequestBody = .empty) throws -> Request {
        Request(method: method, url: try RequestURL("https://api.example.com/a"), body: body)
    }

    @Test func answersAClient() async throws {
        let transport = MockTransport { request in
            request.path == "/users/1" ? .json(User(name: "Ada")) : .status(404)
        }
        let user: User = try await client(transport).get("/users/1").json()
        #expect(user == User(name: "Ada"))
        #expect(try await client(transport).get("/other").response().status == 404)
        #expect(transport.requests.map(\.path) == ["/users/1", "/other"])
        #expect(transport.requests.map(\.method) == [.get, .get])
    }

    @Test(arguments: [
        RequestBody.data(Data("abc".utf8)),
        .stream(length: 3) {
            AsyncStream {
                $0.yield(Data("ab".utf8)); $0.yield(Data("c".utf8)); $0.finish()
            }
        },
        .stream {
            AsyncStream {
                $0.yield(Data("abc".utf8)); $0.finish()
            }
        },
    ])
    func recordsBodies(body: RequestBody) async throws {
        let transport = MockTransport { .text($0.bodyText) }
        let response = try await transport.send(try request(.post, body: body))
        #expect(String(decoding: try await response.body.collect(), as: UTF8.self) == "abc")
        #expect(transport.requests.first?.bodyText == "abc")
    }

    @Test func failsWhenTheBodyDoes() async throws {
        let transport = MockTransport { _ in .ok }
        let short = RequestBody.stream(length: 3) {
            AsyncStream {
                $0.yield(Data("ab".utf8)); $0.finish()
            }
        }
        await #expect(throws: MartletError.self) { _ = try await transport.send(try request(.post, body: short)) }
        #expect(transport.requests.isEmpty)
    }

    @Test func givesAnswersInTheirOrderAndRepeatsTheLast() async throws {
        let transport = MockTransport(answers: [.status(503), .status(502), .ok])
        var statuses: [HTTPStatus] = []
        for _ in 0..<4 { statuses.append(try await transport.send(try request()).status) }
        #expect(statuses == [503, 502, 200, 200])
    }

    @Test func failsAtTheHead() async throws {
        let transport = MockTransport(answers: [.failure(MartletError(.connectionRefused, "Nobody is there."))])
        let error = try await #require(throws: MartletError.self) { _ = try await transport.send(try request()) }
        #expect(error.code == .connectionRefused)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [(0, ""), (1, "a"), (3, "abc"), (4, "abcd"), (9, "abcdef")])
    func failsInTheMiddleOfTheBody(bytes: Int, expected: String) async throws {
        let transport = MockTransport { _ in
            .chunks([Data("abc".utf8), Data("def".utf8)]).failing(after: bytes)
        }
        let response = try await transport.send(try request())
        #expect(response.headers.contentLength == 6)
        var received = ""
        let error = try await #require(throws: MartletError.self) {
            for try await chunk in response.body { received += String(decoding: chunk, as: UTF8.self) }
        }
        #expect(error.code == .bodyTruncated)
        #expect(received == expected)
    }

    @Test func streams() async throws {
        let transport = MockTransport { _ in
            .stream(type: "text/plain") {
                AsyncThrowingStream {
                    $0.yield(Data("ab".utf8)); $0.finish()
                }
            }
        }
        let response = try await transport.send(try request())
        #expect(response.headers.contentLength == nil)
        #expect(try await response.body.collect() == Data("ab".utf8))
    }

    @Test(arguments: [(HTTPMethod.head, HTTPStatus(200)), (.get, 204), (.get, 304)])
    func leavesTheBodyOutWhereThereIsNone(method: HTTPMethod, status: HTTPStatus) async throws {
        let transport = MockTransport { _ in .data(Data("abc".utf8), status: status) }
        let response = try await transport.send(try request(method))
        #expect(try await response.body.collect().isEmpty)
        #expect(response.headers.contentLength == (status == 200 ? 3 : nil))
    }

    @Test func waitsOnItsClock() async throws {
        let clock = TestClock()
        let transport = MockTransport(clock: clock) { _ in .text("late").delayed(by: .seconds(60)) }
        let call = Task { try await transport.send(try request()).status }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        #expect(try await call.value == 200)
    }

    @Test func pacesTheBody() async throws {
        let clock = TestClock(advancesItself: true)
        let transport = MockTransport(clock: clock) { _ in
            .chunks([Data("a".utf8), Data("b".utf8)]).paced(every: .seconds(5))
        }
        _ = try await transport.send(try request()).body.collect()
        #expect(clock.sleeps == [.seconds(5), .seconds(5)])
    }

    @Test(arguments: [MockResponse.never, .ok.delayed(by: .seconds(3600))])
    func endsWhenItIsCancelled(answer: MockResponse) async throws {
        let transport = MockTransport(answers: [answer])
        let call = Task { try await transport.send(try request()).status }
        try await transport.waitForRequests(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
    }

    @Test func cancellationEndsTheBody() async throws {
        let transport = MockTransport { _ in .stream { AsyncThrowingStream { $0.yield(Data("a".utf8)) } } }
        let begun = TestSignal()
        let call = Task {
            for try await _ in try await transport.send(try request()).body { begun.fire() }
        }
        try await begun.wait(timeout: .seconds(60))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func givesInformationalResponses() async throws {
        let heads = Box<[ResponseHead]>([])
        var request = try request()
        request.options.onInformational = { heads.value?.append($0) }
        let transport = MockTransport(answers: [.ok.informational(103, headers: ["Link": "</a>"])])
        _ = try await transport.send(request)
        #expect(heads.value?.map(\.status) == [103])
    }

    @Test func failsAfterShutdown() async throws {
        let transport = MockTransport { _ in .ok }
        let client = client(transport)
        await client.shutdown()
        #expect(transport.isShutDown)
        let error = try await #require(throws: MartletError.self) { _ = try await transport.send(try request()) }
        #expect(error.code == .clientShutDown)
    }
}
