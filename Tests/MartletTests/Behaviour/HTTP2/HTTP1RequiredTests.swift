// A server that wants a request over HTTP/1.1 says so with HTTP_1_1_REQUIRED (RFC 9113, section 7): it has not processed it.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: HTTP/1.1 required", .timeLimit(.minutes(5)))
struct HTTP1RequiredTests {
    /// Answers over HTTP/1.1; over HTTP/2 a request brings `frames`.
    private static func peer(_ frames: @escaping @Sendable (RecordedRequest) -> [HTTP2Frame]) -> Peer {
        .connection { connection in
            guard await connection.tlsSession?.applicationProtocol == "h2" else {
                while true {
                    let request = try await connection.readRequest()
                    try await connection.respond(.text("1.1 \(request.bodyText)"))
                }
            }
            try await connection.acceptHTTP2()
            while true { try await connection.send(frames(try await connection.readHTTP2Request())) }
        }
    }

    private static func reset(_ request: RecordedRequest) -> [HTTP2Frame] { [.reset(request.stream ?? 1, code: 13)] }
    private static func goAway(_ request: RecordedRequest) -> [HTTP2Frame] { [.goAway(last: 0, code: 13)] }

    @Test(arguments: [false, true], [HTTPMethod.get, .post])
    func requestGoesAgainOverHTTP1(_ saysGoAway: Bool, _ method: HTTPMethod) async throws {
        let peer = Self.peer(saysGoAway ? Self.goAway : Self.reset)
        try await withPeer(peer, server: .http2()) { client, server in
            let call = method == .post ? client.post("/", data: Data("body".utf8)) : client.get("/")
            let response = try await call.response()
            #expect(response.head.version == .http1_1)
            #expect(String(decoding: response.body, as: UTF8.self) == (method == .post ? "1.1 body" : "1.1 "))
            #expect(response.attempts.count == 1)
            // Remembered: the next one is not tried over HTTP/2, and shares the connection.
            let next = try await client.get("/next").response()
            #expect(next.head.version == .http1_1)
            #expect(next.attempts.isEmpty)
            #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1", "HTTP/1.1"])
            #expect(server.connectionCount == 2)
            try await client.waitUntil { $0.connections == 1 }
        }
    }

    @Test(arguments: [1, 3])
    func manyAtOnceAllGoAgain(_ loops: Int) async throws {
        try await withPeer(Self.peer(Self.reset), server: .http2(), client: { $0.eventLoops = loops }) {
            client, server in
            try await withThrowingTaskGroup { group in
                for _ in 0..<30 { group.addTask { try await client.expectText("1.1 ") } }
                try await group.waitForAll()
            }
            let before = server.requests.count { $0.version == "HTTP/2" }
            try await client.expectText("1.1 ")
            if loops == 1 { #expect(server.requests.count { $0.version == "HTTP/2" } == before) }
        }
    }

    @Test func bodyThatCanBeReadOnceIsAnErrorThatNamesTheReason() async throws {
        try await withPeer(Self.peer(Self.reset), server: .http2()) { client, server in
            let error = await expectFailure(.versionNotNegotiated) {
                try await client.post("/", stream: GatedChunks(["once"])).data()
            }
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.message.contains("HTTP_1_1_REQUIRED") == true)
            // It is known from then on.
            try await client.expectText("1.1 ")
            #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1"])
        }
    }

    @Test func clientThatSpeaksHTTP2AloneFails() async throws {
        try await withPeer(Self.peer(Self.reset), server: .http2(), client: { $0.httpVersion = .http2 }) {
            client, server in
            let error = await expectFailure(.versionNotNegotiated) { try await client.get("/").data() }
            #expect(error?.attempts.isEmpty == true)
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.requests.count == 1)
        }
    }

    @Test func whatIsUnderWayFinishesOverHTTP2() async throws {
        let peer = Self.peer { request in
            switch request.path {
            case "/first": [.headers(1, [":status": "200"]), .data(1, "be")]
            default: [.reset(request.stream ?? 3, code: 13), .data(1, "gun", ends: true)]
            }
        }
        try await withPeer(peer, server: .http2()) { client, _ in
            let first = try await client.get("/first").stream()
            try await client.expectText("1.1 ", at: "/second")
            let text = String(decoding: try await first.body.collect(), as: UTF8.self)
            #expect(text == "begun")
        }
    }
}
