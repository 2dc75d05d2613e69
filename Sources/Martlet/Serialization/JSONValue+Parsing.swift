// JSON text to a value, in one pass over the bytes (RFC 8259, strictly: no comments, no trailing commas, UTF-8 only).
// Nesting is bounded by 512, as in Foundation's decoder, since the peer chooses it and each level takes stack.

public import Foundation

extension JSONValue {
    /// Reads a JSON text in UTF-8; a byte-order mark before it is skipped.
    ///
    /// Throws `decodingFailed` with what is wrong and at which byte.
    public init(parsing data: Data) throws(MartletError) {
        self = try data.withUnsafeBytes { raw in
            Result { () throws(MartletError) in
                var reader = JSONReader(raw.bindMemory(to: UInt8.self))
                return try reader.readText()
            }
        }.get()
    }
}

/// A cursor over JSON text.
private struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0

    private static let maximumDepth = 512

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func failure(_ reason: String) -> MartletError {
        MartletError(.decodingFailed, "The body is not JSON: \(reason) at byte \(index).")
    }

    private func unexpected(_ expected: String) -> MartletError {
        failure(next == nil ? "it ends where \(expected) should follow" : "\(expected) is missing")
    }

    mutating func readText() throws(MartletError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        skipSpace()
        let value = try readValue()
        skipSpace()
        guard next == nil else { throw failure("more text follows the value") }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func readValue() throws(MartletError) -> JSONValue {
        // A NUL is no value either, so it may stand for the end.
        switch next ?? 0 {
        case UInt8(ascii: "{"): return try nested { reader throws(MartletError) in try reader.readObject() }
        case UInt8(ascii: "["): return try nested { reader throws(MartletError) in try reader.readArray() }
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
        default: throw unexpected("a value")
        }
    }

    private mutating func nested(
        _ body: (inout JSONReader) throws(MartletError) -> JSONValue
    ) throws(MartletError) -> JSONValue {
        guard depth < JSONReader.maximumDepth else {
            throw failure("more than \(JSONReader.maximumDepth) arrays and objects are nested")
        }
        depth += 1
        index += 1
        skipSpace()
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func readArray() throws(MartletError) -> JSONValue {
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try readValue())
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { throw unexpected("`,` or `]`") }
            skipSpace()
        }
    }

    private mutating func readObject() throws(MartletError) -> JSONValue {
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            guard next == UInt8(ascii: "\"") else { throw unexpected("a member's name") }
            let name = try readString()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected("`:`") }
            skipSpace()
            members[name] = try readValue()
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw unexpected("`,` or `}`") }
            skipSpace()
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func readWord(_ word: StaticString, _ value: JSONValue) throws(MartletError) -> JSONValue {
        let isWord = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard isWord else { throw unexpected("a value") }
        index += word.utf8CodeUnitCount
        return value
    }

    // MARK: Numbers

    private mutating func readNumber() throws(MartletError) -> JSONValue {
        let start = index
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try skipDigits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger {
            if let value = Int64(text) { return .integer(value) }
            if let value = UInt64(text) { return .unsigned(value) }
        }
        guard let value = Double(text), value.isFinite else {
            throw failure("a number is too large, ending")
        }
        return .double(value)
    }

    private mutating func skipDigits() throws(MartletError) {
        guard let byte = next, ASCII.isDigit(byte) else { throw unexpected("a digit") }
        while let byte = next, ASCII.isDigit(byte) { index += 1 }
    }

    // MARK: Strings

    private mutating func readString() throws(MartletError) -> String {
        index += 1
        let start = index
        var unescaped: [UInt8]?
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                let text =
                    if let unescaped {
                        String(validating: unescaped, as: UTF8.self)
                    } else {
                        String(validating: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
                    }
                guard let text else { throw failure("a string is not UTF-8, ending") }
                index += 1
                return text
            case UInt8(ascii: "\\"):
                var text = unescaped ?? Array(bytes[start..<index])
                unescaped = nil
                index += 1
                try readEscape(into: &text)
                unescaped = text
            case 0..<0x20: throw failure("a string holds an unescaped control character")
            default:
                unescaped?.append(byte)
                index += 1
            }
        }
        throw unexpected("the end of a string")
    }

    private mutating func readEscape(into text: inout [UInt8]) throws(MartletError) {
        let escape = next
        index += 1
        switch escape {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape ?? 0)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var value = try readHexadecimal()
            // A high surrogate is half a character; the low one must follow in an escape of its own.
            if 0xD800..<0xDC00 ~= value {
                guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
                    throw failure("half a surrogate pair stands")
                }
                let low = try readHexadecimal()
                guard 0xDC00..<0xE000 ~= low else { throw failure("half a surrogate pair ends") }
                value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(value) else { throw failure("half a surrogate pair ends") }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: throw failure("a string holds an unknown escape")
        }
    }

    private mutating func readHexadecimal() throws(MartletError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = ASCII.hexValue(byte) else { throw unexpected("a hexadecimal digit") }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}
