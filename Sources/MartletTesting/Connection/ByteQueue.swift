// Bytes read from a connection and not yet asked for.

import Foundation

/// A first-in, first-out queue of bytes.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        if start == bytes.count { removeAll() }
        bytes.append(contentsOf: more)
    }

    /// Removes at most `limit` bytes from the front.
    mutating func take(_ limit: Int) -> Data {
        let end = start + min(max(limit, 0), count)
        let data = bytes.withUnsafeBytes { Data($0[start..<end]) }
        start = end
        if start == bytes.count {
            removeAll()
        } else if start > 262_144 {
            bytes.removeFirst(start)
            start = 0
        }
        return data
    }

    /// The number of bytes up to the end of the first line at or after `offset`, its LF included.
    func endOfLine(from offset: Int) -> Int? {
        guard offset < count else { return nil }
        return bytes[(start + offset)...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 - start }
    }

    subscript(offset: Int) -> UInt8 { bytes[start + offset] }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 262_144)
        start = 0
    }
}
