// What may be set for one request alone: how long it may take, how much it may bring, how it is sent.

/// Limits and switches of a single request.
public struct RequestOptions: Sendable {
    /// How long each part of the call may take; see ``Timeouts`` for the defaults.
    public var timeouts = Timeouts()

    /// The most bytes that a collecting terminal (`data()`, `json()` …) takes, decoded; 64 MiB by default. More end the
    /// call with `bodyTooLarge`.
    public var maximumCollectedBytes = 64 << 20

    /// The most bytes of one line of `lines`; 1 MiB by default. More throw `lineTooLong`.
    public var maximumLineBytes = 1 << 20

    /// How long to wait for `100 Continue` before the body is sent; nil (the default) sends no `Expect` field.
    ///
    /// The body is sent when the time has passed without an answer (RFC 9110, section 10.1.1).
    public var expectContinue: Duration?

    /// Called with each informational response (100 to 199, without 101) in the order of arrival; nil by default.
    ///
    /// Runs on the thread of the connection: it must not block.
    public var onInformational: (@Sendable (ResponseHead) -> Void)?

    /// Fields to send after the body, asked for when the body has ended; nil, the default, sends none.
    ///
    /// HTTP/1.1 sends the body in chunks then, whatever its length. Without a body nothing is sent.
    public var trailers: (@Sendable () -> HTTPHeaders)?

    /// Whether the call must not use a connection that was there before it; false by default.
    ///
    /// Calls on HTTP/2 may share one that is made for them.
    public var requiresFreshConnection = false

    /// Whether a GET or HEAD may carry a body; false by default, and one that does is refused with `invalidRequest`.
    public var allowsBodyWithGet = false

    /// Whether compressed responses are asked for and decoded, and how far; see ``ContentDecoding`` for the defaults.
    public var contentDecoding = ContentDecoding()

    /// How the request body is compressed; nil, the default, sends it as it is.
    public var compression: RequestCompression?

    /// With `requiresFreshConnection`: one of HTTP/2 that was made since then is as good.
    package var connectionMadeSince: MonotonicInstant?

    /// Whether the server has asked for this request over HTTP/1.1.
    package var requiresHTTP1 = false

    /// Where the call was before a redirect led it to another origin, for good.
    package var leftURL: RequestURL?

    /// When the whole call must have ended; set from ``Timeouts/total`` when the call starts.
    package var deadline: MonotonicInstant?

    /// When the response head must be there; set for an attempt by the retry policy.
    package var headDeadline: MonotonicInstant?

    /// Who is told what becomes of the request; set for an attempt of a call that is observed.
    package var observation: ObservedAttempt?

    /// Makes the default options.
    public init() {}
}

/// How long the parts of a call may take. Each ends the call with its own error code.
public struct Timeouts: Sendable, Hashable {
    /// From the start to a usable connection: name look-up, connect and TLS; 10 s by default. Ends in `connectTimeout`.
    ///
    /// Waiting for a place in the pool is not counted.
    public var connect: Duration = .seconds(10)

    /// The longest time in which the peer neither sends nor takes a byte; 60 s by default. Ends in `idleTimeout`.
    ///
    /// Time in which the caller itself holds back (reads no body, gives no body) is not counted.
    public var idle: Duration = .seconds(60)

    /// From the start of the call to the last byte of the response body; none by default. Ends in `deadlineExceeded`.
    public var total: Duration?

    /// Makes timeouts, by default 10 s to connect, 60 s idle and none in all; a value of zero or less ends the call at
    /// once.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(60), total: Duration? = nil) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}
