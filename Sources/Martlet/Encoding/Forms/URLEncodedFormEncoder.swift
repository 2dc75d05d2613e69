// Values as `application/x-www-form-urlencoded` text, for queries and for bodies (WHATWG URL Standard, section 5; the brackets
// are what PHP, Rack and qs made of it). Defaults: names sorted at every level and array order kept, so that equal values
// give equal text; `a[]=1` for arrays, `a[b]=1` for what is nested, 1 and 0 for booleans, `%20` for a space.

public import Foundation

/// Encodes values as URL-encoded form text.
///
/// ```swift
/// var encoder = URLEncodedFormEncoder()
/// encoder.arrays = .repeatedKey
/// let text = try encoder.encodeString(["tags": ["a", "b"]])  // tags=a&tags=b
/// ```
///
/// The root must have keys: a dictionary, a structure, ``Parameters``, or an array of pairs, each of them an object or two plain
/// values (name and value). Empty arrays and dictionaries leave no trace, as a form has no way to write them.
public struct URLEncodedFormEncoder: Sendable {
    /// How the elements of arrays are named; ``ArrayEncoding/brackets`` by default.
    public var arrays = ArrayEncoding.brackets
    /// How booleans are written; ``BoolEncoding/numeric`` by default.
    public var booleans = BoolEncoding.numeric
    /// How `Data` is written; ``DataEncoding/base64`` by default.
    public var data = DataEncoding.base64
    /// How `Date` is written; ``DateEncoding/deferredToDate`` by default.
    public var dates = DateEncoding.deferredToDate
    /// How numbers are written that are infinite or not a number; ``FloatEncoding/refused`` by default.
    public var nonFiniteFloats = FloatEncoding.refused
    /// What becomes of each key of a path; ``KeyEncoding/unchanged`` by default.
    public var keys = KeyEncoding.unchanged
    /// How keys are joined to a path; ``KeyPathEncoding/brackets`` by default.
    public var keyPaths = KeyPathEncoding.brackets
    /// What is written for nil; ``NilEncoding/dropped`` by default.
    public var nils = NilEncoding.dropped
    /// How a space is written; ``SpaceEncoding/percentEscaped`` by default.
    public var spaces = SpaceEncoding.percentEscaped
    /// The characters that are not escaped; ``AllowedCharacters/query`` by default.
    public var allowedCharacters = AllowedCharacters.query
    /// Whether keys are sorted at every level; true by default. Else they come as the value gives them, which for a dictionary is
    /// any order. The elements of arrays always keep theirs.
    public var sortsKeys = true

    /// How deeply values may be nested; 128. What is deeper is refused, since it would exhaust the stack here or at the server.
    public static let maximumDepth = 128

    /// Makes an encoder with the default strategies.
    public init() {}

    /// The form text of a value as UTF-8, which is all ASCII.
    ///
    /// - Throws: `EncodingError` for a root without keys, for nesting deeper than ``maximumDepth`` and for what the strategies
    ///   refuse; what a custom strategy or the value itself throws.
    public func encode(_ value: some Encodable) throws -> Data {
        Data(try bytes(value))
    }

    /// The form text of a value.
    ///
    /// - Throws: `EncodingError` for a root without keys, for nesting deeper than ``maximumDepth`` and for what the strategies
    ///   refuse; what a custom strategy or the value itself throws.
    public func encodeString(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }

    /// A text with all but the allowed characters escaped, as names and values are.
    public func escape(_ text: String) -> String {
        var writer = FormWriter(rules: self)
        writer.append(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func bytes(_ value: some Encodable) throws -> [UInt8] {
        var writer = FormWriter(rules: self)
        try writer.write(root: try formValue(of: value))
        return writer.bytes
    }

    /// The value as a tree, before names are joined and anything is escaped.
    func formValue(of value: some Encodable) throws -> FormValue {
        let session = FormEncodingSession(rules: self)
        let tree = try FormEncodingPlace(session: session, codingPath: [], depth: 0).formValue(of: value)
        if let failure = session.failure { throw failure }
        return tree
    }
}
