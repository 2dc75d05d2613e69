// Which encoding a text body is in: the `charset` of its Content-Type when we know it, else its byte-order mark, else
// UTF-8. Bytes that the encoding does not allow are an error, never replaced. RFC 9110 section 8.3.2, RFC 6657 section 3.

import Foundation

/// A text encoding, with the name it goes by on the wire.
struct TextEncoding: Hashable, Sendable {
    /// The preferred IANA name, in lower case.
    let name: String
    /// Foundation's encoding.
    let encoding: String.Encoding

    static let utf8 = TextEncoding(name: "utf-8", encoding: .utf8)

    /// Decodes a body by its Content-Type, a leading byte-order mark left out.
    ///
    /// Throws `decodingFailed`, which names the encoding.
    static func decode(_ data: Data, contentType: String?) throws(MartletError) -> String {
        let charset = contentType.flatMap(charset(of:))
        let encoding = charset.flatMap(named(_:)) ?? marked(by: data) ?? utf8
        if let text = encoding.text(of: data) { return text }
        var message = "The body is not text in \(encoding.name)"
        if let charset, named(charset) == nil {
            message += ", which was taken because the charset of its Content-Type is not known here"
        }
        throw MartletError(.decodingFailed, message + "; use data() to have its bytes.")
    }

    private func text(of data: Data) -> String? {
        if encoding == .utf8 {
            return data.withUnsafeBytes { bytes in
                let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
                return String(validating: UnsafeRawBufferPointer(rebasing: bytes[start...]), as: UTF8.self)
            }
        }
        // Foundation drops half a code unit at the end without a word.
        guard data.count.isMultiple(of: unitLength), let text = String(data: data, encoding: encoding) else {
            return nil
        }
        return unitLength > 1 && text.unicodeScalars.first == "\u{FEFF}"
            ? String(text.unicodeScalars.dropFirst()) : text
    }

    private var unitLength: Int { name.hasPrefix("utf-16") ? 2 : name.hasPrefix("utf-32") ? 4 : 1 }

    /// The encoding that a byte-order mark at the start of `data` tells.
    static func marked(by data: Data) -> TextEncoding? {
        // UTF-32 before UTF-16, whose little-endian mark its own begins with.
        let marks: [([UInt8], TextEncoding)] = [
            ([0xEF, 0xBB, 0xBF], utf8),
            ([0xFF, 0xFE, 0, 0], TextEncoding(name: "utf-32le", encoding: .utf32LittleEndian)),
            ([0, 0, 0xFE, 0xFF], TextEncoding(name: "utf-32be", encoding: .utf32BigEndian)),
            ([0xFF, 0xFE], TextEncoding(name: "utf-16le", encoding: .utf16LittleEndian)),
            ([0xFE, 0xFF], TextEncoding(name: "utf-16be", encoding: .utf16BigEndian)),
        ]
        return marks.first { data.starts(with: $0.0) }?.1
    }

    /// The encoding of an IANA charset name, in any case; nil when it is not known here.
    static func named(_ charset: String) -> TextEncoding? {
        let known: (name: String, encoding: String.Encoding)? =
            switch charset.lowercased() {
            case "utf-8", "utf8", "unicode-1-1-utf-8": ("utf-8", .utf8)
            case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": ("us-ascii", .ascii)
            case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1": ("iso-8859-1", .isoLatin1)
            case "iso-8859-2", "iso8859-2", "iso_8859-2", "latin2", "l2": ("iso-8859-2", .isoLatin2)
            case "windows-1250", "cp1250": ("windows-1250", .windowsCP1250)
            case "windows-1251", "cp1251": ("windows-1251", .windowsCP1251)
            case "windows-1252", "cp1252": ("windows-1252", .windowsCP1252)
            case "windows-1253", "cp1253": ("windows-1253", .windowsCP1253)
            case "windows-1254", "cp1254": ("windows-1254", .windowsCP1254)
            case "shift_jis", "shift-jis", "sjis", "ms_kanji": ("shift_jis", .shiftJIS)
            case "iso-2022-jp": ("iso-2022-jp", .iso2022JP)
            case "utf-16", "utf16": ("utf-16", .utf16)
            case "utf-16le": ("utf-16le", .utf16LittleEndian)
            case "utf-16be": ("utf-16be", .utf16BigEndian)
            case "utf-32": ("utf-32", .utf32)
            case "utf-32le": ("utf-32le", .utf32LittleEndian)
            case "utf-32be": ("utf-32be", .utf32BigEndian)
            default: nil
            }
        return known.map { TextEncoding(name: $0.name, encoding: $0.encoding) }
    }

    /// The value of the `charset` parameter, quotes taken off; the first one counts.
    static func charset(of contentType: String) -> String? {
        var rest = contentType.utf8[...]
        while let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) {
            rest = trimmed(rest[rest.index(after: semicolon)...])
            let name = rest.prefix { HTTPSyntax.isTokenByte($0) }
            rest = trimmed(rest[name.endIndex...])
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = trimmed(rest.dropFirst())
            let value: String
            if rest.first == UInt8(ascii: "\"") {
                (value, rest) = quoted(rest.dropFirst())
            } else {
                let token = rest.prefix { HTTPSyntax.isTokenByte($0) }
                value = String(Substring(token))
                rest = rest[token.endIndex...]
            }
            if String(Substring(name)).lowercased() == "charset" { return value.isEmpty ? nil : value }
        }
        return nil
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    /// A quoted string after its opening quote, and what follows the closing one.
    private static func quoted(_ text: Substring.UTF8View) -> (String, Substring.UTF8View) {
        var value: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            let plain = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte
            if let plain { value.append(plain) }
        }
        return (String(decoding: value, as: UTF8.self), rest)
    }
}
