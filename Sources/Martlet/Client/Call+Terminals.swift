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
        let response = try await accepted("*/*")
        do throws(MartletError) {
            return try TextEncoding.decode(response.body, contentType: response.headers.contentType)
        } catch {
            throw undecodable(response, error)
        }
    }

    /// Sends the call and decodes the body as JSON, into the type that the caller expects.
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` with the place in the document and, in `response`, the
    ///   first bytes of the body.
    public nonisolated(nonsending) func json<Value: Decodable>() async throws -> Value {
        try await json(as: Value.self)
    }

    /// Sends the call and decodes the body as JSON, into the type given.
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` with the place in the document and, in `response`, the
    ///   first bytes of the body.
    public nonisolated(nonsending) func json<Value: Decodable>(as type: Value.Type) async throws -> Value {
        let response = try await accepted("application/json")
        do {
            return try client.defaults.jsonDecoder().decode(type, from: response.body)
        } catch {
            let place = (error as? DecodingError).flatMap(Self.place) ?? ""
            let expected = "The response body could not be decoded as \(type)\(place)."
            throw undecodable(response, MartletError(.decodingFailed, expected, underlying: error))
        }
    }

    /// Sends the call and reads the body as JSON without a type.
    ///
    /// - Throws: what ``data()`` throws, and `decodingFailed` when the body is not JSON.
    public nonisolated(nonsending) func json() async throws -> JSONValue {
        let response = try await accepted("application/json")
        do throws(MartletError) {
            return try JSONValue(parsing: response.body)
        } catch {
            throw undecodable(response, error)
        }
    }

    /// Sends the call, takes its body off the wire, however long it is, and returns the rest.
    ///
    /// - Throws: `unacceptableStatus`, or what the transfer failed with.
    @discardableResult
    public nonisolated(nonsending) func discard() async throws -> Response<Void> {
        let response = try await acceptedStream("*/*")
        for try await _ in response.body {}
        return finished(response, ())
    }

    // MARK: Parts

    /// The response as a stream, its status accepted.
    nonisolated(nonsending) func acceptedStream(_ accept: String) async throws -> Response<ResponseBody> {
        let request = try makeRequest(accept: accept)
        let response = try await client.core.send(request, through: layers)
        guard !acceptedStatuses.contains(response.status) else { return response }
        let prefix = try await Self.prefix(of: response.body)
        throw MartletError(.unacceptableStatus, "The server answered \(response.status).").with {
            $0.request = MartletError.RequestSummary(method: method, url: response.url.redactedDescription)
            $0.response = MartletError.FailedResponse(head: response.head, bodyPrefix: prefix)
            $0.attempts = response.attempts
            $0.redirects = response.redirects
            $0.mayHaveReachedServer = true
        }
    }

    nonisolated(nonsending) private func accepted(_ accept: String) async throws -> Response<Data> {
        try await collected(try await acceptedStream(accept))
    }

    nonisolated(nonsending) private func collected(_ response: Response<ResponseBody>) async throws -> Response<Data> {
        do {
            return finished(response, try await response.body.collect(upTo: options.maximumCollectedBytes))
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
    }

    private func finished<Body>(_ response: Response<ResponseBody>, _ body: Body) -> Response<Body> {
        var finished = response.map { _ in body }
        if let outcome = response.body.outcome {
            finished.metrics = outcome.metrics ?? response.metrics
            finished.trailers = outcome.trailers
        }
        return finished
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

    private func undecodable(_ response: Response<Data>, _ error: MartletError) -> MartletError {
        error.with {
            $0.request = MartletError.RequestSummary(method: method, url: response.url.redactedDescription)
            $0.response = MartletError.FailedResponse(
                head: response.head, bodyPrefix: response.body.prefix(Self.prefixLimit))
            $0.attempts = response.attempts
            $0.redirects = response.redirects
            $0.mayHaveReachedServer = true
        }
    }

    private static func place(_ error: DecodingError) -> String? {
        let context =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
            }
        var path = context.codingPath
        if case .keyNotFound(let key, _) = error { path.append(key) }
        guard !path.isEmpty else { return nil }
        return " (at \(path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")))"
    }
}
