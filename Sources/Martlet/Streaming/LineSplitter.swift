// Bytes in, lines out: the pure part of `lines`. LF, CRLF and CR each end a line, the last line need not be ended, and a
// line is decoded as a whole, so that a chunk border inside a character does no harm. Default limit: 1 MiB a line.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Foundation

/// Splits a stream of bytes into lines of text.
///
/// Append a chunk, then take lines with `next()` until it gives nil; at the end of the stream take what is left with
/// `finish()` until it gives nil.
struct LineSplitter: Sendable {
    /// The most bytes that a line may have, its end not counted.
    let maximumLength: Int

    private var buffer: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    private var lineFeed = Search(byte: UInt8(ascii: "\n"))
    private var carriageReturn = Search(byte: UInt8(ascii: "\r"))
    /// Whether the last line ended in a CR at the end of the buffer, so that a LF that comes next belongs to it.
    private var skipsLineFeed = false
    private var isFirstLine = true

    /// Makes a splitter that throws on a line of more than `maximumLength` bytes.
    init(maximumLength: Int = 1_048_576) {
        self.maximumLength = maximumLength
    }

    /// Adds bytes.
    ///
    /// Throws `lineTooLong` when the line that comes next exceeds the limit, whether or not it has ended.
    mutating func append(_ data: Data) throws(MartletError) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            lineFeed.shift(by: start)
            carriageReturn.shift(by: start)
            start = 0
        }
        data.withUnsafeBytes { buffer.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
        try checkLength()
    }

    /// The next line without its end, or nil when more bytes are needed. A line that exceeds the limit is nil too, and
    /// thrown by the `append` or `finish` that follows.
    mutating func next() -> String? {
        guard let end = endOfLine(), end - start <= maximumLength else { return nil }
        let line = text(upTo: end)
        start = end + 1
        if buffer[end] == UInt8(ascii: "\r") {
            skipsLineFeed = true
            skipLineFeed()
        }
        return line
    }

    /// A line that is left, the last one unended; nil when there is none.
    ///
    /// Throws `lineTooLong` when it exceeds the limit.
    mutating func finish() throws(MartletError) -> String? {
        try checkLength()
        if let line = next() { return line }
        guard start < buffer.count else { return nil }
        let mayBeMark = isFirstLine
        let line = text(upTo: buffer.count)
        start = buffer.count
        return mayBeMark && line.isEmpty ? nil : line
    }

    private mutating func checkLength() throws(MartletError) {
        let end = endOfLine() ?? buffer.count
        guard end - start > maximumLength else { return }
        throw MartletError(
            .lineTooLong, "A line of the body has more than \(maximumLength) bytes; raise the limit or read its chunks."
        )
    }

    private mutating func skipLineFeed() {
        guard skipsLineFeed, start < buffer.count else { return }
        if buffer[start] == UInt8(ascii: "\n") { start += 1 }
        skipsLineFeed = false
    }

    /// Where the line that begins at `start` ends, if its end is there.
    private mutating func endOfLine() -> Int? {
        skipLineFeed()
        guard let feed = lineFeed.first(from: start, in: buffer) else {
            return carriageReturn.first(from: start, in: buffer)
        }
        guard let mark = carriageReturn.first(from: start, in: buffer) else { return feed }
        return min(feed, mark)
    }

    private mutating func text(upTo end: Int) -> String {
        var line = buffer[start..<end]
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// The next place of a byte, remembered with how far was searched, so that no byte is looked at twice.
    private struct Search: Sendable {
        let byte: UInt8
        /// Where the byte is, or up to where it is not.
        private var position = 0
        private var isFound = false

        init(byte: UInt8) { self.byte = byte }

        mutating func shift(by count: Int) {
            if position < count { isFound = false }
            position = max(0, position - count)
        }

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
}
