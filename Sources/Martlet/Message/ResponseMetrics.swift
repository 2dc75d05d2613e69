// Where a call's time and bytes went. Phases that did not take place (a reused connection looks nothing up) are zero.

/// What a call took: durations of its phases, bytes each way, and the connection it used.
///
/// What did not take place, such as the look-up of a connection that was kept, is zero.
public struct ResponseMetrics: Sendable, Hashable {
    /// From the start to the moment work on a connection began: waiting for the pool's limits.
    public var queued: Duration {
        get { .nanoseconds(times.queued) }
        set { times.queued = newValue.wholeNanoseconds }
    }
    /// The name look-up.
    public var lookUp: Duration {
        get { .nanoseconds(times.lookUp) }
        set { times.lookUp = newValue.wholeNanoseconds }
    }
    /// The TCP connect.
    public var connect: Duration {
        get { .nanoseconds(times.connect) }
        set { times.connect = newValue.wholeNanoseconds }
    }
    /// The TLS handshake.
    public var tls: Duration {
        get { .nanoseconds(times.tls) }
        set { times.tls = newValue.wholeNanoseconds }
    }
    /// From the start of the call until the last byte of the request was handed to the system; nil until then.
    public var requestSent: Duration? {
        get { times.requestSent.map { .nanoseconds($0) } }
        set { times.requestSent = newValue?.wholeNanoseconds }
    }
    /// From the start of the call until the first byte of the response.
    public var firstByte: Duration {
        get { .nanoseconds(times.firstByte) }
        set { times.firstByte = newValue.wholeNanoseconds }
    }
    /// From the start of the call until the end of the response body; nil until then.
    public var total: Duration? {
        get { times.total.map { .nanoseconds($0) } }
        set { times.total = newValue?.wholeNanoseconds }
    }

    /// Nanoseconds: each is set once a call, and a `Duration` is a 128-bit number of attoseconds.
    package struct Times: Sendable, Hashable {
        package var queued: Int64 = 0
        package var lookUp: Int64 = 0
        package var connect: Int64 = 0
        package var tls: Int64 = 0
        package var requestSent: Int64?
        package var firstByte: Int64 = 0
        package var total: Int64?
    }

    /// The times as the engine keeps them.
    package var times = Times()

    /// Bytes put on the wire, framing included, TLS overhead not.
    public var bytesSent = 0
    /// Bytes taken off the wire, framing included, TLS overhead not.
    public var bytesReceived = 0
    /// Bytes of the request body.
    public var bodyBytesSent = 0
    /// Bytes of the response body as they came, before a content coding was taken off.
    public var bodyBytesReceived = 0
    /// Bytes of the response body as they are given: without its content codings, where they are taken off.
    public var bodyBytesDecoded: Int {
        get { decodedBytes ?? bodyBytesReceived }
        set { decodedBytes = newValue }
    }
    /// Counted where a coding is taken off.
    package var decodedBytes: Int?
    /// The content codings that are taken off the response body, in the order of doing so; empty when there are none.
    public var contentCodings: [ContentCoding] = []

    /// Whether the connection had carried a request before.
    public var reusedConnection = false

    /// The protocol spoken, as ALPN names it (`http/1.1`, `h2`).
    public var protocolName: String {
        get { connection.protocolName }
        set { connection = connection.with { $0.protocolName = newValue } }
    }
    /// The TLS version, such as `TLSv1.3`; nil in plain text.
    public var tlsVersion: String? {
        get { connection.tlsVersion }
        set { connection = connection.with { $0.tlsVersion = newValue } }
    }
    /// The local address and port.
    public var localAddress: String? {
        get { connection.localAddress }
        set { connection = connection.with { $0.localAddress = newValue } }
    }
    /// The peer's address and port.
    public var remoteAddress: String? {
        get { connection.remoteAddress }
        set { connection = connection.with { $0.remoteAddress = newValue } }
    }

    /// What all calls of a connection have in common; shared by their metrics, for these are copied often.
    package var connection = ConnectionFacts.none

    /// A number of the connection, the same for all calls on it; nil until there is one.
    public var connectionID: Int? {
        get { connection.connectionID }
        set { connection = connection.with { $0.connectionID = newValue } }
    }
    /// The number of the call's stream on its connection; nil where the protocol has no streams, as HTTP/1.1.
    public var streamID: Int?
    /// How many streams the connection carried when the call began, its own included; nil where there are none.
    public var streamsInFlight: Int?

    /// Makes empty metrics.
    public init() {}
}

/// What is known of a connection once it stands.
package final class ConnectionFacts: Sendable, Hashable {
    /// The facts as values.
    package struct Values: Sendable, Hashable {
        package var protocolName = ""
        package var tlsVersion: String?
        package var localAddress: String?
        package var remoteAddress: String?
        package var connectionID: Int?
    }

    private let values: Values

    package static let none = ConnectionFacts(Values())

    package init(_ values: Values) { self.values = values }

    package var protocolName: String { values.protocolName }
    package var tlsVersion: String? { values.tlsVersion }
    package var localAddress: String? { values.localAddress }
    package var remoteAddress: String? { values.remoteAddress }
    package var connectionID: Int? { values.connectionID }

    /// The same facts but for a change.
    package func with(_ change: (inout Values) -> Void) -> ConnectionFacts {
        var values = values
        change(&values)
        return ConnectionFacts(values)
    }

    package static func == (left: ConnectionFacts, right: ConnectionFacts) -> Bool { left.values == right.values }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
