// A server for tests, on a loopback address, on a free port. It shares no code with Martlet's engine, so that one bug
// cannot hide on both sides, and it does exactly what the test says: raw bytes, resets, silence.

/// A loopback HTTP/1.1 server that a test scripts.
///
/// Three forms, from the shortest to the most exact:
///
/// ```swift
/// // Answers: one closure for all requests, on as many connections as the client likes.
/// let answering = try await TestServer.serve { request in .json(["path": request.path]) }
///
/// // Scripts: what the peer does, one list of steps for each connection.
/// let scripted = try await TestServer.start(scripts: [[.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .reset]])
///
/// // Code: one closure for each connection.
/// let driven = try await TestServer.start { connection in
///     _ = try await connection.readHead()
///     try await connection.stall()
/// }
/// ```
///
/// `stop()` closes everything and waits until no descriptor and no thread is left; `withServer` does it by itself.
public final class TestServer: Sendable {
    let core: ServerCore

    init(core: ServerCore) {
        self.core = core
    }

    deinit {
        core.abandon()
    }

    /// The port on which the server listens.
    public var port: Int { core.listener.port }

    /// The address in the form that URLs use: `127.0.0.1` or `[::1]`.
    public var host: String { core.options.host == .ipv6 ? "[::1]" : "127.0.0.1" }

    /// `http` or `https`.
    public var scheme: String {
        #if SocketTransport && os(Linux)
        core.options.tls == nil ? "http" : "https"
        #else
        "http"
        #endif
    }

    /// The server's URL without a path: `http://127.0.0.1:49152`.
    public var baseURL: String { "\(scheme)://\(host):\(port)" }

    /// The URL of a path on this server.
    ///
    /// - Parameters:
    ///   - path: the path, and the query if there is one; `/` by default. A missing slash in front is added.
    ///   - host: another name for the loopback address, such as `localhost`; by default ``host``.
    public func url(_ path: String = "/", host: String? = nil) -> String {
        "\(scheme)://\(host ?? self.host):\(port)" + (path.hasPrefix("/") || path.isEmpty ? "" : "/") + path
    }

    /// Closes the listening socket and all connections, cancels the handlers, and waits until all of them have ended.
    ///
    /// Waits at most `limit`, 10 s by default, for a handler that does not react. Within a handler it does not wait.
    public nonisolated(nonsending) func stop(atMost limit: Duration = .seconds(10)) async {
        await core.stop(atMost: limit)
    }

    /// Closes all open connections with FIN, as a server does whose keep-alive time is over. Handlers see
    /// `TestServerError.connectionClosed`; new connections are accepted.
    public func closeConnections() {
        for connection in core.connections() { connection.close() }
    }

    /// Resets all open connections (RST). New connections are accepted.
    public func resetConnections() {
        for connection in core.connections() { connection.reset() }
    }
}

extension TestServer {
    /// What a server is like apart from its script.
    public struct Options: Sendable {
        /// A loopback address.
        public enum Host: Sendable, Hashable {
            /// 127.0.0.1
            case ipv4
            /// ::1
            case ipv6
        }

        /// The address to listen on; 127.0.0.1 by default.
        public var host = Host.ipv4
        /// The port; 0, the default, takes a free one.
        public var port = 0
        /// How many connections the system keeps ready for the server; 1024 by default.
        public var backlog = 1024
        /// False: the port is taken but nothing listens there, and connecting is refused. True by default.
        public var listens = true
        /// False: connections are never accepted. The system still completes the first of them, up to the backlog. True
        /// by default.
        public var accepts = true
        /// The size of a connection's receive buffer in bytes; nil leaves the system's. A small one makes a peer that
        /// does not read felt soon.
        public var receiveBufferBytes: Int?
        /// The size of a connection's send buffer in bytes; nil leaves the system's.
        public var sendBufferBytes: Int?
        /// How many bytes of a request's body the record keeps; 64 MiB by default. More is read and thrown away.
        public var recordedBodyLimit = 64 * 1024 * 1024
        #if SocketTransport && os(Linux)
        /// The TLS side of the server; nil, the default, speaks plain text.
        public var tls: TestTLS?
        #endif

        /// The default options.
        public init() {}
    }
}
