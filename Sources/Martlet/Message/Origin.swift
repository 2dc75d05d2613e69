// Scheme, host and port: what decides which connection a request goes on and whom its credentials may reach.
// RFC 6454 section 4, RFC 9110 section 4.3.

/// The scheme, host and port of a URL.
public struct Origin: Hashable, Sendable {
    /// A URL scheme that Martlet speaks.
    public enum Scheme: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// HTTP over plain TCP.
        case http
        /// HTTP over TLS.
        case https

        /// The port that a URL of this scheme need not name: 80 or 443.
        public var defaultPort: Int { self == .http ? 80 : 443 }

        /// The scheme as it stands in a URL.
        public var description: String { rawValue }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host, normalised.
    public let host: Host
    /// The port, from 1 to 65535; the scheme's default when the URL names none.
    public let port: Int

    init(scheme: Scheme, host: Host, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the port is the scheme's default.
    public var isDefaultPort: Bool { port == scheme.defaultPort }
}

extension Origin: CustomStringConvertible {
    /// The origin as a URL without a path, the port left out when it is the default: `https://example.com`.
    public var description: String {
        isDefaultPort ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}
