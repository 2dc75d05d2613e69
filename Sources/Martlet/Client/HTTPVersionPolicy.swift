// Which version of HTTP a client speaks. Over TLS the two sides agree on it in the handshake (ALPN, RFC 7301; RFC 9113,
// section 3.2); in plain text there is nothing to agree with. Default: HTTP/2 where the server offers it over TLS.

/// Which versions of HTTP a client may speak.
public enum HTTPVersionPolicy: Sendable, Hashable {
    /// HTTP/2 where the server agrees to it over TLS, HTTP/1.1 otherwise and in plain text.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 over TLS only: a call ends with `versionNotNegotiated` where the server does not agree, and in plain text.
    case http2
    /// HTTP/2 without asking, in plain text too: for servers known to speak it (RFC 9113, section 3.3).
    case http2PriorKnowledge

    /// Whether nothing but HTTP/1.1 can be spoken with an origin of this scheme.
    func isHTTP1(_ scheme: Origin.Scheme) -> Bool {
        switch self {
        case .automatic: scheme == .http
        case .http1: true
        case .http2, .http2PriorKnowledge: false
        }
    }

    /// What is offered by ALPN, the preferred one first.
    var protocols: [String] {
        switch self {
        case .automatic: ["h2", "http/1.1"]
        case .http1: ["http/1.1"]
        case .http2, .http2PriorKnowledge: ["h2"]
        }
    }
}
