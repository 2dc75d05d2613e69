// Multipart bodies other than forms (RFC 2046, RFC 2387): parts by their place and their own header fields, without names.

import Foundation

/// A body of several parts: `multipart/mixed`, `multipart/related` and their kin.
///
/// ```swift
/// let upload = MultipartBody(.related, [try .json(metadata), .file(film)])
/// try await client.post("/upload", multipart: upload).discard()
/// ```
public struct MultipartBody: Sendable {
    /// What the parts are to each other.
    public struct Kind: Sendable, Hashable {
        /// The subtype: `mixed`, `related` …
        public var subtype: String
        var isRelated = false
        var start: String?

        /// Makes a kind of another subtype, a token.
        public init(subtype: String) { self.subtype = subtype }

        /// Parts that stand on their own (RFC 2046, section 5.1.3).
        public static let mixed = Kind(subtype: "mixed")
        /// The same in several forms, the plainest first (RFC 2046, section 5.1.4).
        public static let alternative = Kind(subtype: "alternative")
        /// Parts that make up one thing, the first being its root (RFC 2387). The root's media type is named as `type`.
        public static let related = related(start: nil)

        /// Parts that make up one thing, whose root has this `Content-ID`, angle brackets included (RFC 2387).
        public static func related(start: String?) -> Kind {
            var kind = Kind(subtype: "related")
            kind.isRelated = true
            kind.start = start
            return kind
        }
    }

    /// The kind.
    public var kind: Kind
    /// The parts, in their order.
    public var parts: [MultipartPart]
    private let chosen: MultipartBoundary

    /// Makes a body. The boundary is random unless one is given, and content that holds a given one fails with `encodingFailed`
    /// while it is sent.
    public init(_ kind: Kind, boundary: String? = nil, _ parts: [MultipartPart] = []) {
        self.kind = kind
        self.parts = parts
        chosen = boundary.map { MultipartBoundary(chosen: $0) } ?? MultipartBoundary()
    }

    /// The text between the parts.
    public var boundary: String { chosen.text }

    /// The media type with its parameters.
    public var contentType: String {
        var type = "multipart/\(kind.subtype); boundary=\(chosen.parameter)"
        guard kind.isRelated else { return type }
        let root = kind.start.flatMap { start in parts.first { $0.headers["Content-ID"] == start } } ?? parts.first
        if let rootType = root?.headers.contentType { type += "; type=\(Self.quoted(rootType))" }
        if let start = kind.start { type += "; start=\(Self.quoted(start))" }
        return type
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The parts as a request body. Its media type comes in place of any other that the request has: no other names the boundary.
    ///
    /// - Throws: `encodingFailed` for no parts, for a boundary that is none and for a start that no part has; `invalidRequest` for
    ///   header fields that must not go on the wire; `fileUnreadable` for a URL that is no file URL.
    public func requestBody() throws(MartletError) -> RequestBody {
        guard HTTPSyntax.isToken(kind.subtype) else {
            throw MartletError(.encodingFailed, "The subtype of the multipart body is not a token.")
        }
        if let start = kind.start, !parts.contains(where: { $0.headers["Content-ID"] == start }) {
            throw MartletError(
                .encodingFailed, "No part has the Content-ID that the multipart body names as its start.")
        }
        var layout = try MultipartLayout(boundary: chosen, contentType: contentType)
        for part in parts { try layout.append(part, headers: part.headers) }
        return try layout.requestBody()
    }
}

extension MartletClient {
    /// A POST of a multipart body.
    public func post(_ url: some URLConvertible, multipart parts: MultipartBody) -> Call {
        post(url).body(multipart: parts)
    }

    /// A PUT of a multipart body.
    public func put(_ url: some URLConvertible, multipart parts: MultipartBody) -> Call {
        put(url).body(multipart: parts)
    }
}
