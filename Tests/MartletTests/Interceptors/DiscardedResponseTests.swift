// What becomes of the body of a response that is not the call's: taken off the wire within bounds, so that the connection goes on
// to carry the next request, or the connection ends.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite("Discarded responses", .timeLimit(.minutes(5))) struct DiscardedResponseTests {
    enum Cause: CaseIterable, Sendable { case redirect, retry }

    private static func head(_ cause: Cause, _ fields: String) -> String {
        let start = cause == .retry ? "503 Busy\r\n" : "302 Found\r\nLocation: /next\r\n"
        return "HTTP/1.1 \(start)\(fields)\r\n\r\n"
    }

    private static func client(_ configuration: inout ClientConfiguration) {
        configuration.defaults.retry = .idempotent
        configuration.defaults.retry.backoff = .none
    }

    @Test(arguments: Cause.allCases, [0, 100, 60_000])
    func aSmallOneLeavesItsConnectionForWhatComesNext(cause: Cause, bytes: Int) async throws {
        let answer = Self.head(cause, "Content-Length: \(bytes)") + String(repeating: "x", count: bytes)
        let steps: [TestStep] = [.readRequest, .send(answer), .readRequest, .respond(.text("there"))]
        try await withPeer(.scripts(steps), client: Self.client) { client, server in
            try await client.expectText("there")
            #expect(server.connectionCount == 1)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: Cause.allCases)
    func aChunkedOneToo(cause: Cause) async throws {
        let answer = Self.head(cause, "Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n"
        let steps: [TestStep] = [.readRequest, .send(answer), .readRequest, .respond(.text("there"))]
        try await withPeer(.scripts(steps), client: Self.client) { client, server in
            try await client.expectText("there")
            #expect(server.connectionCount == 1)
        }
    }

    /// Said to be long, or of no known length and without an end: not waited for.
    @Test(arguments: Cause.allCases, ["Content-Length: 65537", "Content-Length: 100", "Transfer-Encoding: chunked"])
    func oneThatDoesNotComeEndsItsConnection(cause: Cause, fields: String) async throws {
        let stalling: [TestStep] = [.readRequest, .send(Self.head(cause, fields)), .waitForClose]
        let next: [TestStep] = [.readRequest, .respond(.text("there"))]
        try await withPeer(.scripts(stalling, next), client: Self.client) { client, server in
            try await client.expectText("there")
            #expect(server.connectionCount == 2)
            try await server.waitForRequests(2)
        }
    }

    @Test(arguments: Cause.allCases)
    func anEndlessOneEndsItsConnection(cause: Cause) async throws {
        let endless = Peer.connection { connection in
            if connection.number > 0 {
                while true { _ = try await connection.readRequest(); try await connection.respond(.text("there")) }
            }
            _ = try await connection.readRequest()
            try await connection.send(Self.head(cause, "Transfer-Encoding: chunked"))
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            while true { try await connection.send(chunk) }
        }
        try await withPeer(endless, client: Self.client) { client, server in
            try await client.expectText("there")
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: Cause.allCases)
    func cancellingWhileItIsTakenOffTheWireEndsTheCall(cause: Cause) async throws {
        let stalling: [TestStep] = [.readRequest, .send(Self.head(cause, "Content-Length: 100")), .waitForClose]
        try await withPeer(.scripts(stalling), client: Self.client) { client, server in
            let call = Task { try await client.get("/").response() }
            try await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { _ = try await call.value }
        }
    }

    /// The attempt's own timeout counts as a failed attempt; the call's total timeout would end it.
    @Test func anAttemptThatIsNotAnsweredInItsTimeIsRepeated() async throws {
        let silent: [TestStep] = [.readRequest, .waitForClose]
        let next: [TestStep] = [.readRequest, .respond(.text("there"))]
        try await withPeer(.scripts(silent, next), client: Self.client) { client, server in
            var policy = RetryPolicy.idempotent
            policy.attemptTimeout = .milliseconds(50)
            policy.backoff = .none
            let response = try await client.get("/").retry(policy).timeout(.seconds(30)).response()
            #expect(response.status == 200)
            #expect(response.attempts.map(\.reason) == ["attemptTimeout"])
            #expect(server.connectionCount == 2)
        }
    }

    @Test func theAttemptsTimeoutDoesNotBoundTheBody() async throws {
        let goesOn = TestSignal()
        let peer = Peer.connection { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
            try await goesOn.wait(timeout: .seconds(60))
            try await connection.send("b")
            try await connection.stall()
        }
        let time = ManualTime()
        try await withPeer(
            peer,
            client: {
                Self.client(&$0); $0.time = time.source
            }
        ) { client, _ in
            var policy = RetryPolicy.idempotent
            policy.attemptTimeout = .seconds(5)
            let response = try await client.get("/").retry(policy).stream()
            await time.advance(by: .seconds(10), in: client)
            goesOn.fire()
            #expect(try await response.body.collect() == Data("ab".utf8))
        }
    }

    @Test func theTotalTimeoutEndsACallWhateverAttemptsItHasLeft() async throws {
        let silent: [TestStep] = [.readRequest, .waitForClose]
        try await withPeer(.scripts(silent), client: Self.client) { client, _ in
            var policy = RetryPolicy.idempotent.attempts(1_000)
            policy.attemptTimeout = .milliseconds(40)
            policy.backoff = .none
            let error = await expectFailure(.deadlineExceeded) {
                try await client.get("/").retry(policy).timeout(.milliseconds(300)).response()
            }
            #expect(error.map { $0.attempts.count <= 8 } == true)
            #expect(error?.mayHaveReachedServer == true)
        }
    }
}
#endif
