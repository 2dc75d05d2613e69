// What a response says before its body (RFC 9110, section 6; RFC 9112, section 4).

/// The status line and the header fields of a response.
public struct ResponseHead: Sendable, Hashable, CustomStringConvertible {
    /// The status.
    public var status: HTTPStatus
    /// The reason phrase as the server sent it; empty when it sent none, as HTTP/2 does. Nothing depends on it.
    public var reason: String
    /// The version the server speaks.
    public var version: HTTPVersion
    /// The header fields, in the order of the wire.
    public var headers: HTTPHeaders

    /// Makes a head; the reason is the standard one by default, the version HTTP/1.1.
    public init(
        status: HTTPStatus, reason: String? = nil, version: HTTPVersion = .http1_1, headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.reason = reason ?? status.reasonPhrase
        self.version = version
        self.headers = headers
    }

    /// The status line, and the fields one a line; sensitive values are redacted.
    public var description: String {
        let line = reason.isEmpty ? "\(version) \(status.code)" : "\(version) \(status.code) \(reason)"
        return headers.isEmpty ? line : "\(line)\n\(headers)"
    }
}
