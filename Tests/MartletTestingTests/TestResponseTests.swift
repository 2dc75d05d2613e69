// How responses are framed.

import Foundation
import MartletTesting
import Testing

@Suite struct TestResponseTests {
    static let framings: [(TestResponse, String)] = [
        (.ok, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        (.status(204), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
        (
            .text("hi", status: 299, headers: ["A": "1", "a": "2"]),
            "HTTP/1.1 299 Status\r\nA: 1\r\na: 2\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n"
                + "Connection: close\r\n\r\nhi"
        ),
        (
            TestResponse(body: .chunked([Data("ab".utf8), Data("c".utf8)]), trailers: ["Sum": "3"]),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Sum\r\nConnection: close\r\n\r\n"
                + "2\r\nab\r\n1\r\nc\r\n0\r\nSum: 3\r\n\r\n"
        ),
        (
            TestResponse(body: .untilClose(Data("end".utf8))), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nend"
        ),
        (
            .ok.informational(103, headers: ["Link": "</a>"]),
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        (
            TestResponse(headers: ["Content-Length": "9"], body: .data(Data("lie".utf8))),
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nlie"
        ),
        (
            .redirect(to: "/x"),
            "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        (
            .json(["b": 1, "a": 2]),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\n\r\n"
                + #"{"a":2,"b":1}"#
        ),
        (
            .json(#"{"a":}"#, status: 201),
            "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 6\r\nConnection: close\r\n\r\n"
                + #"{"a":}"#
        ),
    ]

    @Test(arguments: framings)
    func framesTheBody(response: TestResponse, expected: String) async throws {
        let server = try await TestServer.serve { _ in response.closing() }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.readToEnd() == expected)
        await server.stop()
    }

    @Test func leavesTheBodyOutForHEAD() async throws {
        let server = try await TestServer.serve { _ in .text("four").closing() }
        let client = try RawClient(port: server.port)
        try client.send("HEAD / HTTP/1.1\r\n\r\n")
        let text = try client.readToEnd()
        #expect(text.contains("Content-Length: 4\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
        await server.stop()
    }

    @Test func sendsAStream() async throws {
        let server = try await TestServer.serve { _ in
            let (stream, continuation) = AsyncStream<Data>.makeStream()
            continuation.yield(Data("ab".utf8))
            continuation.yield(Data("c".utf8))
            continuation.finish()
            return .stream(stream).closing()
        }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.readToEnd().hasSuffix("\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"))
        await server.stop()
    }

    @Test func resetsWhenAStreamFails() async throws {
        struct Broken: Error {}
        let server = try await TestServer.serve { _ in
            TestResponse(
                body: .stream { send in
                    try await send(Data("ab".utf8))
                    throw Broken()
                })
        }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.endOfReading() == ECONNRESET)
        await server.stop()
    }

    @Test func sendsAnEndlessBodyUntilTheClientHasEnough() async throws {
        let server = try await TestServer.serve { _ in TestResponse(body: .infinite(Data(count: 10_000))) }
        var client: RawClient? = try RawClient(port: server.port)
        try client?.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client?.receiveExactly(1_000_000).utf8.count == 1_000_000)
        client = nil
        try await server.waitUntilAllClosed()
        #expect(client == nil)
        await server.stop()
    }

    @Test func sends100ContinueToThoseWhoAskForIt() async throws {
        let server = try await TestServer.serve { .text($0.bodyText).closing() }
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        let interim = "HTTP/1.1 100 Continue\r\n\r\n"
        #expect(try client.receiveExactly(interim.utf8.count) == interim)
        try client.send("ok")
        #expect(try client.readToEnd().hasSuffix("\r\n\r\nok"))
        await server.stop()
    }
}
