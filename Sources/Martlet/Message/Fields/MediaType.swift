// What a body is (RFC 9110, section 8.3.1; RFC 6838 for the syntax, RFC 6839 for suffixes). Types have no case; parameters play no part
// in whether one matches another.

/// A media type, such as `text/html; charset=utf-8`.
///
/// ```swift
/// let type = MediaType("application/vnd.api+json; charset=utf-8")
/// let isJSON = type?.matches("application/json")
/// ```
public struct MediaType: Hashable, Sendable {
    /// The part before the slash, in small letters.
    public let type: String
    /// The part behind the slash, in small letters.
    public let subtype: String
    /// The parameters, in order.
    public let parameters: [FieldParameter]

    /// Reads a media type; nil when the text is none.
    public init?(_ text: String) {
        let read = HeaderParameters(text)
        guard let slash = read.value.firstIndex(of: "/") else { return nil }
        type = String(read.value[..<slash])
        subtype = String(read.value[read.value.index(after: slash)...])
        parameters = read.parameters
        guard HTTPSyntax.isToken(type), HTTPSyntax.isToken(subtype) else { return nil }
    }

    /// The type without its parameters: `text/html`.
    public var essence: String { "\(type)/\(subtype)" }

    /// The structured syntax that the subtype names behind a plus: `json` in `application/problem+json`.
    public var suffix: String? {
        guard let plus = subtype.lastIndex(of: "+"), plus > subtype.startIndex else { return nil }
        let suffix = subtype[subtype.index(after: plus)...]
        return suffix.isEmpty ? nil : String(suffix)
    }

    /// The `charset` parameter; nil when there is none or it is empty.
    public var charset: String? { parameters.value(of: "charset").flatMap { $0.isEmpty ? nil : $0 } }

    /// The first parameter of a name, in any case.
    public subscript(name: String) -> String? { parameters.value(of: name.lowercased()) }

    /// Whether the type is one that a pattern means: `application/json`, `text/*`, `*/xml`, `*/*`, `application/*+json`.
    ///
    /// A type with a suffix is also one of what it is built on: `application/problem+json` matches `application/json`. The parameters
    /// of both are passed over. A pattern that is no type matches nothing.
    public func matches(_ pattern: String) -> Bool { MediaType(pattern).map(matches) ?? false }

    /// Whether the type is one that a pattern means.
    public func matches(_ pattern: MediaType) -> Bool {
        if let suffix, suffix == pattern.subtype {
            // `application/json` is the form itself, in whatever type it is used: `model/gltf+json`, `image/svg+xml`.
            return pattern.type == "*" || pattern.type == type || pattern.type == "application"
        }
        guard pattern.type == "*" || pattern.type == type else { return false }
        if pattern.subtype.hasPrefix("*+") { return suffix.map { "*+\($0)" == pattern.subtype } ?? false }
        return pattern.subtype == "*" || pattern.subtype == subtype
    }
}

extension MediaType: CustomStringConvertible {
    /// The type as it is written.
    public var description: String { parameters.written(behind: essence) }
}

extension HTTPHeaders {
    /// The `Content-Type`, read; nil when there is none that can be read.
    public var mediaType: MediaType? { contentType.flatMap { MediaType($0) } }
}
