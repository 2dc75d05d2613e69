// Reads header field values from left to right (RFC 9110, section 5.6). It only ever goes forward, so that what is read with it takes
// time in proportion to its length; at the end it gives nothing.

/// A place in the value of a header field.
struct FieldReader {
    private let bytes: [UInt8]
    private(set) var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index >= bytes.count }

    /// The byte that comes next.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Goes past the next byte.
    mutating func advance() { if index < bytes.count { index += 1 } }

    /// Goes past an ASCII character if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == character.value else { return false }
        index += 1
        return true
    }

    /// Goes past one space if it comes next.
    mutating func takeSpace() -> Bool { take(" ") }

    /// Goes past spaces and tabs.
    mutating func skipSpace() {
        while let next, next == 0x20 || next == 0x09 { index += 1 }
    }

    /// Letters, made small; empty when none comes next.
    mutating func word() -> String { text { ASCII.isLetter($0) }.lowercased() }

    /// A number of so many decimal digits, no digit behind it.
    mutating func number(digits count: ClosedRange<Int>) -> Int? {
        let start = index
        var value = 0
        while let next, ASCII.isDigit(next), index - start < count.upperBound {
            value = value * 10 + Int(next - UInt8(ascii: "0"))
            index += 1
        }
        guard count.contains(index - start), next.map({ !ASCII.isDigit($0) }) ?? true else { return nil }
        return value
    }

    /// A token; empty when none comes next.
    mutating func token() -> String { text(HTTPSyntax.isTokenByte) }

    /// What comes next, as long as `belongs` says so.
    mutating func text(_ belongs: (UInt8) -> Bool) -> String {
        let start = index
        while let next, belongs(next) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// A quoted string whose opening quote comes next, without its quotes and escapes; one that is not closed ends with the value.
    mutating func quotedString() -> String {
        guard take("\"") else { return "" }
        var content: [UInt8] = []
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte != UInt8(ascii: "\\") {
                content.append(byte)
            } else if let escaped = next {
                content.append(escaped)
                index += 1
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Goes to the next of two delimiters, or to the end, past quoted strings.
    mutating func skip(to first: Unicode.Scalar, or second: Unicode.Scalar? = nil) {
        while let byte = next {
            if UInt32(byte) == first.value || UInt32(byte) == second?.value { return }
            if byte == UInt8(ascii: "\"") { _ = quotedString() } else { index += 1 }
        }
    }

    /// A decimal number of seconds (RFC 9111, section 1.2.2): digits alone. One above 2^31 counts as that.
    static func deltaSeconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return min(Int(text) ?? .max, 1 << 31)
    }
}
