// A request bound to a client, not yet sent. A value: the builder methods return changed copies. Nothing happens until a
// terminal is awaited or a sequence iterated; doing so twice sends twice.

public import Foundation

/// A request that a client can send.
///
/// ```swift
/// let report = try await client.get("/report")
///     .query("page", 2)
///     .header("Accept-Language", "de")
///     .json()
/// ```
public struct Call: Sendable {
    var client: MartletClient
    var method: HTTPMethod
    var url: any URLConvertible
    var headers: HTTPHeaders = [:]
    /// Percent-encoded, without the question mark.
    var query = ""
    var body: Result<RequestBody, MartletError> = .success(.empty)
    /// What went wrong while the call was made.
    var failure: MartletError?
    @Boxed var options: RequestOptions
    /// Whether the `Accept-Encoding` among the fields is Martlet's own.
    var asksForCodings = false
    var validation: ResponseValidation
    /// The layers, where the call changes those of its client.
    var ownLayers: LayerStack?

    init(client: MartletClient, method: HTTPMethod, url: some URLConvertible) {
        self.client = client
        self.method = method
        self.url = url
        _options = client.prepared.options
        validation = client.prepared.defaults.validation
    }

    func with(_ change: (inout Call) -> Void) -> Call {
        var copy = self
        change(&copy)
        return copy
    }

    // MARK: Headers

    /// Sets a header field, in place of those of that name; `nil` takes it out, but not the client's default.
    public func header(_ name: String, _ value: String?) -> Call { with { $0.headers[name] = value } }

    /// Sets header fields, each in place of those of its name.
    public func headers(_ fields: HTTPHeaders) -> Call { with { $0.headers.merge(fields) } }

    // MARK: Body

    /// Sets the body.
    public func body(_ body: RequestBody) -> Call { with { $0.body = .success(body) } }

    /// Sets bytes as the body.
    public func body(data: Data, contentType: String? = nil) -> Call { body(.data(data, contentType: contentType)) }

    /// Sets a file as the body, read while it is sent: see ``RequestBody/file(_:contentType:)``.
    public func body(file path: String, contentType: String? = nil) -> Call {
        body(.file(path, contentType: contentType))
    }

    /// Sets chunks that can be read once as the body, pulled as fast as the peer takes them. For a body that can be
    /// sent again, give a factory: `body(.stream { … })`.
    public func body<Chunks: AsyncSequence & Sendable>(
        stream chunks: Chunks, length: Int? = nil, contentType: String? = nil
    ) -> Call where Chunks.Element == Data {
        body(.oneShot(length: length, contentType: contentType, chunks))
    }

    // MARK: Options

    /// Bounds the call from its start to the last byte of the body; none by default. Ends it with `deadlineExceeded`.
    public func timeout(_ total: Duration) -> Call { with { $0.options.timeouts.total = total } }

    /// Bounds parts of the call; a part that is left out stays as it is.
    public func timeout(connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil) -> Call {
        with {
            if let connect { $0.options.timeouts.connect = connect }
            if let idle { $0.options.timeouts.idle = idle }
            if let total { $0.options.timeouts.total = total }
        }
    }

    /// Bounds the bytes that a collecting terminal takes; 64 MiB by default. More end it with `bodyTooLarge`.
    public func maximumBytes(_ count: Int) -> Call { with { $0.options.maximumCollectedBytes = count } }

    /// Awaits `100 Continue` before the body is sent, for at most `wait`; 1 s by default.
    public func expectingContinue(_ wait: Duration = .seconds(1)) -> Call {
        with { $0.options.expectContinue = wait }
    }

    /// Has each informational response told to `observer`, on the connection's thread.
    public func onInformational(_ observer: @escaping @Sendable (ResponseHead) -> Void) -> Call {
        with { $0.options.onInformational = observer }
    }

    /// Changes the options in place.
    public func options(_ change: (inout RequestOptions) -> Void) -> Call { with { change(&$0.options) } }

    // MARK: The request

    /// The request as it will be sent.
    ///
    /// - Throws: `invalidURL`, `encodingFailed`, and `invalidRequest` for a body with GET or HEAD that was not allowed.
    public func makeRequest() throws(MartletError) -> Request { try makeRequest(accept: "*/*") }

    func makeRequest(accept: String) throws(MartletError) -> Request {
        let prepared = client.prepared
        var url = try url.requestURL(
            relativeTo: try prepared.defaults.base?.get(), allowingOtherOrigin: prepared.defaults.allowsOtherOrigins)
        if let failure { throw failure }
        try url.appendQuery(encoded: query)
        var body = try body.get()
        if !body.isEmpty, !options.allowsBodyWithGet, method == .get || method == .head {
            throw MartletError(
                .invalidRequest,
                "A \(method) has no use for a body: use the query or POST, or say allowingBodyWithGet()."
            ).with { $0.request = MartletError.RequestSummary(method: method, url: url.redactedDescription) }
        }
        var (headers, asksForCodings) = prepared.headers(
            with: headers, accepting: accept,
            askingForCodings: options.contentDecoding.isEnabled ? asksForCodings : nil)
        if let contentType = body.contentType, body.fixesContentType || !headers.contains("Content-Type") {
            headers["Content-Type"] = contentType
        }
        if let compression = options.compression {
            do throws(MartletError) {
                try compression.apply(to: &body, &headers)
            } catch {
                throw error.with { $0.request = .init(method: method, url: url.redactedDescription) }
            }
        }
        return Request(
            method: method, url: url, headers: headers, asksForCodings: asksForCodings, body: body, options: _options)
    }
}
