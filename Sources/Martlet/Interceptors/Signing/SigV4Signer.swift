// AWS Signature Version 4 (IAM User Guide, "AWS Signature Version 4 for API requests") as an attempt interceptor: it signs what goes on
// the wire, after compression and with the length known, and each attempt anew, since a signature is good for minutes.

import Foundation

/// Signs requests to AWS and to services that speak its protocol.
///
/// ```swift
/// let key = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "s3cr3t")
/// let signer = SigV4Signer(key, region: "eu-central-1", service: "s3")
/// let bucket = MartletClient(baseURL: "https://bucket.s3.eu-central-1.amazonaws.com")
///     .scoped { $0.attemptInterceptors.append(signer) }
/// ```
///
/// What is sent to another origin after a redirect is not signed, and neither is a request with an `Authorization` field.
public struct SigV4Signer: Interceptor {
    /// What the signature says of the body.
    public enum Payload: Sendable, Hashable {
        /// The body is signed: one that is a file or a stream is read twice, and one that can be read once ends the call
        /// with `bodyNotReplayable`.
        case signed
        /// Bytes in memory are signed, files and streams are not: for S3 over https.
        case unsignedStreams
        /// No body is signed: for S3 over https.
        case unsigned
    }

    typealias Provider = @Sendable () async throws -> AWSCredentials

    /// What the signature says of the body; signed by default.
    public var payload = Payload.signed

    let region: String
    let service: String
    private let provider: Provider
    // Replaced by the tests of the published examples.
    var escapesPathTwice: Bool
    var now: (@Sendable () -> Date)?

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - credentials: the access key.
    ///   - region: such as `eu-central-1`.
    ///   - service: the name that the service has in signatures, such as `s3` or `execute-api`.
    public init(_ credentials: AWSCredentials, region: String, service: String) {
        self.init(region: region, service: service) { credentials }
    }

    /// Makes a signer whose access key is asked for before each request, as for keys that expire.
    ///
    /// - Parameters:
    ///   - region: such as `eu-central-1`.
    ///   - service: the name that the service has in signatures, such as `s3` or `execute-api`.
    ///   - credentials: gives the access key; it should keep it as long as it is good. What it throws ends the call.
    public init(
        region: String, service: String, credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.region = region
        self.service = service
        provider = credentials
        escapesPathTwice = service != "s3"
    }

    /// Signs the request and sends it on.
    ///
    /// - Throws: `authenticationFailed` when there is no key, `bodyNotReplayable`; what `next` throws.
    public nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        guard request.options.leftURL == nil, !request.hasOwnAuthorization else { return try await next(request) }
        return try await next(try await signed(request, at: now?() ?? next.context.core.wallTime()))
    }

    /// The request with the fields of its signature.
    nonisolated(nonsending) func signed(_ request: Request, at date: Date) async throws -> Request {
        let key = try await credentials()
        var request = request
        let timestamp = SigV4Text.timestamp(date)
        let hash = try await payloadHash(request.body)
        request.headers["X-Amz-Date"] = timestamp
        request.headers["X-Amz-Security-Token"] = key.sessionToken?.revealed
        if service == "s3" || hash == SigV4Text.unsignedPayload { request.headers["X-Amz-Content-Sha256"] = hash }
        var fields: [(name: String, values: [String])] = [("host", [request.headers["Host"] ?? request.url.hostField])]
        for name in request.headers.names where !Self.unsigned.contains(name.lowercased()) {
            fields.append((name, request.headers.values(for: name)))
        }
        let text = text(request.method, request.url, fields, hash, timestamp)
        let signature = try text.signature(key.secretAccessKey)
        request.headers["Authorization"] =
            "\(SigV4Text.algorithm) Credential=\(key.accessKeyID)/\(text.scope), SignedHeaders=\(text.signedFields),"
            + " Signature=\(signature)"
        return request
    }

    /// A URL that is good for a while without more: whoever has it may do this one thing.
    ///
    /// The signature stands in the query, which errors and logs of Martlet do not show. The body is not signed.
    ///
    /// - Parameters:
    ///   - url: the URL, with the query that it is to have.
    ///   - method: what may be done; `GET` by default.
    ///   - lifetime: how long it is good, from a second to seven days; an hour by default.
    /// - Throws: `invalidURL`, `invalidRequest` for a lifetime out of bounds, `authenticationFailed` when there is no key.
    public func presigned(
        _ url: some URLConvertible, method: HTTPMethod = .get, lifetime: Duration = .seconds(3600)
    ) async throws -> RequestURL {
        let seconds = lifetime.components.seconds
        guard (1...604_800).contains(seconds) else {
            throw MartletError(
                .invalidRequest, "A presigned URL is good for a second to seven days, not for \(lifetime).")
        }
        let key = try await credentials()
        var url = try url.requestURL(relativeTo: nil, allowingOtherOrigin: true)
        var text = text(
            method, url, [("host", [url.hostField])], SigV4Text.unsignedPayload,
            SigV4Text.timestamp(now?() ?? Date()))
        var items = [
            ("X-Amz-Algorithm", SigV4Text.algorithm), ("X-Amz-Credential", "\(key.accessKeyID)/\(text.scope)"),
            ("X-Amz-Date", text.timestamp), ("X-Amz-Expires", "\(seconds)"),
        ]
        if let token = key.sessionToken { items.append(("X-Amz-Security-Token", token.revealed)) }
        items.append(("X-Amz-SignedHeaders", text.signedFields))
        url.appendQuery(items)
        text.query = url.query
        url.appendQuery([("X-Amz-Signature", try text.signature(key.secretAccessKey))])
        return url
    }

    /// What others on the way change, what says nothing, and what the transport writes.
    private static let unsigned: Set<String> = [
        "host", "accept", "accept-encoding", "accept-language", "authorization", "connection", "content-length",
        "expect",
        "traceparent", "tracestate", "transfer-encoding", "user-agent", "x-amzn-trace-id",
    ]

    private func text(
        _ method: HTTPMethod, _ url: RequestURL, _ fields: [(name: String, values: [String])], _ hash: String,
        _ timestamp: String
    ) -> SigV4Text {
        SigV4Text(
            method: method.rawValue, path: url.path, query: url.query, fields: fields, payloadHash: hash,
            timestamp: timestamp, region: region, service: service, escapesPathTwice: escapesPathTwice)
    }

    nonisolated(nonsending) private func payloadHash(_ body: RequestBody) async throws -> String {
        switch payload {
        case .unsigned: return SigV4Text.unsignedPayload
        case .unsignedStreams where body.openedAtOnce == nil: return SigV4Text.unsignedPayload
        case .signed, .unsignedStreams: return try await HashFunction.sha256.hex(of: body)
        }
    }

    nonisolated(nonsending) private func credentials() async throws -> AWSCredentials {
        do {
            return try await provider()
        } catch let error where !(error is MartletError || error is CancellationError) {
            throw MartletError(.authenticationFailed, "There is no access key to sign with.", underlying: error)
        }
    }
}
