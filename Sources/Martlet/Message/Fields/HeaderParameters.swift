// A field value with parameters, as `multipart/mixed; boundary="a b"` or `form-data; name="a"` (RFC 9110, section 5.6.6). Reading is
// lenient, since what is read is only used to find things by: what has no name or no value is passed over.

/// A parameter of a header field's value: `charset=utf-8`.
public struct FieldParameter: Hashable, Sendable {
    /// The name, in small letters.
    public let name: String
    /// The value, without quotes.
    public let value: String

    /// Makes a parameter; its name has no case.
    public init(_ name: String, _ value: String) {
        self.name = name.lowercased()
        self.value = value
    }
}

extension FieldParameter: CustomStringConvertible {
    /// The parameter as it is written, in quotes where it needs them.
    public var description: String {
        HTTPSyntax.isToken(value) ? "\(name)=\(value)" : "\(name)=\"\(Self.escaped(value))\""
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

/// The parts of a field value that has parameters.
struct HeaderParameters {
    /// What stands before the parameters, in small letters.
    let value: String
    let parameters: [FieldParameter]

    init(_ text: String) {
        var reader = FieldReader(text)
        value = Self.trimmed(reader.text { $0 != UInt8(ascii: ";") }).lowercased()
        parameters = Self.parameters(&reader)
    }

    /// Reads parameters up to the end, or up to a comma when `isListed`.
    static func parameters(_ reader: inout FieldReader, isListed: Bool = false) -> [FieldParameter] {
        let end: Unicode.Scalar = isListed ? "," : ";"
        func endsPiece(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: end) }
        var parameters: [FieldParameter] = []
        while true {
            reader.skip(to: ";", or: end)
            guard reader.take(";") else { return parameters }
            let name = trimmed(reader.text { $0 != UInt8(ascii: "=") && !endsPiece($0) })
            guard reader.take("=") else {
                // Named without a value: nothing to find by, but a list may say so.
                if isListed, !name.isEmpty { parameters.append(FieldParameter(name, "")) }
                continue
            }
            reader.skipSpace()
            let value =
                reader.next == UInt8(ascii: "\"")
                ? reader.quotedString() : trimmed(reader.text { !endsPiece($0) })
            if !name.isEmpty { parameters.append(FieldParameter(name, value)) }
        }
    }

    /// The first parameter of a name, which is in small letters.
    subscript(name: String) -> String? { parameters.value(of: name) }

    static func trimmed(_ text: String) -> String {
        var text = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(Substring(text))
    }
}

extension [FieldParameter] {
    /// The parameters behind what they belong to, as they are written.
    func written(behind value: String, separator: String = "; ") -> String {
        ([value] + map(\.description)).joined(separator: separator)
    }

    /// The value of the first parameter of a name, which is in small letters.
    func value(of name: String) -> String? { first { $0.name == name }?.value }
}

/// A text of RFC 8187, section 3.2: charset, language and escaped text, with quotes between them.
enum ExtendedValue {
    /// The text, in UTF-8 or Latin-1; nil when it is of no such form.
    static func decode(_ value: String) -> String? {
        let pieces = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = pieces[2].utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                guard byte < 0x80 else { return nil }
                bytes.append(byte)
            } else if let high = rest.popFirst().flatMap(ASCII.hexValue),
                let low = rest.popFirst().flatMap(ASCII.hexValue)
            {
                bytes.append(high << 4 | low)
            } else {
                return nil
            }
        }
        switch pieces[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(decoding: bytes.map(UInt16.init), as: UTF16.self)
        default: return nil
        }
    }
}
