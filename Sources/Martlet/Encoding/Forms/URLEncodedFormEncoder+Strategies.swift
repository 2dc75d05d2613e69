// The choices of the form encoder. Servers never agreed on one form of arrays, nesting, booleans or nil, so each is a choice;
// the defaults are what most of them read.

public import Foundation

extension URLEncodedFormEncoder {
    /// How the elements of an array are named.
    public enum ArrayEncoding: Sendable {
        /// `key[]=a&key[]=b`
        case brackets
        /// `key=a&key=b`
        case repeatedKey
        /// `key[0]=a&key[1]=b`
        case indexInBrackets
        /// `key=a,b`, with commas inside the elements escaped. Elements must be plain values.
        case commaSeparated
        /// The name that a closure gives to the element at an index, before it is escaped.
        case custom(@Sendable (_ key: String, _ index: Int) -> String)

        func key(_ key: String, _ index: Int) -> String {
            switch self {
            case .brackets: key + "[]"
            case .repeatedKey, .commaSeparated: key
            case .indexInBrackets: "\(key)[\(index)]"
            case .custom(let name): name(key, index)
            }
        }
    }

    /// How a boolean is written.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal

        func text(_ value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// How `Data` is written.
    public enum DataEncoding: Sendable {
        /// Base64 (RFC 4648, section 4).
        case base64
        /// As `Data` encodes itself: an array of bytes.
        case deferredToData
        /// The text that a closure gives.
        case custom(@Sendable (Data) throws -> String)
    }

    /// How a `Date` is written.
    public enum DateEncoding: Sendable {
        /// As `Date` encodes itself: seconds since 2001-01-01 00:00 UTC.
        case deferredToDate
        /// Seconds since 1970-01-01 00:00 UTC, without a fraction when there is none.
        case secondsSince1970
        /// Milliseconds since 1970-01-01 00:00 UTC, without a fraction when there is none.
        case millisecondsSince1970
        /// RFC 3339 to the second, in UTC: `2026-01-31T09:30:00Z`.
        case iso8601
        /// The text of a formatter.
        case formatted(DateFormatter)
        /// The text that a closure gives.
        case custom(@Sendable (Date) throws -> String)
    }

    /// How a number is written that is infinite or not a number.
    public enum FloatEncoding: Sendable {
        /// Not at all: encoding throws.
        case refused
        /// As these texts.
        case literals(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How keys are joined to a path.
    public enum KeyPathEncoding: Sendable {
        /// `parent[child]`
        case brackets
        /// `parent.child`
        case dots
        /// The parent's path with what a closure makes of the child's key behind it.
        case custom(@Sendable (_ child: String) -> String)

        func path(_ parent: String, _ child: String) -> String {
            switch self {
            case .brackets: "\(parent)[\(child)]"
            case .dots: "\(parent).\(child)"
            case .custom(let suffix): parent + suffix(child)
            }
        }
    }

    /// What is written for nil. In an array the same is done for each element.
    public enum NilEncoding: Sendable {
        /// Nothing at all.
        case dropped
        /// `key=`
        case emptyValue
        /// `key`, without an equals sign.
        case keyOnly
        /// `key=null`
        case null
        /// The value that a closure gives for the key's path; nothing at all when it gives nil.
        case custom(@Sendable (_ key: String) -> String?)
    }

    /// How a space is written.
    public enum SpaceEncoding: Sendable {
        /// `%20`
        case percentEscaped
        /// `+`
        case plusReplaced
    }

    /// The characters that are written as they are; everything else is percent-escaped as UTF-8, in capitals.
    ///
    /// Only ASCII counts. `%`, `&`, `=`, `+`, `#`, the space and control characters are always escaped: as they are they would
    /// mean something else.
    public struct AllowedCharacters: Sendable, Hashable {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        /// Letters, digits and `-._~` (RFC 3986, section 2.3).
        public static let unreserved = AllowedCharacters { ASCII.isUnreserved($0) }

        /// The unreserved characters, `/` and `?`: what in a query needs no escape and separates nothing (RFC 3986, section 3.4).
        public static let query = AllowedCharacters {
            ASCII.isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
        }

        /// The characters of a set.
        public init(_ characters: CharacterSet) {
            self.init { characters.contains(Unicode.Scalar($0)) }
        }

        /// The characters of a text.
        public init(_ characters: String) {
            let bytes = Set(characters.utf8)
            self.init { bytes.contains($0) }
        }

        private init(_ isAllowed: (UInt8) -> Bool) {
            for byte in UInt8(0x21)..<0x7F where !"%&=+#".utf8.contains(byte) && isAllowed(byte) {
                if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
            }
        }

        @inline(__always)
        func contains(_ byte: UInt8) -> Bool {
            byte < 128 && ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 != 0
        }
    }
}
