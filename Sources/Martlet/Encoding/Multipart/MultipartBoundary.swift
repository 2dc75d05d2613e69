// The text that separates parts (RFC 2046, section 5.1.1). A random one of 128 bits is in no content; one that was chosen may be, so
// content is searched for it while it is sent.

import Foundation

struct MultipartBoundary: Sendable {
    let text: String
    /// Whether somebody chose the text, so that content may hold it.
    let isChosen: Bool

    /// A random boundary.
    init() {
        var generator = SystemRandomNumberGenerator()
        let digits = [generator.next(), generator.next()].map { (number: UInt64) in
            let hexadecimal = String(number, radix: 16)
            return String(repeating: "0", count: 16 - hexadecimal.count) + hexadecimal
        }
        text = "martlet-" + digits.joined()
        isChosen = false
    }

    init(chosen text: String) {
        self.text = text
        isChosen = true
    }

    /// Throws `encodingFailed` for a text that is no boundary.
    func validate() throws(MartletError) {
        let bytes = text.utf8
        guard 1...70 ~= bytes.count, bytes.allSatisfy(Self.isAllowed), bytes.last != 0x20 else {
            throw MartletError(
                .encodingFailed,
                "The multipart boundary is not 1 to 70 letters, digits and '()+_,-./:=? and spaces, with no space at its end."
            )
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "'()+_,-./:=? ".utf8.contains(byte)
    }

    /// The boundary as the value of a media type's parameter.
    var parameter: String { HTTPSyntax.isToken(text) ? text : "\"\(text)\"" }
}

/// Looks for a delimiter in bytes that come in pieces.
struct DelimiterSearch: Sendable {
    private let needle: [UInt8]
    private let fallbacks: [Int]
    private var matched = 0

    init(boundary: String) {
        needle = Array("\r\n--\(boundary)".utf8)
        var fallbacks = [0]
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = fallbacks[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            fallbacks.append(length)
        }
        self.fallbacks = fallbacks
    }

    /// Begins a part: the line end of its head belongs to a delimiter that follows at once.
    mutating func restart() { matched = 2 }

    /// Whether the delimiter ends in these bytes.
    mutating func isFound(in data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            for byte in bytes {
                while matched > 0, needle[matched] != byte { matched = fallbacks[matched - 1] }
                if needle[matched] == byte { matched += 1 }
                if matched == needle.count {
                    matched = fallbacks[matched - 1]
                    return true
                }
            }
            return false
        }
    }
}
