// The one strict reading of a URL, over the raw string: what it gives decides policy, dialling and the request line alike.
// What two readers could take for two things is refused: backslashes, control characters, user information, odd ports,
// odd numeric hosts. RFC 3986; Foundation's URL accepts or silently rewrites all of these, so it is asked only for IDNA.

public import Foundation

/// An absolute `http` or `https` URL, normalised.
///
/// Scheme and host are in lower case, a default port is left out, dot segments are removed, and characters that a URL
/// may not hold are percent-encoded as UTF-8. Escapes that are there already stay as they are, `%2e` included, which is
/// therefore never taken for a dot segment. A fragment is kept but never sent. Two URLs are equal when their normalised
/// texts are.
public struct RequestURL: Sendable {
    // By reference, since a URL is handed on far more often than it is made.
    private let parts: Parts

    private final class Parts: Sendable {
        let text: String
        let origin: Origin
        let pathStart: Int
        let pathEnd: Int
        let queryEnd: Int

        init(_ text: String, _ origin: Origin, _ pathStart: Int, _ pathEnd: Int, _ queryEnd: Int) {
            self.text = text
            self.origin = origin
            self.pathStart = pathStart
            self.pathEnd = pathEnd
            self.queryEnd = queryEnd
        }
    }

    /// The normalised text, ASCII only. All parts are slices of it.
    var text: String { parts.text }
    var pathStart: Int { parts.pathStart }
    var pathEnd: Int { parts.pathEnd }
    var queryEnd: Int { parts.queryEnd }

    /// The scheme, host and port.
    public var origin: Origin { parts.origin }

    init(text: String, origin: Origin, pathStart: Int, pathEnd: Int, queryEnd: Int) {
        parts = Parts(text, origin, pathStart, pathEnd, queryEnd)
    }

    /// The path, percent-encoded: at least `/`.
    public var path: String { slice(pathStart, pathEnd) }

    /// The query without its `?`, percent-encoded: empty after a lone `?`, nil when there is none.
    public var query: String? { pathEnd < queryEnd ? slice(pathEnd + 1, queryEnd) : nil }

    /// The fragment without its `#`, percent-encoded. Never sent.
    public var fragment: String? { queryEnd < text.utf8.count ? slice(queryEnd + 1, text.utf8.count) : nil }

    /// Path and query as they stand in a request line (RFC 9112 section 3.2.1).
    public var target: String { slice(pathStart, queryEnd) }

    /// Host and port as they stand in a `Host` field, the port left out when it is the scheme's default.
    public var hostField: String { slice(authorityStart, pathStart) }

    /// The URL as a Foundation value.
    public var url: URL {
        // The text is plain RFC 3986, which Foundation always reads; the fallback only keeps this from being optional.
        URL(string: text) ?? URL(filePath: path)
    }

    var authorityStart: Int { origin.scheme == .http ? 7 : 8 }

    func slice(_ start: Int, _ end: Int) -> String {
        let bytes = text.utf8
        let lower = bytes.index(bytes.startIndex, offsetBy: start)
        return String(text[lower..<bytes.index(lower, offsetBy: end - start)])
    }

    /// The bytes of `target` and `hostField`, without making strings of them.
    func withTargetAndHost<Result>(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) throws(MartletError) -> Result
    ) throws(MartletError) -> Result {
        var text = text
        return try text.withUTF8 { all in
            Swift.Result { () throws(MartletError) in
                try body(
                    UnsafeBufferPointer(rebasing: all[pathStart..<queryEnd]),
                    UnsafeBufferPointer(rebasing: all[authorityStart..<pathStart]))
            }
        }.get()
    }
}

extension RequestURL: Hashable {
    /// Whether the normalised texts are the same.
    public static func == (left: RequestURL, right: RequestURL) -> Bool { left.text == right.text }

    /// Hashes the normalised text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension RequestURL: CustomStringConvertible {
    /// The whole URL, normalised.
    public var description: String { text }

    /// The URL for logs and errors: query values and the fragment replaced by `<redacted>`, the names kept. A query item
    /// without `=` is replaced too, since it may be a token.
    public var redactedDescription: String { Redaction.standard.url(self) }
}
