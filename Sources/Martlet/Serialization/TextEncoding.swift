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

    /// Decodes a body, a leading byte-order mark left out: in the encoding named, else in that of its Content-Type, else of its
    /// byte-order mark, else in the default.
    ///
    /// Throws `decodingFailed`, which names the encoding.
    static func decode(
        _ data: Data, as explicit: TextEncoding? = nil, contentType: String?, default fallback: TextEncoding = utf8
    ) throws(MartletError) -> String {
        let charset = explicit == nil ? contentType.flatMap(charset(of:)) : nil
        let encoding = explicit ?? charset.flatMap(named(_:)) ?? marked(by: data) ?? fallback
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

    /// The value of the `charset` parameter, quotes taken off; the first one counts.
    static func charset(of contentType: String) -> String? {
        HeaderParameters(contentType)["charset"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
