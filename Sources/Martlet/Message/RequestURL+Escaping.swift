// Path, query and fragment: which bytes stand as they are, which are percent-encoded, and how dot segments go.
// RFC 3986 sections 2.1, 3.3, 3.4 and 5.2.4.

extension RequestURL {
    /// Whether a byte may stand in a path, query or fragment as it is: `pchar` without `%`, and `/` (RFC 3986 3.3).
    /// `?` and `#` are left to the caller, since they end one part or another.
    @inline(__always)
    static func isLiteral(_ byte: UInt8) -> Bool {
        // One bit for each of ! $ & ' ( ) * + , - . / 0-9 : ; = (0x20...0x3F) and @ A-Z _ a-z ~ (0x40...0x7F).
        if byte < 0x40 { return (0x2FFF_FFD2_0000_0000 as UInt64) >> UInt64(byte) & 1 == 1 }
        if byte < 0x80 { return (0x47FF_FFFE_87FF_FFFF as UInt64) >> UInt64(byte - 0x40) & 1 == 1 }
        return false
    }

    /// Where path and query end, if what follows the authority is in normal form already; nil sends it to `build`.
    static func normalTail(_ bytes: Bytes, from start: Int) -> (pathEnd: Int, queryEnd: Int)? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "/") else { return nil }
        var index = start
        var previous: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            if !isLiteral(byte) {
                if byte == UInt8(ascii: "%"), isEscape(bytes[index...]) {
                    index += 3
                    previous = byte
                    continue
                }
                break
            }
            // Any segment that begins with a dot goes the long way; few do.
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return nil }
            previous = byte
            index += 1
        }
        let pathEnd = index
        if index < bytes.count, bytes[index] == UInt8(ascii: "?") { index = normalEnd(bytes, from: index + 1) }
        let queryEnd = index
        if index < bytes.count, bytes[index] == UInt8(ascii: "#") { index = normalEnd(bytes, from: index + 1) }
        return index == bytes.count ? (pathEnd, queryEnd) : nil
    }

    private static func normalEnd(_ bytes: Bytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if isLiteral(byte) || byte == UInt8(ascii: "?") {
                index += 1
            } else if byte == UInt8(ascii: "%"), isEscape(bytes[index...]) {
                index += 3
            } else {
                break
            }
        }
        return index
    }

    /// Whether the bytes begin with `%` and two hexadecimal digits.
    private static func isEscape(_ bytes: Slice<Bytes>) -> Bool {
        let start = bytes.startIndex
        return bytes.count >= 3 && ASCII.hexValue(bytes[start + 1]) != nil && ASCII.hexValue(bytes[start + 2]) != nil
    }

    /// Appends `bytes` with what may not stand in a URL percent-encoded; escapes that are there stay.
    static func appendEscaping(_ bytes: Slice<Bytes>, to text: inout [UInt8]) throws(MartletError) {
        for index in bytes.startIndex..<bytes.endIndex {
            let byte = bytes[index]
            if isLiteral(byte) || byte == UInt8(ascii: "?") {
                text.append(byte)
            } else if byte == UInt8(ascii: "%") {
                guard isEscape(bytes[index...]) else {
                    throw invalid("The URL holds a `%` that two hexadecimal digits do not follow; write it as %25.")
                }
                text.append(byte)
            } else {
                ASCII.appendEscape(byte, to: &text)
            }
        }
    }

    /// Appends a path: at least `/`, escaped, its dot segments removed, never above where `text` ends now.
    static func appendPath(_ path: Slice<Bytes>, to text: inout [UInt8]) throws(MartletError) {
        if path.contains(UInt8(ascii: "\\")) {
            throw invalid("The URL holds a backslash, which readers take for different things.")
        }
        let root = text.count
        var rest = path
        if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
        while true {
            let slash = rest.firstIndex(of: UInt8(ascii: "/"))
            let segment = rest[..<(slash ?? rest.endIndex)]
            let isDot = segment.elementsEqual([UInt8(ascii: ".")])
            let isDoubleDot = segment.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")])
            if isDoubleDot, let parent = text[root...].lastIndex(of: UInt8(ascii: "/")) {
                text.removeSubrange(parent...)
            }
            if !isDot && !isDoubleDot {
                text.append(UInt8(ascii: "/"))
                try appendEscaping(segment, to: &text)
            } else if slash == nil {
                text.append(UInt8(ascii: "/"))
            }
            guard let slash else { return }
            rest = rest[(slash + 1)...]
        }
    }
}
