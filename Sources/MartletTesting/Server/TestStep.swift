// A peer's behaviour as data: a list of steps for each connection, read as a timeline.

/// One step of a scripted connection.
///
/// ```swift
/// let server = try await TestServer.start(scripts: [
///     [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .reset],
///     [.readRequest, .respond(.text("whole"))],
/// ])
/// ```
public enum TestStep: Sendable {
    /// Wait for a request head and record it; leave its body unread.
    case readHead
    /// Wait for a whole request and record it.
    case readRequest
    /// Wait for the rest of the request whose head was read.
    case readBody
    /// Wait for exactly this many bytes and throw them away.
    case read(Int)
    /// Read and throw away everything, this many bytes a second, until the client finishes.
    case readSlowly(bytesPerSecond: Int)
    /// Send text.
    case send(String)
    /// Send bytes.
    case sendBytes([UInt8])
    /// Send the same bytes this many times; `Int.max` means until the client has had enough.
    case sendRepeating([UInt8], count: Int)
    /// Send the bytes one at a time, with a pause after each.
    case sendPaced([UInt8], every: Duration)
    /// Send a response; its body is left out when the last request read was a HEAD.
    case respond(TestResponse)
    /// Wait until the test, or another connection, fires the signal.
    case wait(for: TestSignal)
    /// Fire the signal.
    case signal(TestSignal)
    /// Wait this long, as a slow peer does. To order steps, use signals.
    case pause(Duration)
    /// Send FIN, and go on with the script.
    case halfClose
    /// Close the connection; over TLS after close_notify.
    case close
    /// Close the connection without TLS's close_notify.
    case closeWithoutTLSNotify
    /// Reset the connection (RST).
    case reset
    /// Do nothing and read nothing until the client closes the connection or the server stops.
    case stall
    /// Read and throw away everything until the client closes the connection.
    case waitForClose
    #if SocketTransport && os(Linux)
    /// Shake hands over TLS, on a connection that was plain until now: what a proxy's target does after CONNECT.
    case startTLS(TestTLS)
    /// Wait for a client's preface of HTTP/2, and send these SETTINGS.
    case acceptHTTP2(HTTP2Frame = .settings())
    /// Wait for a whole request over HTTP/2 and record it; the first has stream 1, the next 3.
    case readHTTP2Request
    /// Wait for the head of a request over HTTP/2 and record it.
    case readHTTP2Head
    /// Send frames in one write.
    case frames([HTTP2Frame])
    /// Wait for a frame of this type on this stream.
    case readFrame(HTTP2Frame.Kind, stream: UInt32? = nil)
    #endif
    /// Begin the script again from its first step.
    case startAgain
    /// Do something that no other step does.
    case perform(@Sendable (TestConnection) async throws -> Void)
}

extension TestConnection {
    /// Runs the steps in their order; the first that fails ends the script with its error.
    public func run(_ script: [TestStep]) async throws {
        var request: RecordedRequest?
        var index = 0
        while index < script.count {
            let step = script[index]
            index += 1
            switch step {
            case .readHead: request = try readHead()
            case .readRequest: request = try readRequest()
            case .readBody: if let head = request { request = try readBody(of: head) }
            case .read(let count): _ = try readExactly(count)
            case .readSlowly(let rate): try readPaced(bytesPerSecond: rate)
            case .send(let text): try send(text)
            case .sendBytes(let bytes): try send(bytes)
            case .sendRepeating(let bytes, let count): try sendRepeating(bytes, count: count)
            case .sendPaced(let bytes, let interval): try sendPaced(bytes, every: interval)
            case .respond(let response): try await respond(response)
            case .wait(let signal): try await wait(for: signal)
            case .signal(let signal): signal.fire()
            case .pause(let duration): try pause(duration)
            case .halfClose: try halfClose()
            case .close: close()
            case .closeWithoutTLSNotify: closeWithoutTLSNotify()
            case .reset: reset()
            case .stall: try stall()
            case .waitForClose: try waitForClose()
            #if SocketTransport && os(Linux)
            case .startTLS(let tls): try startTLS(tls)
            case .acceptHTTP2(let settings): try acceptHTTP2(settings)
            case .readHTTP2Request: request = try readHTTP2Request()
            case .readHTTP2Head: request = try readHTTP2Head()
            case .frames(let frames): try send(frames)
            case .readFrame(let kind, let stream): _ = try readFrame(kind, stream: stream)
            #endif
            case .startAgain: index = 0
            case .perform(let body): try await body(self)
            }
        }
    }

    private func wait(for signal: TestSignal) async throws(TestServerError) {
        await signal.wait()
        if !signal.hasFired { throw .connectionClosed }
    }
}
