// `application/x-www-form-urlencoded` text as values: the other half of the form encoder. Defaults: whatever form of arrays comes is
// taken (`a[]`, `a[0]`, `a` repeated), nesting is in brackets, 1, 0, true and false are booleans.

public import Foundation

/// Decodes values from URL-encoded form text.
///
/// ```swift
/// struct Search: Decodable { var q: String; var tags: [String] }
/// ```
///
/// ```swift
/// let search = try URLEncodedFormDecoder().decode(Search.self, from: "q=swift&tags[]=a&tags[]=b")
/// ```
///
/// A form cannot write an empty array or dictionary, so that one which is asked for and not there is empty. A name that comes twice
/// where one value is wanted is an error: which of them was meant is a guess. Objects in arrays need indexes
/// (`a[0][b]=1`) to be told apart for sure; in `a[][b]=1` a new one begins where a name comes again.
public struct URLEncodedFormDecoder: Sendable {
    /// How `Data` is read.
    public enum DataDecoding: Sendable {
        /// Base64.
        case base64
        /// As `Data` decodes itself: from an array of bytes.
        case deferredToData
        /// By a closure.
        case custom(@Sendable (String) throws -> Data)
    }

    /// How a `Date` is read.
    public enum DateDecoding: Sendable {
        /// As `Date` decodes itself: seconds since 2001-01-01 00:00 UTC.
        case deferredToDate
        /// Seconds since 1970-01-01 00:00 UTC.
        case secondsSince1970
        /// Milliseconds since 1970-01-01 00:00 UTC.
        case millisecondsSince1970
        /// RFC 3339.
        case iso8601
        /// By a formatter.
        case formatted(DateFormatter)
        /// By a closure.
        case custom(@Sendable (String) throws -> Date)
    }

    /// What stands for nil besides a name that is not there.
    public enum NilDecoding: Sendable {
        /// Nothing else.
        case absent
        /// `key=`
        case emptyValue
        /// `key`
        case keyOnly
        /// `key=null`
        case null
    }

    /// How nested names are written.
    public enum KeyPathDecoding: Sendable {
        /// `parent[child]`
        case brackets
        /// `parent.child`, with indexes still in brackets.
        case dots
    }

    /// How `Data` is read; base64 by default.
    public var data = DataDecoding.base64
    /// How `Date` is read; ``DateDecoding/deferredToDate`` by default.
    public var dates = DateDecoding.deferredToDate
    /// The texts of numbers that are infinite or not a number; refused by default.
    public var nonFiniteFloats = URLEncodedFormEncoder.FloatEncoding.refused
    /// How keys were changed when they were written; ``URLEncodedFormEncoder/KeyEncoding/unchanged`` by default. A key is looked for
    /// as the encoder would have written it.
    public var keys = URLEncodedFormEncoder.KeyEncoding.unchanged
    /// How nested names are written; ``KeyPathDecoding/brackets`` by default.
    public var keyPaths = KeyPathDecoding.brackets
    /// What stands for nil; ``NilDecoding/absent`` by default.
    public var nils = NilDecoding.absent
    /// Whether one value that holds commas is an array, where an array is wanted; false by default.
    public var splitsAtCommas = false
    /// The most names and values in a form; 100,000 by default.
    public var maximumFields = 100_000

    /// How deeply names may be nested; 128.
    public static let maximumDepth = URLEncodedFormEncoder.maximumDepth

    /// Makes a decoder with the default strategies.
    public init() {}

    /// Makes a decoder for what an encoder writes. Strategies that are closures cannot be undone: those of data and dates stay at
    /// their defaults, and names of a closure's making are not taken apart.
    public init(matching encoder: URLEncodedFormEncoder) {
        switch encoder.data {
        case .base64, .custom: data = .base64
        case .deferredToData: data = .deferredToData
        }
        switch encoder.dates {
        case .deferredToDate, .custom: dates = .deferredToDate
        case .secondsSince1970: dates = .secondsSince1970
        case .millisecondsSince1970: dates = .millisecondsSince1970
        case .iso8601: dates = .iso8601
        case .formatted(let formatter): dates = .formatted(formatter)
        }
        switch encoder.nils {
        case .dropped, .custom: nils = .absent
        case .emptyValue: nils = .emptyValue
        case .keyOnly: nils = .keyOnly
        case .null: nils = .null
        }
        nonFiniteFloats = encoder.nonFiniteFloats
        keys = encoder.keys
        if case .dots = encoder.keyPaths { keyPaths = .dots }
        if case .commaSeparated = encoder.arrays { splitsAtCommas = true }
    }

    /// Decodes a value from form text in UTF-8.
    ///
    /// - Throws: `DecodingError` with the place in the value.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard let text = String(validating: data, as: UTF8.self) else {
            throw FormText.corrupt("The form holds bytes that are not UTF-8.")
        }
        return try decode(type, from: text)
    }

    /// Decodes a value from form text.
    ///
    /// - Throws: `DecodingError` with the place in the value.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        let place = FormDecodingPlace(
            rules: self, node: try FormNode(reading: text, by: self), codingPath: [], depth: 0)
        return try place.decode(type)
    }
}
