// Form text apart: items at `&`, names and values at the first `=`, escapes undone (WHATWG URL Standard, section 5.1). Stricter than
// browsers: what is not an escape, or not UTF-8, is an error and never replaced.

import Foundation

enum FormText {
    typealias Raw = Substring.UTF8View

    /// One name with its value, both as they stand there; without an equals sign there is no value.
    struct Item {
        var name: Raw
        var value: Raw?
    }

    /// The items of a text, at most `limit` of them and then one more with all the rest.
    static func items(of text: String, limit: Int = .max) -> [Item] {
        text.utf8.split(separator: UInt8(ascii: "&"), maxSplits: limit).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return Item(name: item) }
            return Item(name: item[..<equals], value: item[item.index(after: equals)...])
        }
    }

    /// The text without escapes; a plus is a space.
    static func decode(_ raw: Raw) throws -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(ASCII.hexValue),
                    let low = rest.popFirst().flatMap(ASCII.hexValue)
                else { throw corrupt("A `%` of the form is not followed by two hexadecimal digits.") }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw corrupt("The form holds bytes that are not UTF-8.")
        }
        return text
    }

    static func corrupt(_ what: String, _ codingPath: [any CodingKey] = []) -> DecodingError {
        DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: what))
    }
}
