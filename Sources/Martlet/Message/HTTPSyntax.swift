// Which bytes HTTP allows where (RFC 9110, sections 5.5 and 5.6.2): tokens, and field values without control characters.
// Bit sets and eight bytes at a time, because every byte of every head passes here.

/// The byte classes of HTTP/1.1.
package enum HTTPSyntax {
    /// Letters, digits and ``!#$%&'*+-.^_`|~``: one bit for each byte below 128.
    private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
    private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Whether `byte` may stand in a token.
    @inline(__always)
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        let set = byte < 64 ? tokenLow : tokenHigh
        return byte < 128 && (set &>> UInt64(byte & 63)) & 1 != 0
    }

    /// Whether `byte` may stand in a field value: no control character but the tab. Bytes above 127 may.
    @inline(__always)
    package static func isValueByte(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    /// Whether `text` is a token: not empty, token bytes only.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// The first byte of `bytes` that no token may hold.
    @inline(__always)
    package static func firstNonTokenByte(_ bytes: Span<UInt8>) -> UInt8? {
        bytes.withUnsafeBufferPointer { buffer in firstNonToken(buffer, from: 0).map { buffer[$0] } }
    }

    /// The first byte of `bytes` that no field value may hold.
    @inline(__always)
    package static func firstNonValueByte(_ bytes: Span<UInt8>) -> UInt8? {
        bytes.withUnsafeBufferPointer { buffer in firstControl(buffer, from: 0).map { buffer[$0] } }
    }

    /// The place of the first byte from `start` on that no token may hold; nil when there is none.
    @inline(__always)
    package static func firstNonToken(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var index = start
        // Letters and hyphens, which is nearly all that names hold, eight at a time.
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            let others = neitherLetterNorHyphen(word)
            if others != 0 {
                index += others.trailingZeroBitCount >> 3
                if !isTokenByte(base[index]) { return index }
                index += 1
            } else {
                index += 8
            }
        }
        while index < bytes.count {
            if !isTokenByte(base[index]) { return index }
            index += 1
        }
        return nil
    }

    /// The high bit of each byte that is no ASCII letter and no hyphen.
    @inline(__always)
    private static func neitherLetterNorHyphen(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let low = word & ~high
        let small = low | (0x20 &* ones)
        // Without carries: each byte is below 128 before the addition.
        let fromA = small &+ ((0x80 - 0x61) &* ones)
        let beyondZ = small &+ ((0x80 - 0x7B) &* ones)
        let isLetter = fromA & ~beyondZ & high
        let hyphen = low ^ (0x2D &* ones)
        let isHyphen = ~(hyphen &+ (0x7F &* ones)) & high
        return ~(isLetter | isHyphen) & high | (word & high)
    }

    /// The place of the first byte from `start` on that no field value may hold; nil when there is none.
    @inline(__always)
    package static func firstControl(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var index = start
        while bytes.count - index >= 8 {
            let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
            if mayHoldControl(word) {
                for near in index..<(index + 8) where !isValueByte(base[near]) { return near }
            }
            index += 8
        }
        while index < bytes.count {
            if !isValueByte(base[index]) { return index }
            index += 1
        }
        return nil
    }

    /// Whether one of the eight bytes may be a control character; never false when one is.
    @inline(__always)
    private static func mayHoldControl(_ word: UInt64) -> Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        let belowSpace = (word &- 0x2020_2020_2020_2020) & ~word
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
        return (belowSpace | isDelete) & high != 0
    }

    /// Whether two names are the same without regard to the case of ASCII letters.
    @inline(__always)
    package static func equalIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    /// The byte, an ASCII capital made small.
    @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
