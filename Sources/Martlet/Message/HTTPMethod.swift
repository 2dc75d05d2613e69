// The request method: any token, compared with case (RFC 9110, section 9). What a method promises (safe, idempotent) decides
// what may be sent again. Default: an unknown method promises nothing.

/// A request method, such as `.get`; make others from a string literal: `let purge: HTTPMethod = "PURGE"`.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method as it is written on the wire; its case counts.
    public var rawValue: String

    /// Makes a method; a text that is no token is refused when the request is sent, with `invalidRequest`.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a method; a text that is no token is refused when the request is sent, with `invalidRequest`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Makes a method from a literal.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The method as it is written on the wire.
    public var description: String { rawValue }

    /// Transfers a current representation of the target.
    public static let get = HTTPMethod("GET")
    /// As GET, without the content.
    public static let head = HTTPMethod("HEAD")
    /// Has the target process the content.
    public static let post = HTTPMethod("POST")
    /// Replaces the target with the content.
    public static let put = HTTPMethod("PUT")
    /// Changes the target as the content says (RFC 5789).
    public static let patch = HTTPMethod("PATCH")
    /// Removes the target.
    public static let delete = HTTPMethod("DELETE")
    /// Asks what the target supports.
    public static let options = HTTPMethod("OPTIONS")
    /// Has the request sent back as it arrived.
    public static let trace = HTTPMethod("TRACE")
    /// Opens a tunnel through a proxy.
    public static let connect = HTTPMethod("CONNECT")
    /// A safe query that is described by its content.
    public static let query = HTTPMethod("QUERY")

    /// Whether the method only reads (RFC 9110, section 9.2.1).
    public var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY": true
        default: false
        }
    }

    /// Whether sending the request twice does the same as sending it once (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool {
        switch rawValue {
        case "PUT", "DELETE": true
        default: isSafe
        }
    }

    /// Whether the method may be written on the wire: a non-empty token.
    package var isValidToken: Bool { HTTPSyntax.isToken(rawValue) }
}
