import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct GetTests {
    @Test func passesOnTheBytesOfTheBody() async throws {
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        try await TestServer.serving { _ in
            .data(body)
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.output == body)
            #expect(outcome.errors == "")
        }
    }

    @Test func sendsTheHeadersInTheirOrder() async throws {
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let outcome = try await BuiltTool.run(
                "get", "-H", "X-A: 1", "-H", "X-B:2", "-H", "X-A: 3", server.url("/p?q=1"))
            #expect(outcome.status == 0)
            #expect(server.requests.map(\.target) == ["/p?q=1"])
            #expect(server.requests.first?.values(for: "X-A") == ["1", "3"])
            #expect(server.requests.first?["X-B"] == "2")
        }
    }

    @Test func includePrintsTheHeadBeforeTheBody() async throws {
        let head =
            "HTTP/1.1 200 Fine\r\nX-Odd:  spaced  \r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 4\r\n\r\n"
        try await TestServer.withServer(script: [.readRequest, .send(head + "body"), .waitForClose]) { server in
            let outcome = try await BuiltTool.run("get", "--include", server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.text == head.replacing(":  spaced  ", with: ": spaced") + "body")
        }
    }

    @Test func aStatusFrom400IsAFailureWithItsBody() async throws {
        try await TestServer.serving { _ in
            .text("not here\n", status: 404)
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/a?token=secret"))
            #expect(outcome.status == 22)
            #expect(outcome.text == "not here\n")
            #expect(
                outcome.errors.hasPrefix("martlet-cli: The server answered 404 Not Found. [GET \(server.url("/a"))"))
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
            #expect(!outcome.errors.contains("secret"))
        }
    }

    @Test(arguments: [["--follow"], ["-L"], ["--max-redirects", "1"]])
    func aRedirectIsFollowedWhenAsked(arguments: [String]) async throws {
        try await TestServer.serving { request in
            request.path == "/" ? .redirect(to: "/elsewhere") : .text("there")
        } run: { server in
            let outcome = try await BuiltTool.run(["get", server.url("/")] + arguments)
            #expect(outcome.status == 0)
            #expect(outcome.text == "there")
        }
    }

    @Test func tooManyRedirectsAreAFailureOfTheResponse() async throws {
        try await TestServer.serving { request in
            .redirect(to: request.path + "a")
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "--max-redirects", "2")
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("redirected more than 2 times"))
            #expect(server.requests.count == 3)
        }
    }

    @Test func whatFailedIsTriedAgainWhenAsked() async throws {
        try await TestServer.serving { request in
            request.connectionNumber == 0 && request.indexOnConnection == 0
                ? .text("busy", status: 503, headers: ["Retry-After": "0"]) : .text("there")
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "--retry", "1")
            #expect(outcome.status == 0)
            #expect(outcome.text == "there")
            #expect(server.requests.count == 2)
        }
    }

    @Test func aRedirectIsSaidAndNotFollowed() async throws {
        try await TestServer.serving { _ in
            .redirect(to: "/elsewhere")
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("redirects to /elsewhere"))
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [
        (["get", "ftp://a/"], 3), (["get", "a b"], 3), (["get", ""], 3), (["get", "--nonsense"], 2), ([], 2),
        (["get", "-H", "Content-Length: 5", "http://127.0.0.1:9/"], 2),
        (["get", "--cacert", "/nonexistent", "https://127.0.0.1:9/"], 8),
        (["get", "--output", "/nonexistent/file", "http://127.0.0.1:9/"], 8),
        (["get", "--output", "/", "http://127.0.0.1:9/"], 8),
    ])
    func whatNeedsNoServerFailsInOneLine(_ arguments: [String], status: Int) async throws {
        let outcome = try await BuiltTool(arguments: arguments).outcome()
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("martlet-cli: "))
        #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
    }

    @Test func aRefusedConnectionHasItsStatus() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await TestServer.withServer(options, { _ in }) { server in
            let outcome = try await BuiltTool.run("get", server.url("/"))
            #expect(outcome.status == 4)
            #expect(outcome.errors.contains("Nothing listens"))
        }
    }

    @Test func aTimeoutMayBeAFraction() async throws {
        try await TestServer.withServer(script: [.readRequest, .stall]) { server in
            let outcome = try await BuiltTool.run("get", "--timeout", "0.2", server.url("/"))
            #expect(outcome.status == 5)
            #expect(outcome.errors.contains("0.2 seconds"))
        }
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nBad Header\r\n\r\n", ""])
    func aBrokenResponseHasItsStatus(_ bytes: String) async throws {
        try await TestServer.withServer(script: [.readRequest, .send(bytes)]) { server in
            let outcome = try await BuiltTool.run("get", server.url("/"))
            #expect(outcome.status == 7)
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
        }
    }
}
