// What to send, as a value: copying it is free and changes nothing.

/// A request: method, URL, headers, body and options.
///
/// A request is plain data. Send it with ``MartletClient/request(_:)`` or through a ``Transport``.
public struct Request: Sendable {
    /// The method; `GET` unless said otherwise.
    public var method: HTTPMethod
    /// Where the request goes.
    public var url: RequestURL
    /// The header fields, without the framing fields that the library writes itself.
    public var headers: HTTPHeaders
    /// The body; empty unless said otherwise.
    public var body: RequestBody
    /// Timeouts and limits of this request.
    public var options: RequestOptions {
        get { boxedOptions.wrappedValue }
        set { boxedOptions.wrappedValue = newValue }
    }

    private var boxedOptions: Boxed<RequestOptions>

    /// Whether the `Accept-Encoding` is Martlet's own, so that what answers it is for Martlet to decode.
    package var asksForCodings = false

    /// Makes a request.
    public init(
        method: HTTPMethod = .get, url: RequestURL, headers: HTTPHeaders = [:], body: RequestBody = .empty,
        options: RequestOptions = RequestOptions()
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        boxedOptions = Boxed(wrappedValue: options)
    }

    init(
        method: HTTPMethod, url: RequestURL, headers: HTTPHeaders, asksForCodings: Bool, body: RequestBody,
        options: Boxed<RequestOptions>
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.asksForCodings = asksForCodings
        self.body = body
        boxedOptions = options
    }

    /// The request as an error or a log may show it.
    public var summary: MartletError.RequestSummary {
        MartletError.RequestSummary(method: method, url: url.redactedDescription)
    }
}

extension Request: CustomStringConvertible {
    /// The method and the redacted URL.
    public var description: String { summary.description }
}
