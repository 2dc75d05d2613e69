// A field value with parameters, as `multipart/mixed; boundary="a b"` or `form-data; name="a"` (RFC 9110, section 5.6.6). Reading is
// lenient, since what is read is only used to find things by.

/// The parameters of a field value.
struct HeaderParameters {
    /// What stands before the parameters, in small letters.
    let value: String
    private let parameters: [(name: String, value: String)]

    init(_ text: String) {
        var rest = text.utf8[...]
        var parameters: [(name: String, value: String)] = []
        value = Self.token(&rest).lowercased()
        while rest.popFirst() != nil {
            let name = Self.token(&rest, endingAtEquals: true).lowercased()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest.removeFirst()
            let value = Self.value(&rest)
            if !name.isEmpty { parameters.append((name, value)) }
        }
        self.parameters = parameters
    }

    /// The first parameter of a name, which is in small letters.
    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func token(_ rest: inout Substring.UTF8View, endingAtEquals: Bool = false) -> String {
        let end =
            rest.firstIndex { $0 == UInt8(ascii: ";") || endingAtEquals && $0 == UInt8(ascii: "=") } ?? rest.endIndex
        defer { rest = rest[end...] }
        return trimmed(rest[..<end])
    }

    private static func value(_ rest: inout Substring.UTF8View) -> String {
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        guard rest.first == UInt8(ascii: "\"") else { return token(&rest) }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        // What stands between a quote and the next semicolon means nothing.
        _ = token(&rest)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
