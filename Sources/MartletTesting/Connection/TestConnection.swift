// One connection that a test server accepted. The script decides every byte and every step; nothing is sent by itself.

/// A connection to a test server, driven step by step by the test.
///
/// The actor runs on a thread of its own, and its methods block that thread until they are done. `close()` and
/// `reset()` may be called from anywhere and end what is going on there with `TestServerError.connectionClosed`.
///
/// Reading and sending throw ``TestServerError``: `peerReset` when the peer has reset the connection, `peerClosed` when
/// it has closed it and more was expected or could not be sent, `connectionClosed` when this side has ended it.
///
/// ```swift
/// let server = try await TestServer.start { connection in
///     _ = try await connection.readRequest()
///     try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
///     connection.reset()
/// }
/// ```
public actor TestConnection {
    /// The connection's number, from 0 in the order of acceptance.
    public nonisolated let number: Int
    nonisolated let thread: ServerThread
    nonisolated let socket: TestSocket
    nonisolated let core: ServerCore

    /// Bytes that were read and not yet asked for.
    var unread = ByteQueue()
    var requestCount = 0
    var lastMethod = ""
    #if SocketTransport && os(Linux)
    /// What the TLS handshake agreed on; nil without TLS.
    public internal(set) var tlsSession: TestTLS.Session?
    var http2 = HTTP2State()
    #endif

    /// The thread of the connection.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(number: Int, thread: ServerThread, socket: TestSocket, core: ServerCore) {
        self.number = number
        self.thread = thread
        self.socket = socket
        self.core = core
    }

    /// The number of request heads read so far.
    public var requestsRead: Int { requestCount }

    /// Whether the peer has closed or reset the connection, as far as is known now, or this side has.
    public var isPeerClosed: Bool {
        (try? socket.using(.reading) { () throws(TestServerError) in socket.hasPeerFinished }) ?? true
    }

    /// Whether this side has closed or reset the connection.
    public nonisolated var isClosed: Bool { socket.isEnding }
}

extension TestConnection {
    /// Closes the connection (over TLS after close_notify, then FIN). May be called from anywhere; later calls change
    /// nothing.
    public nonisolated func close() {
        socket.end(.close)
    }

    /// Closes the connection with FIN and without TLS's close_notify, as a truncation attack does. May be called from
    /// anywhere.
    public nonisolated func closeWithoutTLSNotify() {
        socket.end(.closeWithoutTLSNotify)
    }

    /// Resets the connection (RST): what was sent and not yet received may be lost. May be called from anywhere.
    public nonisolated func reset() {
        socket.end(.reset)
    }

    /// Says that no more bytes will be sent (over TLS close_notify, then FIN), and can go on reading.
    public func halfClose() throws(TestServerError) {
        try socket.using(.writing) { () throws(TestServerError) in socket.finishWriting() }
    }

    /// Does nothing, and reads nothing, until the peer closes or resets the connection.
    ///
    /// Throws `TestServerError.connectionClosed` when this side closes it or the server stops.
    public func stall() throws(TestServerError) {
        try socket.using(.reading) { () throws(TestServerError) in try socket.waitForPeerToFinish() }
    }

    /// How a peer ended its side.
    public enum PeerEnd: Sendable, Hashable {
        /// With FIN: it sends nothing more.
        case closed
        /// With RST: it neither sends nor receives.
        case reset
    }

    /// Reads and throws away what the peer sends until it closes or resets the connection; says which.
    ///
    /// Over TLS this looks below the encryption: the end of the TCP connection counts, not close_notify.
    @discardableResult
    public func waitForClose() throws(TestServerError) -> PeerEnd {
        unread.removeAll()
        do {
            try socket.using(.reading) { () throws(TestServerError) in try socket.discardToEnd() }
            return .closed
        } catch .peerReset {
            return .reset
        }
    }
}
