// What one scripted connection does, byte by byte.

import Foundation
import MartletTesting
import Testing

@Suite struct TestConnectionTests {
    @Test func keepsTheHeadAsItWasSent() async throws {
        let head = "\r\nGET  /x HTTP/1.1\nhost:x\r\nX-A: \tone \r\nx-a:two\r\nbroken\r\n\r\n"
        let server = try await TestServer.start(script: [.readHead])
        let client = try RawClient(port: server.port)
        try client.send("GET /x HTTP/1.1\nhost:x\r\nX-A: \tone \r\nx-a:two\r\nbroken\r\n\r\n")
        let request = try #require(try await server.waitForRequests(1).first)
        #expect(request.headText == head.replacing("\r\nGET  ", with: "GET "))
        #expect(request.fields.map(\.name) == ["host", "X-A", "x-a", "broken"])
        #expect(request.fields.map(\.value) == ["x", "one", "two", ""])
        #expect(request.values(for: "X-a") == ["one", "two"])
        #expect(request["HOST"] == "x")
        await server.stop()
    }

    @Test func readsAChunkedBodyAsItWasSentAndDecoded() async throws {
        let body = "3\r\nabc\r\n5;ext=1\r\ndefgh\r\n0\r\nX-Sum: 8\r\n\r\n"
        let server = try await TestServer.serve { .text($0.bodyText) }
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
        #expect(try client.receiveResponse() == "abcdefgh")
        let request = try #require(server.requests.first)
        #expect(String(decoding: request.rawBody, as: UTF8.self) == body)
        #expect(request.trailers == [.init("X-Sum", "8")])
        #expect(request.chunkLengths == [3, 5])
        await server.stop()
    }

    @Test func recordsWhatCameOfABodyThatTheClientBrokeOff() async throws {
        let server = try await TestServer.start(script: [.readRequest])
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf")
        client.finishWriting()
        #expect(client.endOfReading() == 0)
        try await server.waitUntilAllClosed()
        await server.stop()
        #expect(server.requests.first?.isComplete == false)
        #expect(server.requests.first?.bodyText == "half")
        #expect(server.failures.first as? TestServerError == .peerClosed)
    }

    @Test func keepsOnlySoMuchOfABody() async throws {
        var options = TestServer.Options()
        options.recordedBodyLimit = 4
        let server = try await TestServer.serve(options) { .text($0.bodyText) }
        let client = try RawClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\nabcdefgh")
        #expect(try client.receiveResponse() == "abcd")
        await server.stop()
    }

    @Test(arguments: ["\r\n\r\n", "GET\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n"])
    func saysWhatIsWrongWithARequest(text: String) async throws {
        let server = try await TestServer.start(script: [.readRequest])
        let client = try RawClient(port: server.port)
        try client.send(text)
        client.finishWriting()
        #expect(client.endOfReading() == 0)
        await server.stop()
        let error = try #require(server.failures.first as? TestServerError)
        #expect(error == .peerClosed || "\(error)".hasPrefix("The request could not be read: "))
    }

    @Test func readsBytes() async throws {
        let server = try await TestServer.start { connection in
            let first = try await connection.readExactly(3)
            let rest = try await connection.readToEnd()
            try await connection.send(first + Data("|".utf8) + rest)
        }
        let client = try RawClient(port: server.port)
        try client.send("abcdef")
        client.finishWriting()
        #expect(try client.readToEnd() == "abc|def")
        await server.stop()
    }

