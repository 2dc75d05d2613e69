// What a character is to XML (XML 1.0, sections 2.2, 2.3 and 4.3.3).

import Foundation

extension XMLReader {
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Whether a byte does not end a name.
    static func mayBeInName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || isInName(Unicode.Scalar(byte))
    }

    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_", ":": true
        default:
            switch scalar.value {
            case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
                0x2070...0x218F,
                0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
                true
            default: false
            }
        }
    }

    static func isInName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "-", ".", "\u{B7}", "\u{300}"..."\u{36F}", "\u{203F}"..."\u{2040}": true
        default: beginsName(scalar)
        }
    }

    /// The encoding that an XML declaration names, in a document whose bytes are near enough to ASCII for it to be read so; nil
    /// when there is none. One of more bytes a character than that is wrong about itself, and not believed.
    ///
    /// Throws `decodingFailed` when the name is not known.
    static func declaredEncoding(of data: Data) throws(MartletError) -> TextEncoding? {
        let start = String(decoding: data.prefix(256), as: UTF8.self)
        guard start.hasPrefix("<?xml"), let end = start.firstRange(of: "?>"),
            let label = start[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let value = start[label.upperBound..<end.lowerBound].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        let name = String(value.dropFirst().prefix { $0 != quote })
        guard let encoding = TextEncoding.named(name) else {
            throw MartletError(.decodingFailed, "The XML declaration of the body names an encoding that is not known.")
        }
        return encoding.name.hasPrefix("utf-16") || encoding.name.hasPrefix("utf-32") ? nil : encoding
    }
}
