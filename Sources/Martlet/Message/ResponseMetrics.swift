// Where a call's time and bytes went. Phases that did not take place (a reused connection looks nothing up) are zero.

/// What a call took: durations of its phases, bytes each way, and the connection it used.
public struct ResponseMetrics: Sendable, Hashable {
    /// From the start to the moment work on a connection began: waiting for the pool's limits.
    public var queued: Duration = .zero
    /// The name look-up.
    public var lookUp: Duration = .zero
    /// The TCP connect.
    public var connect: Duration = .zero
    /// The TLS handshake.
    public var tls: Duration = .zero
    /// From the start of the call until the last byte of the request was handed to the system; nil until then.
    public var requestSent: Duration?
    /// From the start of the call until the first byte of the response.
    public var firstByte: Duration = .zero
    /// From the start of the call until the end of the response body; nil until then.
    public var total: Duration?

    /// Bytes put on the wire, framing included, TLS overhead not.
    public var bytesSent = 0
    /// Bytes taken off the wire, framing included, TLS overhead not.
    public var bytesReceived = 0
    /// Bytes of the request body.
    public var bodyBytesSent = 0
    /// Bytes of the response body.
    public var bodyBytesReceived = 0

    /// Whether the connection had carried a request before.
    public var reusedConnection = false
    /// The protocol spoken, as ALPN names it (`http/1.1`).
    public var protocolName = ""
    /// The TLS version, such as `TLSv1.3`; nil in plain text.
    public var tlsVersion: String?
    /// The local address and port.
    public var localAddress: String?
    /// The peer's address and port.
    public var remoteAddress: String?

    /// Makes empty metrics.
    public init() {}
}
