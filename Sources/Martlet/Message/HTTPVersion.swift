// The protocol version of a message (RFC 9110, section 2.5).

/// A version of HTTP.
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The major version: 1 in HTTP/1.1.
    public var major: Int
    /// The minor version: the second 1 in HTTP/1.1.
    public var minor: Int

    /// Makes a version.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(major: 2, minor: 0)

    /// Older versions come first.
    public static func < (left: HTTPVersion, right: HTTPVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// The version as people write it: `HTTP/1.1`, `HTTP/2`.
    public var description: String { major >= 2 && minor == 0 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)" }
}
