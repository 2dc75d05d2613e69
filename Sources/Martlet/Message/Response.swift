// What came back. The body is a stream (`Response<ResponseBody>`), bytes (`Response<Data>`) or a decoded value.

/// A response: head, body and what it took to get it.
public struct Response<Body> {
    /// Status, reason and header fields.
    public var head: ResponseHead
    /// The body.
    public var body: Body
    /// The URL that answered.
    public var url: RequestURL
    /// What the call took: times, bytes, connection.
    public var metrics: ResponseMetrics
    /// Attempts that failed before this response, oldest first; those of the requests that were redirected come first.
    public var attempts: [MartletError.AttemptRecord]
    /// The redirects that led to this response, oldest first.
    public var redirects: [RedirectRecord] = []

    /// The trailer fields of a collected response; nil when there were none. A streamed one has them in its body.
    public var trailers: HTTPHeaders?

    /// Makes a response.
    public init(
        head: ResponseHead, body: Body, url: RequestURL, metrics: ResponseMetrics = ResponseMetrics(),
        attempts: [MartletError.AttemptRecord] = []
    ) {
        self.head = head
        self.body = body
        self.url = url
        self.metrics = metrics
        self.attempts = attempts
    }

    /// Another response with a body that has ended, and what is known at its end.
    init<Other>(
        _ other: consuming Response<Other>, _ body: Body, _ metrics: ResponseMetrics?, trailers: HTTPHeaders?
    ) {
        head = other.head
        self.body = body
        url = other.url
        self.metrics = metrics ?? other.metrics
        attempts = other.attempts
        redirects = other.redirects
        self.trailers = trailers
    }

    /// The status.
    public var status: HTTPStatus { head.status }

    /// The header fields.
    public var headers: HTTPHeaders { head.headers }

    /// The same response with another body. Throws what `transform` throws.
    public func map<NewBody, Failure: Error>(
        _ transform: (Body) throws(Failure) -> NewBody
    ) throws(Failure) -> Response<NewBody> {
        var mapped = Response<NewBody>(
            head: head, body: try transform(body), url: url, metrics: metrics, attempts: attempts)
        mapped.redirects = redirects
        mapped.trailers = trailers
        return mapped
    }
}

extension Response: Sendable where Body: Sendable {}