    @Test(arguments: [
        (TestStep.close, Int32(0)), (.reset, ECONNRESET), (.closeWithoutTLSNotify, 0), (.halfClose, 0),
    ])
    func endsAsTheScriptSays(step: TestStep, code: Int32) async throws {
        let server = try await TestServer.start(script: [.readHead, .send("half"), step])
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.endOfReading() == code)
        await server.stop()
    }

    @Test func closesInOrderEvenWithUnreadBytes() async throws {
        let server = try await TestServer.start(script: [.read(1), .send("hi")])
        let client = try RawClient(port: server.port)
        try client.send(String(repeating: "x", count: 100_000))
        #expect(try client.readToEnd() == "hi")
        await server.stop()
    }

    @Test func goesOnReadingAfterHalfClose() async throws {
        let server = try await TestServer.start(script: [.halfClose, .readRequest])
        let client = try RawClient(port: server.port)
        #expect(try client.readToEnd() == "")
        try client.send("GET /late HTTP/1.1\r\n\r\n")
        let requests = try await server.waitForCompleteRequests(1)
        #expect(requests.first?.path == "/late")
        await server.stop()
    }

    @Test(arguments: [(false, TestConnection.PeerEnd.closed), (true, .reset)])
    func saysHowThePeerEnded(resets: Bool, expected: TestConnection.PeerEnd) async throws {
        let ends = Box<TestConnection.PeerEnd>()
        let done = TestSignal()
        let server = try await TestServer.start { connection in
            ends.value = try await connection.waitForClose()
            done.fire()
        }
        var client: RawClient? = try RawClient(port: server.port)
        try client?.send("x")
        if resets { client?.resetOnClose() }
        client = nil
        try await done.wait(timeout: .seconds(60))
        #expect(ends.value == expected)
        await server.stop()
    }

    @Test(arguments: [false, true])
    func closingFromElsewhereEndsABlockedRead(resets: Bool) async throws {
        try await endsBlockedStep(resets: resets) { _ = try await $0.read() }
    }

    @Test(arguments: [false, true])
    func closingFromElsewhereEndsABlockedWrite(resets: Bool) async throws {
        try await endsBlockedStep(resets: resets) { try await $0.sendRepeating([1, 2, 3], count: .max) }
    }

    @Test(arguments: [false, true])
    func closingFromElsewhereEndsAStall(resets: Bool) async throws {
        try await endsBlockedStep(resets: resets) { try await $0.stall() }
    }

    @Test(arguments: [false, true])
    func closingFromElsewhereEndsAPause(resets: Bool) async throws {
        try await endsBlockedStep(resets: resets) { try await $0.pause(.seconds(3600)) }
    }

    private func endsBlockedStep(
        resets: Bool, _ step: @escaping @Sendable (TestConnection) async throws -> Void
    ) async throws {
        let started = TestSignal()
        let box = Box<TestConnection>()
        let server = try await TestServer.start { connection in
            box.value = connection
            started.fire()
            try await step(connection)
        }
        let client = try RawClient(port: server.port)
        try await started.wait(timeout: .seconds(60))
        if resets { box.value?.reset() } else { box.value?.close() }
        #expect(client.endOfReading() == (resets ? ECONNRESET : 0))
        try await server.waitUntilAllClosed()
        // The handler learns of it a little later, and a stop in between would be its reason instead.
        let end = ContinuousClock.now + .seconds(60)
        while server.failures.isEmpty, ContinuousClock.now < end { await Task.yield() }
        #expect(server.failures.first as? TestServerError == .connectionClosed)
        await server.stop()
    }

    @Test func stallEndsWhenThePeerCloses() async throws {
        let server = try await TestServer.start(script: [.stall])
        var client: RawClient? = try RawClient(port: server.port)
        try client?.send("unread")
        try await server.waitForConnections(1)
        client = nil
        try await server.waitUntilAllClosed()
        #expect(client == nil)
        #expect(server.failures.isEmpty)
        await server.stop()
    }

    @Test func survivesAPeerThatGoesAwayDuringAWrite() async throws {
        let server = try await TestServer.start(script: [.sendRepeating([1], count: .max)])
        var client: RawClient? = try RawClient(port: server.port)
        _ = try client?.receive()
        client = nil
        try await server.waitUntilAllClosed()
        await server.stop()
        #expect(client == nil)
        let error = try #require(server.failures.first as? TestServerError)
        #expect(error == .peerReset || error == .peerClosed)
    }

    @Test func knowsWhetherThePeerHasClosed() async throws {
        let before = TestSignal()
        let states = Box<[Bool]>([])
        let server = try await TestServer.start { connection in
            states.value?.append(await connection.isPeerClosed)
            before.fire()
            try await connection.stall()
            states.value?.append(await connection.isPeerClosed)
        }
        var client: RawClient? = try RawClient(port: server.port)
        try await before.wait(timeout: .seconds(60))
        client = nil
        try await server.waitUntilAllClosed()
        #expect(client == nil)
        #expect(states.value == [false, true])
        await server.stop()
    }

    @Test func paces() async throws {
        let server = try await TestServer.start(script: [.sendPaced(Array("slow".utf8), every: .milliseconds(20))])
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        #expect(try client.readToEnd() == "slow")
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        await server.stop()
    }

    @Test func readsSlowly() async throws {
        let server = try await TestServer.start { connection in
            let count = try await connection.readPaced(bytesPerSecond: 1000, count: 100)
            try await connection.send("\(count)")
        }
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        try client.send(String(repeating: "x", count: 100))
        #expect(try client.readToEnd() == "100")
        #expect(ContinuousClock.now - start >= .milliseconds(80))
        await server.stop()
    }

    @Test func repeatsBytesExactly() async throws {
        let server = try await TestServer.start(script: [.sendRepeating([97, 98, 99], count: 50_001)])
        let text = try RawClient(port: server.port).readToEnd()
        #expect(text.utf8.count == 150_003)
        #expect(text == String(repeating: "abc", count: 50_001))
        await server.stop()
    }

    @Test func ordersTwoConnectionsBySignals() async throws {
        let signal = TestSignal()
        let server = try await TestServer.start(scripts: [
            [.wait(for: signal), .send("1")], [.send("2"), .signal(signal)],
        ])
        let one = try RawClient(port: server.port)
        try await server.waitForConnections(1)
        #expect(try RawClient(port: server.port).readToEnd() == "2")
        #expect(try one.readToEnd() == "1")
        await server.stop()
    }

    @Test func startsAScriptAgain() async throws {
        let server = try await TestServer.start(script: [.readRequest, .respond(.text("hi")), .startAgain])
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.receiveResponse() == "hi")
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.receiveResponse() == "hi")
        await server.stop()
    }
}
