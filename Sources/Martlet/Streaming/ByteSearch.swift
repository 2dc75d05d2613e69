// Where a byte comes next in a buffer that grows at its end: what was searched is remembered, so that no byte is looked at
// twice, however small the chunks are.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The next place of one byte.
struct ByteSearch: Sendable {
    let byte: UInt8
    /// Where the byte is, or up to where it is not.
    private var position = 0
    private var isFound = false

    init(byte: UInt8) { self.byte = byte }

    /// Follows the buffer when `count` bytes are taken from its beginning.
    mutating func shift(by count: Int) {
        if position < count { isFound = false }
        position = max(0, position - count)
    }

    /// The first place of the byte from `start` on; nil when it is not there yet.
    mutating func first(from start: Int, in buffer: [UInt8]) -> Int? {
        if position < start {
            position = start
            isFound = false
        }
        if !isFound {
            let from = position
            let found: Int? = buffer.withUnsafeBytes { bytes in
                guard from < bytes.count, let base = bytes.baseAddress else { return nil }
                let hit = memchr(base + from, Int32(byte), bytes.count - from)
                return hit.map { UnsafeRawPointer($0) - base }
            }
            isFound = found != nil
            position = found ?? buffer.count
        }
        return isFound ? position : nil
    }
}
