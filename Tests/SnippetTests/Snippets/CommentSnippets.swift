import Foundation
import Martlet
import MartletTesting
import Testing

/// What documentation comments of Martlet show.
@Suite struct MartletCommentSnippets {
    @Test func client() async throws {
        try await Example.run { server in
            // snippet
            let client = MartletClient(baseURL: "\(server.baseURL)")
            let user: User = try await client.get("/users/1").json()
            // end
            #expect(user.name == "Ada")
        }
    }

    @Test func executor() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let user: User = try await withTaskExecutorPreference(client.executor) {
                try await client.get("/users/1").json()
            }
            // end
            #expect(user.name == "Ada")
        }
    }

    @Test func call() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let report = try await client.get("/report").query("page", 2).header("Accept-Language", "de").json()
            // end
            #expect(report.totals?.pages == 3)
        }
    }

    @Test func responseBody() async throws {
        let sink = Sink()
        try await Example.run { server in
            let client = MartletClient()
            let url = server.url("/export.csv")
            // snippet
            let response = try await client.get(url).stream()
            for try await chunk in response.body { sink.write(chunk) }
            // end
            #expect(sink.count == Example.export.utf8.count)
        }
    }

    @Test func headers() {
        // snippet
        var headers: HTTPHeaders = ["Accept": "text/csv"]
        headers["Accept-Language"] = "de"
        headers.append("Link", "</a>; rel=prev")
        // end
        #expect(headers.description == "Accept: text/csv\nAccept-Language: de\nLink: </a>; rel=prev")
    }

    @Test func jsonValue() async throws {
        let transport = MockTransport(answers: [.json(#"{"address": {"city": "Oslo"}, "tags": ["a", "b"]}"#)])
        let client = MartletClient(transport: transport, baseURL: "https://api.example.com")
        // snippet
        let user = try await client.get("/users/1").json()
        let city = user.address?.city?.string
        let first = user["tags"]?[0]?.string
        // end
        #expect([city, first] == ["Oslo", "a"])
    }
}

/// What documentation comments of MartletTesting show.
@Suite struct MartletTestingCommentSnippets {
    private let client = MartletClient()

    @Test func mockTransport() async throws {
        // snippet
        let transport = MockTransport { request in
            request.path == "/users/1" ? .json(User(name: "Ada")) : .status(404)
        }
        let client = MartletClient(transport: transport, baseURL: "https://api.example.com")
        let user: User = try await client.get("/users/1").json()
        #expect(transport.requests.map(\.path) == ["/users/1"])
        // end
        #expect(user.name == "Ada")
    }

    @Test func mockResponse() async throws {
        let bytes = Data(repeating: 1, count: 2000)
        // snippet
        let found = MockResponse.json(User(name: "Ada"))
        let busy = MockResponse.text("busy", status: 503, headers: ["Retry-After": "1"])
        let broken = MockResponse.data(bytes).failing(after: 1000)
        let refused = MockResponse.failure(MartletError(.connectionRefused, "Nobody listens there."))
        // end
        let transport = MockTransport(answers: [found, busy, broken, refused])
        let client = MartletClient(transport: transport, baseURL: "https://api.example.com")
        let user: User = try await client.get("/").json()
        #expect(user.name == "Ada")
        for code in [MartletError.Code.unacceptableStatus, .bodyTruncated, .connectionRefused] {
            let error = await #expect(throws: MartletError.self) { try await client.get("/").data() }
            #expect(error?.code == code)
        }
    }

    @Test func testClock() async throws {
        @Sendable func somethingThatWaitsAMinute(clock: TestClock) async throws {
            try await clock.sleep(for: .seconds(60))
        }
        // snippet
        let clock = TestClock()
        let call = Task { try await somethingThatWaitsAMinute(clock: clock) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        try await call.value
        // end
        #expect(clock.sleeps == [.seconds(60)])
    }

    @Test func testServer() async throws {
        // snippet
        let answering = try await TestServer.serve { request in .json(["path": request.path]) }

        let scripted = try await TestServer.start(scripts: [[.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .reset]])

        let driven = try await TestServer.start { connection in
            _ = try await connection.readHead()
            try await connection.stall()
        }
        // end
        #expect(try await client.get(answering.url("/a")).json()["path"] == "/a")
        await #expect(throws: MartletError.self) { try await client.get(scripted.url()).data() }
        await #expect(throws: MartletError.self) {
            try await client.get(driven.url()).timeout(.milliseconds(50)).data()
        }
        for server in [answering, scripted, driven] { await server.stop() }
    }

    @Test func scopedServer() async throws {
        // snippet
        try await TestServer.withServer { connection in
            _ = try await connection.readRequest()
            connection.reset()
        } run: { server in
            await #expect(throws: MartletError.self) { try await client.get(server.url("/")).data() }
        }
        // end
    }

    @Test func testConnection() async throws {
        // snippet
        let server = try await TestServer.start { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            connection.reset()
        }
        // end
        await #expect(throws: MartletError.self) { try await client.get(server.url()).data() }
        await server.stop()
    }

    @Test func http2Frame() async throws {
        // snippet
        let server = try await TestServer.start { connection in
            try await connection.acceptHTTP2()
            try await connection.readHTTP2Request()
            try await connection.send(.headers(1, [":status": "200"]), .data(1, "half"), .reset(1, code: 0))
        }
        // end
        var configuration = ClientConfiguration()
        configuration.httpVersion = .http2PriorKnowledge
        let client = MartletClient(configuration)
        await #expect(throws: MartletError.self) { try await client.get(server.url()).data() }
        await client.shutdown()
        await server.stop()
    }

    @Test func testStep() async throws {
        // snippet
        let server = try await TestServer.start(scripts: [
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .reset],
            [.readRequest, .respond(.text("whole"))],
        ])
        // end
        await #expect(throws: MartletError.self) { try await client.get(server.url()).data() }
        #expect(try await client.get(server.url()).string() == "whole")
        await server.stop()
    }

    @Test func testResponse() async throws {
        // snippet
        let found = TestResponse.json(User(name: "Ada"))
        let refused = TestResponse.text("slow down", status: 429, headers: ["Retry-After": "1"])
        let chunked = TestResponse(status: 200, body: .chunked([Data("a".utf8), Data("b".utf8)]))
        // end
        let answers = ["/found": found, "/refused": refused, "/chunked": chunked]
        let server = try await TestServer.serve { request in answers[request.path] ?? .notFound }
        #expect(try await client.get(server.url("/found")).json(as: User.self).name == "Ada")
        #expect(try await client.get(server.url("/refused")).response().status == .tooManyRequests)
        #expect(try await client.get(server.url("/chunked")).string() == "ab")
        await server.stop()
    }

    @Test func testSignal() async throws {
        // snippet
        let headSeen = TestSignal()
        let server = try await TestServer.start(scripts: [[.readHead, .signal(headSeen), .stall]])
        let call = Task { try await client.get(server.url("/")).json(as: User.self) }
        try await headSeen.wait(timeout: .seconds(10))
        call.cancel()
        // end
        await #expect(throws: CancellationError.self) { try await call.value }
        await server.stop()
    }

    #if SocketTransport && os(Linux)
    @Test func testTLS() async throws {
        // snippet
        var options = TestServer.Options()
        options.tls = try .testCertificate()
        let server = try await TestServer.serve(options) { _ in .text("hi") }
        let rootPEM = server.certificateAuthority?.pem
        // end
        var configuration = ClientConfiguration()
        configuration.tls.roots = .only(pem: Data(try #require(rootPEM).utf8))
        #expect(try await MartletClient(configuration).get(server.url()).string() == "hi")
        await server.stop()
    }

    @Test func testCertificateAuthority() throws {
        // snippet
        let authority = try TestCertificateAuthority()
        let certificate = try authority.certificate(names: ["localhost"])
        let clientCertificate = try authority.certificate(names: ["client"])
        // end
        #expect(certificate.authority.pem == clientCertificate.authority.pem)
    }
    #endif
}
