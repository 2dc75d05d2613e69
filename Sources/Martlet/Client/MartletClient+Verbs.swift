// The verbs. None of them throws or sends: each returns a call, and what is wrong with its URL or body is thrown when the
// call is awaited.

public import Foundation

extension MartletClient {
    /// A call with any method, without a body unless one is added with `body(…)`.
    public func request(_ method: HTTPMethod, _ url: some URLConvertible) -> Call {
        Call(client: self, method: method, url: url)
    }

    /// A call that sends a request made beforehand, with the client's defaults for what it leaves out.
    public func request(_ request: Request) -> Call {
        var call = Call(client: self, method: request.method, url: request.url)
        call.headers = request.headers
        call.body = .success(request.body)
        call.options = request.options
        call.asksForCodings = request.asksForCodings
        // A request that an interceptor was given belongs to another call.
        call.options.observation = nil
        return call
    }

    /// A GET.
    public func get(_ url: some URLConvertible) -> Call { request(.get, url) }

    /// A HEAD.
    public func head(_ url: some URLConvertible) -> Call { request(.head, url) }

    /// A DELETE.
    public func delete(_ url: some URLConvertible) -> Call { request(.delete, url) }

    /// An OPTIONS.
    public func options(_ url: some URLConvertible) -> Call { request(.options, url) }

    /// A POST; without a body unless one is added with `body(…)`.
    public func post(_ url: some URLConvertible) -> Call { request(.post, url) }

    /// A POST of a value as JSON, encoded at once.
    @_disfavoredOverload
    public func post(_ url: some URLConvertible, json value: some Encodable) -> Call {
        request(.post, url).body(json: value)
    }

    /// A POST of bytes; without a `Content-Type` unless one is given.
    public func post(_ url: some URLConvertible, data: Data, contentType: String? = nil) -> Call {
        request(.post, url).body(data: data, contentType: contentType)
    }

    /// A POST of a file, read while it is sent: see ``RequestBody/file(_:contentType:)``. Without a `Content-Type`
    /// unless one is given.
    public func post(_ url: some URLConvertible, file path: String, contentType: String? = nil) -> Call {
        request(.post, url).body(file: path, contentType: contentType)
    }

    /// A POST of chunks that can be read once, pulled as fast as the peer takes them.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - chunks: the body.
    ///   - length: how many bytes it has, if that is known; the chunked coding is used when it is nil, the default.
    ///   - contentType: its media type; none by default.
    public func post<Chunks: AsyncSequence & Sendable>(
        _ url: some URLConvertible, stream chunks: Chunks, length: Int? = nil, contentType: String? = nil
    ) -> Call where Chunks.Element == Data {
        request(.post, url).body(stream: chunks, length: length, contentType: contentType)
    }

    /// A PUT; without a body unless one is added with `body(…)`.
    public func put(_ url: some URLConvertible) -> Call { request(.put, url) }

    /// A PUT of a value as JSON, encoded at once.
    @_disfavoredOverload
    public func put(_ url: some URLConvertible, json value: some Encodable) -> Call {
        request(.put, url).body(json: value)
    }

    /// A PUT of bytes; without a `Content-Type` unless one is given.
    public func put(_ url: some URLConvertible, data: Data, contentType: String? = nil) -> Call {
        request(.put, url).body(data: data, contentType: contentType)
    }

    /// A PUT of a file, read while it is sent: see ``RequestBody/file(_:contentType:)``. Without a `Content-Type`
    /// unless one is given.
    public func put(_ url: some URLConvertible, file path: String, contentType: String? = nil) -> Call {
        request(.put, url).body(file: path, contentType: contentType)
    }

    /// A PUT of chunks that can be read once, pulled as fast as the peer takes them.
    ///
    /// - Parameters:
    ///   - url: where it goes.
    ///   - chunks: the body.
    ///   - length: how many bytes it has, if that is known; the chunked coding is used when it is nil, the default.
    ///   - contentType: its media type; none by default.
    public func put<Chunks: AsyncSequence & Sendable>(
        _ url: some URLConvertible, stream chunks: Chunks, length: Int? = nil, contentType: String? = nil
    ) -> Call where Chunks.Element == Data {
        request(.put, url).body(stream: chunks, length: length, contentType: contentType)
    }

    /// A PATCH; without a body unless one is added with `body(…)`.
    public func patch(_ url: some URLConvertible) -> Call { request(.patch, url) }

    /// A PATCH of a value as JSON, encoded at once.
    @_disfavoredOverload
    public func patch(_ url: some URLConvertible, json value: some Encodable) -> Call {
        request(.patch, url).body(json: value)
    }

    /// A PATCH of bytes; without a `Content-Type` unless one is given.
    public func patch(_ url: some URLConvertible, data: Data, contentType: String? = nil) -> Call {
        request(.patch, url).body(data: data, contentType: contentType)
    }

    /// A QUERY (draft-ietf-httpbis-safe-method-w-body) of a value as JSON, encoded at once.
    @_disfavoredOverload
    public func query(_ url: some URLConvertible, json value: some Encodable) -> Call {
        request(.query, url).body(json: value)
    }

    /// A QUERY of bytes; without a `Content-Type` unless one is given, which servers need here.
    public func query(_ url: some URLConvertible, data: Data, contentType: String? = nil) -> Call {
        request(.query, url).body(data: data, contentType: contentType)
    }
}
