// The ends of a call. `response()` and `stream()` take any status; those that decode throw `unacceptableStatus` on one that
// the call does not accept, with the head and the first bytes of the body in the error.

public import Foundation

extension Call {
    /// Sends the call and returns its response as it begins; the body is still on its way. Any status is returned.
    ///
    /// - Throws: what the call failed with as a ``MartletError``, or `CancellationError`.
    public nonisolated(nonsending) func stream() async throws -> Response<ResponseBody> {
        try await client.core.send(try makeRequest(), through: layers)
    }

    /// Sends the call and returns the whole response. Any status is returned.
    ///
    /// - Throws: `bodyTooLarge` when the body exceeds the limit for collected bodies (64 MiB by default).
    public nonisolated(nonsending) func response() async throws -> Response<Data> {
        try await collected(try await stream())
    }

    /// Sends the call and returns the bytes of the body.
    ///
    /// - Throws: `unacceptableStatus`; `bodyTooLarge` when the body exceeds the limit for collected bodies (64 MiB by
    ///   default).
    public nonisolated(nonsending) func data() async throws -> Data {
        try await accepted("*/*").body
    }

    /// Sends the call and returns the body as text, in the charset that its `Content-Type` names, else UTF-8.
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` when the bytes are not text in that charset.
    public nonisolated(nonsending) func string() async throws -> String {
        try await serialized(by: .string)
    }

    /// Sends the call and decodes the body as JSON, into the type that the caller expects.
    ///
    /// - Throws: what ``data()`` throws; `decodingFailed` with the place in the document and, in `response`, the
    ///   first bytes of the body; `emptyBody` when there is none and the type is not an optional.
    public nonisolated(nonsending) func json<Value: Decodable>() async throws -> Value {
        try await json(as: Value.self)
    }

    /// Sends the call and decodes the body as JSON, into the type given.
    ///
    /// - Throws: what ``data()`` throws; `decodingFailed` with the place in the document and, in `response`, the
    ///   first bytes of the body; `emptyBody` when there is none and the type is not an optional.
    public nonisolated(nonsending) func json<Value: Decodable>(as type: Value.Type) async throws -> Value {
        // Not by the serializer: a type of the main actor's makes no Sendable one.
        let response = try await accepted(JSONBody.mediaType)
        do throws(MartletError) {
            return try JSONBody.decode(
                type, response, empty: .standard, method: method, by: client.defaults.jsonDecoder)
        } catch {
            throw unserializable(response, error)
        }
    }

    /// Sends the call and reads the body as JSON without a type.
    ///
    /// - Throws: what ``data()`` throws; `decodingFailed` when the body is not JSON, `emptyBody` when there is none.
    public nonisolated(nonsending) func json() async throws -> JSONValue {
        try await serialized(by: .jsonValue)
    }

    /// Sends the call, takes its body off the wire, however long it is, and returns the rest.
    ///
    /// - Throws: `unacceptableStatus`, or what the transfer failed with.
    @discardableResult
    public nonisolated(nonsending) func discard() async throws -> Response<Void> {
        try await serializedResponse(by: .discard)
    }

    // MARK: Parts

    /// The response as a stream, accepted by its head.
    nonisolated(nonsending) func acceptedStream(_ accept: String) async throws -> Response<ResponseBody> {
        let request = try makeRequest(accept: accept)
        let response = try await client.core.send(request, through: layers)
        guard let refusal = validation.refusal(of: response.head, to: request) else { return response }
        throw try await refused(response, to: request, refusal)
    }

    nonisolated(nonsending) func accepted(_ accept: String) async throws -> Response<Data> {
        try await collected(try await acceptedStream(accept))
    }

    nonisolated(nonsending) func collected(
        _ response: consuming Response<ResponseBody>
    ) async throws -> Response<Data> {
        let body: Data
        do {
            body = try await response.body.collect(
                upTo: options.maximumCollectedBytes, expecting: response.headers.contentLength)
        } catch let error as MartletError where error.request == nil {
            // The body knows nothing of the call that it belongs to.
            throw error.with {
                $0.request = MartletError.RequestSummary(method: method, url: response.url.redactedDescription)
                $0.phase = $0.phase ?? .receiving
                $0.attempts = response.attempts
                $0.redirects = response.redirects
                $0.mayHaveReachedServer = true
            }
        }
        return finished(response, body)
    }

    func finished<Body>(_ response: consuming Response<ResponseBody>, _ body: Body) -> Response<Body> {
        guard let outcome = response.body.outcome else { return response.map { _ in body } }
        return Response(response, body, outcome.metrics, trailers: outcome.trailers)
    }

    private static let prefixLimit = 16 << 10

    /// The first bytes of a body that is refused anyway: what there is when it fails.
    nonisolated(nonsending) private static func prefix(of body: ResponseBody) async throws -> Data {
        var prefix = Data()
        do {
            for try await chunk in body {
                prefix.append(chunk.prefix(prefixLimit - prefix.count))
                if prefix.count >= prefixLimit { break }
            }
        } catch is MartletError {
            return prefix
        }
        return prefix
    }

    /// The error of a response that is refused by its head, with what is known of it.
    nonisolated(nonsending) func refused(
        _ response: Response<ResponseBody>, to request: Request, _ refusal: MartletError
    ) async throws -> MartletError {
        let prefix = try await Self.prefix(of: response.body)
        let failed = MartletError.FailedResponse(head: response.head, bodyPrefix: prefix)
        var refusal = refusal
        if refusal.code == .unacceptableStatus {
            let decoded = validation.errorDecoder?(response.map { _ in prefix }, serializationContext)
            let problem = failed.problem?.summary
            if decoded != nil || problem != nil {
                let message = problem.map { "The server answered \(response.status): \($0)" } ?? refusal.message
                refusal = MartletError(.unacceptableStatus, message, underlying: decoded ?? refusal.underlying)
            }
        }
        return refusal.with {
            $0.request = MartletError.RequestSummary(method: method, url: response.url.redactedDescription)
            $0.response = failed
            $0.attempts = response.attempts
            $0.redirects = response.redirects
            $0.mayHaveReachedServer = true
        }
    }

    var serializationContext: SerializationContext {
        SerializationContext(method: method, jsonDecoder: client.defaults.jsonDecoder)
    }

    /// The error of a response that no value could be made of.
    func unserializable(_ response: Response<Data>, _ error: any Error) -> any Error {
        if error is CancellationError { return error }
        let failure =
            error as? MartletError
            ?? MartletError(.decodingFailed, "No value could be made of the response.", underlying: error)
        return failure.namingCoding(of: response.headers).with {
            $0.request =
                $0.request ?? MartletError.RequestSummary(method: method, url: response.url.redactedDescription)
            $0.response =
                $0.response
                ?? MartletError.FailedResponse(
                    head: response.head, bodyPrefix: Data(response.body.prefix(Self.prefixLimit)))
            $0.attempts = response.attempts
            $0.redirects = response.redirects
            $0.mayHaveReachedServer = true
        }
    }
}
