// Bytes in, lines out: the pure part of `lines`. LF, CRLF and CR each end a line, the last line need not be ended, and a
// line is decoded as a whole, so that a chunk border inside a character does no harm. Default limit: 1 MiB a line.

import Foundation

/// Splits a stream of bytes into lines of text.
///
/// Append a chunk, then take lines with `next()` until it gives nil; at the end of the stream take what is left with
/// `finish()` until it gives nil.
struct LineSplitter: Sendable {
    /// The most bytes that a line may have, its end not counted.
    let maximumLength: Int

    private var scanner = LineScanner()
    private var isFirstLine = true

    /// Makes a splitter that throws on a line of more than `maximumLength` bytes.
    init(maximumLength: Int = 1_048_576) {
        self.maximumLength = maximumLength
    }

    /// Adds bytes.
    ///
    /// Throws `lineTooLong` when the line that comes next exceeds the limit, whether or not it has ended.
    mutating func append(_ data: Data) throws(MartletError) {
        scanner.append(data)
        try checkLength()
    }

    /// The next line without its end, or nil when more bytes are needed. A line that exceeds the limit is nil too, and
    /// thrown by the `append` or `finish` that follows.
    mutating func next() -> String? {
        guard let end = scanner.endOfLine(), end - scanner.start <= maximumLength else { return nil }
        return text(scanner.take(upTo: end))
    }

    /// A line that is left, the last one unended; nil when there is none.
    ///
    /// Throws `lineTooLong` when it exceeds the limit.
    mutating func finish() throws(MartletError) -> String? {
        try checkLength()
        if let line = next() { return line }
        guard scanner.count > 0 else { return nil }
        let mayBeMark = isFirstLine
        let line = text(scanner.takeRest())
        return mayBeMark && line.isEmpty ? nil : line
    }

    private mutating func checkLength() throws(MartletError) {
        let end = scanner.endOfLine() ?? scanner.buffer.count
        guard end - scanner.start > maximumLength else { return }
        throw MartletError(
            .lineTooLong, "A line of the body has more than \(maximumLength) bytes; raise the limit or read its chunks."
        )
    }

    private mutating func text(_ range: Range<Int>) -> String {
        var line = scanner.buffer[range]
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        return String(decoding: line, as: UTF8.self)
    }
}
