// The forms in which a server is started, its records and its end.

import Foundation
import MartletTesting
import Testing

@Suite struct TestServerTests {
    @Test func answersRequestsOnOneConnection() async throws {
        try await TestServer.serving {
            .text("\($0.path) \($0.indexOnConnection)")
        } run: { server in
            let client = try RawClient(port: server.port)
            try client.send("GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.receiveResponse() == "/a 0")
            try client.send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
            #expect(try client.readToEnd().hasSuffix("\r\n\r\n/b 1"))

            let requests = server.requests
            #expect(requests.map(\.method) == ["GET", "POST"])
            #expect(requests.map(\.target) == ["/a?b=c%20d", "/b"])
            #expect(requests[0].queryItems == [URLQueryItem(name: "b", value: "c d")])
            #expect(requests[1].bodyText == "hi")
            #expect(requests.map(\.isComplete) == [true, true])
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [("GET /a", "one"), ("POST /a", "two"), ("DELETE /b", "any"), ("GET /c", "No route for GET /c")])
    func answersByRoute(requestLine: String, expected: String) async throws {
        let server = try await TestServer.start(routes: [
            "GET /a": { _ in .text("one") }, "POST /a": { _ in .text("two") }, "/b": { _ in .text("any") },
        ])
        let client = try RawClient(port: server.port)
        try client.send("\(requestLine) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.receiveResponse() == expected)
        await server.stop()
    }

    @Test func playsOneScriptForEachConnectionAndRepeatsTheLast() async throws {
        try await TestServer.withServer(scripts: [[.send("first")], [.send("other")]]) { server in
            var texts: [String] = []
            for _ in 0..<3 { texts.append(try RawClient(port: server.port).readToEnd()) }
            #expect(texts == ["first", "other", "other"])
        }
    }

    @Test func listensOnIPv6() async throws {
        var options = TestServer.Options()
        options.host = .ipv6
        try await TestServer.withServer(options, script: [.send("six")]) { server in
            #expect(server.url("x") == "http://[::1]:\(server.port)/x")
            let client = try RawClient(port: server.port, ipv6: true)
            #expect(try client.readToEnd() == "six")
        }
    }

    @Test func givesItsURLs() async throws {
        try await TestServer.withServer(script: []) { server in
            #expect(server.baseURL == "http://127.0.0.1:\(server.port)")
            #expect(server.url("/a?b=c") == "http://127.0.0.1:\(server.port)/a?b=c")
            #expect(server.url("/", host: "localhost") == "http://localhost:\(server.port)/")
        }
    }

    @Test func refusesConnectionsWhenItDoesNotListen() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await TestServer.withServer(options, script: []) { server in
            #expect(throws: RawClient.Failure(call: "connect", code: ECONNREFUSED)) {
                _ = try RawClient(port: server.port)
            }
        }
    }

    @Test func refusesConnectionsAfterStop() async throws {
        let server = try await TestServer.serve { _ in .ok }
        await server.stop()
        await server.stop()
        #expect(throws: RawClient.Failure(call: "connect", code: ECONNREFUSED)) { _ = try RawClient(port: server.port) }
    }

    @Test func stopEndsStalledConnections() async throws {
        let server = try await TestServer.start(script: [.readHead, .stall])
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        await server.stop()
        #expect(server.openConnectionCount == 0)
        #expect(client.endOfReading() == 0)
        #expect(server.failures.isEmpty)
    }

    @Test func stopEndsHandlersThatWaitForASignal() async throws {
        let server = try await TestServer.start(script: [.readHead, .wait(for: TestSignal())])
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        await server.stop()
        #expect(server.openConnectionCount == 0)
    }

    @Test func stopDoesNotWaitForeverForAHandler() async throws {
        let stuck = Box<CheckedContinuation<Void, Never>>()
        let isStuck = TestSignal()
        let server = try await TestServer.start { _ in
            await withCheckedContinuation { continuation in
                stuck.value = continuation
                isStuck.fire()
            }
        }
        let client = try RawClient(port: server.port)
        try await isStuck.wait(timeout: .seconds(60))
        await server.stop(atMost: .milliseconds(50))
        #expect(client.endOfReading() == 0)
        stuck.value?.resume()
        await server.stop()
    }

    @Test func stopsFromItsOwnHandler() async throws {
        let box = Box<TestServer>()
        let server = try await TestServer.serve { _ in
            await box.value?.stop()
            return .ok
        }
        box.value = server
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.endOfReading() == 0)
        await server.stop()
        box.value = nil
    }

    @Test func stopsWhenItIsForgotten() async throws {
        let client: RawClient
        do {
            let server = try await TestServer.start(script: [.stall])
            client = try RawClient(port: server.port)
            try await server.waitForConnections(1)
        }
        #expect(client.endOfReading() == 0)
    }

    @Test func stopsWhenTheTestIsCancelled() async throws {
        let server = try await TestServer.start(script: [.stall])
        let client = try RawClient(port: server.port)
        try await server.waitForConnections(1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await server.stop()
            return server.openConnectionCount
        }
        #expect(await task.value == 0)
        #expect(client.endOfReading() == 0)
    }

    @Test func waitsAreBounded() async throws {
        try await TestServer.withServer(script: []) { server in
            await #expect(throws: TestServerError.timedOut("1 requests within 0.01 seconds")) {
                try await server.waitForRequests(1, timeout: .milliseconds(10))
            }
        }
    }

    @Test func waitsEndWhenTheTaskIsCancelled() async throws {
        try await TestServer.withServer(script: []) { server in
            let task = Task { try await server.waitForRequests(1) }
            task.cancel()
            await #expect(throws: TestServerError.cancelled) { _ = try await task.value }
        }
    }

    @Test func keepsTheErrorsOfHandlers() async throws {
        struct Unexpected: Error {}
        let server = try await TestServer.start { _ in throw Unexpected() }
        #expect(try RawClient(port: server.port).readToEnd() == "")
        try await server.waitUntilAllClosed()
        await server.stop()
        #expect(server.failures.count == 1)
        #expect(server.failures.first is Unexpected)
    }

    @Test func answersAThrowingClosureWith500() async throws {
        struct Unexpected: Error {}
        try await TestServer.serving { _ in
            throw Unexpected()
        } run: { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(try client.readToEnd().hasPrefix("HTTP/1.1 500 "))
            #expect(server.failures.count == 1)
        }
    }

    @Test func closesAndResetsOpenConnections() async throws {
        try await TestServer.serving { _ in
            .text("hi")
        } run: { server in
            let one = try RawClient(port: server.port)
            try one.send("GET / HTTP/1.1\r\n\r\n")
            _ = try one.receiveResponse()
            server.closeConnections()
            #expect(one.endOfReading() == 0)
            try await server.waitUntilAllClosed()

            let other = try RawClient(port: server.port)
            try other.send("GET / HTTP/1.1\r\n\r\n")
            _ = try other.receiveResponse()
            server.resetConnections()
            #expect(other.endOfReading() == ECONNRESET)
        }
    }

    @Test func servesManyConnectionsAtOnce() async throws {
        try await TestServer.serving {
            .text($0.path)
        } run: { server in
            var clients: [RawClient] = []
            for number in 0..<300 {
                let client = try RawClient(port: server.port)
                try client.send("GET /\(number) HTTP/1.1\r\n\r\n")
                clients.append(client)
            }
            for (number, client) in clients.enumerated() {
                #expect(try client.receiveResponse() == "/\(number)")
            }
            #expect(server.openConnectionCount == 300)
            clients = []
            try await server.waitUntilAllClosed()
        }
    }
}
