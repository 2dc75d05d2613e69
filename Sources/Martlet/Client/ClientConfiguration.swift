// How a client is set up: what its calls have in common (`CallDefaults`, which a scoped client may change) and what its
// connections are made with, which is fixed for all clients that share them.

public import Foundation

/// The configuration of a client. Changing it after the client was made has no effect: it is a value.
public struct ClientConfiguration: Sendable {
    /// What calls start from; see ``CallDefaults`` for each.
    public var defaults = CallDefaults()
    /// How many connections there are, and for how long; 128 to a host by default, kept for 60 s.
    public var pool = PoolLimits()
    /// How https connections are secured; with the system's roots by default.
    public var tls = TLSConfiguration()
    /// Which versions of HTTP are spoken; HTTP/2 where a server agrees to it over TLS by default.
    public var httpVersion = HTTPVersionPolicy.automatic
    /// How HTTP/2 connections are used.
    public var http2 = HTTP2Configuration()
    /// How many event loops carry the connections; 1 by default. Each has a pool of its own.
    public var eventLoops = 1
    /// The transport, in place of Martlet's own; nil by default. For tests: `MockTransport`.
    public var transport: (any Transport)?

    /// The clock that retries and other policies wait on; nil, the default, is the system's. For tests: `TestClock`.
    ///
    /// Timeouts are kept by the transport on a clock of its own.
    public var clock: (any Clock<Duration>)?

    /// Where policies draw at random, as the jitter of retries; the system's generator by default. For tests: a seeded one.
    public var randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

    // Replaced in tests of the engine itself.
    package var time = TimeSource.system
    package var wallTime: @Sendable () -> Date = { Date() }

    /// Makes the default configuration.
    public init() {}
}

/// What each call of a client starts from.
public struct CallDefaults: Sendable {
    /// What relative URLs are joined onto; none by default. Its path is taken as a directory.
    public var baseURL: (any URLConvertible)? {
        didSet { base = Self.read(baseURL) }
    }

    /// Whether an absolute URL or `//host` may leave the origin of `baseURL`; false by default.
    public var allowsOtherOrigins = false

    /// Header fields of every call; a call's own of the same name come in their place. Empty by default.
    public var headers: HTTPHeaders = [:]

    /// The `User-Agent`; `Martlet/<version>` by default, nil sends none.
    public var userAgent: String? = "Martlet/\(MartletClient.version)"

    /// Timeouts and limits; see ``RequestOptions`` and ``Timeouts`` for each.
    public var options = RequestOptions()

    /// The statuses that decoding terminals accept; 200 to 299 by default.
    public var acceptedStatuses: StatusSet {
        get { validation.statuses }
        set { validation.statuses = newValue }
    }

    var validation = ResponseValidation(statuses: .success)

    /// Whether and where redirects are followed; up to 10 by default, never from https to http.
    public var redirects = RedirectPolicy.follow

    /// Whether and when requests are sent again; never by default.
    public var retry = RetryPolicy.never

    /// Who authenticates calls, and where; see `authenticate(by:at:allowingPlainHTTP:)`.
    var authentication: [AuthenticationBinding] = []

    /// Layers around each call, the outermost first; none by default. A call's own come inside them.
    public var interceptors: [any Interceptor] = []

    /// Layers around each attempt, just before the wire; none by default. A call's own come inside them.
    public var attemptInterceptors: [any Interceptor] = []

    /// Who is told what happens to calls; nobody by default. A call's own observers come behind them.
    public var observers: [any ClientObserver] = []

    /// Makes the encoder of `json:` bodies; one with default settings by default.
    public var jsonEncoder: @Sendable () -> JSONEncoder = { JSONEncoder() }

    /// The encoder of queries and forms; one with default settings by default.
    public var formEncoder = URLEncodedFormEncoder()

    /// Makes the decoder of `json()`; one with default settings by default.
    public var jsonDecoder: @Sendable () -> JSONDecoder = { JSONDecoder() }

    // Read once, thrown where it is used.
    private(set) var base: Result<RequestURL, MartletError>?

    /// Makes the defaults.
    public init() {}

    private static func read(_ url: (any URLConvertible)?) -> Result<RequestURL, MartletError>? {
        guard let url else { return nil }
        return Result { () throws(MartletError) in try url.requestURL(relativeTo: nil, allowingOtherOrigin: true) }
    }
}

/// A set of response statuses.
public struct StatusSet: Sendable {
    private let accepts: @Sendable (HTTPStatus) -> Bool

    /// The statuses for which `accepts` is true.
    public init(_ accepts: @escaping @Sendable (HTTPStatus) -> Bool) { self.accepts = accepts }

    /// 200 to 299.
    public static let success = StatusSet { $0.isSuccess }
    /// Every status.
    public static let any = StatusSet { _ in true }

    /// The statuses whose codes lie in a range.
    public static func codes(_ range: Range<Int>) -> StatusSet { StatusSet { range.contains($0.code) } }

    /// These statuses alone.
    public static func only(_ statuses: HTTPStatus...) -> StatusSet { StatusSet { statuses.contains($0) } }

    /// Whether the status is in the set.
    public func contains(_ status: HTTPStatus) -> Bool { accepts(status) }
}
