// Bytes in, places of lines out: LF, CRLF and CR each end a line, wherever the chunks are cut. What `lines` and event streams
// have in common.

import Foundation

/// Finds the lines of a stream of bytes in a buffer of its own.
struct LineScanner: Sendable {
    /// The bytes that are not taken yet, after some that are.
    private(set) var buffer: [UInt8] = []
    /// Where the next line begins.
    private(set) var start = 0
    private var lineFeed = ByteSearch(byte: UInt8(ascii: "\n"))
    private var carriageReturn = ByteSearch(byte: UInt8(ascii: "\r"))
    /// Whether the last line ended in a CR at the end of the buffer, so that a LF that comes next belongs to it.
    private var skipsLineFeed = false

    /// How many bytes are not taken yet.
    var count: Int { buffer.count - start }

    /// Adds bytes.
    mutating func append(_ data: Data) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            lineFeed.shift(by: start)
            carriageReturn.shift(by: start)
            start = 0
        }
        data.withUnsafeBytes { buffer.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
    }

    /// Where the line that begins at `start` ends, if its end is there.
    mutating func endOfLine() -> Int? {
        skipLineFeed()
        guard let feed = lineFeed.first(from: start, in: buffer) else {
            return carriageReturn.first(from: start, in: buffer)
        }
        guard let mark = carriageReturn.first(from: start, in: buffer) else { return feed }
        return min(feed, mark)
    }

    /// Takes the line that ends at `end`, and its end.
    mutating func take(upTo end: Int) -> Range<Int> {
        let line = start..<end
        start = end + 1
        if buffer[end] == UInt8(ascii: "\r") {
            skipsLineFeed = true
            skipLineFeed()
        }
        return line
    }

    /// Takes what is left, as the last line that nothing ends.
    mutating func takeRest() -> Range<Int> {
        let rest = start..<buffer.count
        start = buffer.count
        return rest
    }

    private mutating func skipLineFeed() {
        guard skipsLineFeed, start < buffer.count else { return }
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        skipsLineFeed = false
    }
}
