// Where a JSON value ends, byte by byte: brackets are counted outside strings, and nothing is judged; that is the decoder's
// business. What JSON text sequences (RFC 7464) and elements of an array have in common.

/// Follows one JSON value to its end.
struct JSONBoundary: Sendable {
    /// What a byte is to the value.
    enum Step: Sendable {
        /// Whitespace before it.
        case before
        /// A part of it.
        case inside
        /// Its last byte.
        case last
        /// The first byte after it, which is not a part of it.
        case after
    }

    private enum State: Sendable {
        case outside
        case scalar
        case string
        case escape
        case nested
    }

    private var state = State.outside
    private var depth = 0

    /// Whether a value has begun and not ended.
    var isInside: Bool { state != .outside }

    /// Takes the next byte; after `last` and `after` the next value is awaited.
    @inline(__always)
    mutating func step(_ byte: UInt8) -> Step {
        switch state {
        case .nested:
            switch byte {
            case UInt8(ascii: "\""): state = .string
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    state = .outside
                    return .last
                }
            default: break
            }
            return .inside
        case .string:
            if byte == UInt8(ascii: "\\") {
                state = .escape
            } else if byte == UInt8(ascii: "\"") {
                state = depth == 0 ? .outside : .nested
                if depth == 0 { return .last }
            }
            return .inside
        case .escape:
            state = .string
            return .inside
        case .scalar:
            guard Self.isWhitespace(byte) || Self.isMark(byte) else { return .inside }
            state = .outside
            return .after
        case .outside:
            if Self.isWhitespace(byte) { return .before }
            switch byte {
            case UInt8(ascii: "\""): state = .string
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                state = .nested
                depth = 1
            default: state = .scalar
            }
            return .inside
        }
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// A comma, a closing bracket, or the record separator of RFC 7464.
    private static func isMark(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") || byte == 0x1E
    }
}
