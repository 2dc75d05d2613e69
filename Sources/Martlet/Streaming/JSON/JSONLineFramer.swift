// Bytes in, JSON texts out: newline-delimited JSON, where each line is one, and JSON text sequences (RFC 7464), where a record
// separator begins each. Which of the two it is the first byte tells. Default limit: 1 MiB a record.

import Foundation

/// Splits a stream of JSON records.
struct JSONLineFramer: StreamFramer {
    /// The most bytes of one record.
    let maximumBytes: Int

    private enum Form: Sendable {
        case unknown, lines, sequence
    }

    private static let separator: UInt8 = 0x1E
    private var form = Form.unknown
    private var buffer: [UInt8] = []
    private var start = 0
    private var search = ByteSearch(byte: UInt8(ascii: "\n"))
    /// How far a record of a sequence has been looked at, from `start` on, and what was seen.
    private var scanned = 0
    private var boundary = JSONBoundary()

    init(maximumBytes: Int = 1 << 20) { self.maximumBytes = maximumBytes }

    mutating func append(_ data: Data) throws(MartletError) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            search.shift(by: start)
            start = 0
        }
        data.withUnsafeBytes { buffer.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
    }

    mutating func next() throws(MartletError) -> Data? {
        try recognise(atEnd: false)
        switch form {
        case .unknown: return nil
        case .lines: return try nextLine()
        case .sequence: return try nextRecord(atEnd: false)
        }
    }

    mutating func finish() throws(MartletError) -> Data? {
        try recognise(atEnd: true)
        switch form {
        case .unknown: return nil
        case .lines:
            if let line = try nextLine() { return line }
            return try record(start..<buffer.count, upTo: buffer.count)
        case .sequence: return try nextRecord(atEnd: true)
        }
    }

    private mutating func recognise(atEnd: Bool) throws(MartletError) {
        guard form == .unknown else { return }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let rest = buffer[start...]
        if !atEnd, rest.count < mark.count, mark.starts(with: rest) { return }
        if rest.starts(with: mark) { start += mark.count }
        guard let first = buffer[start...].firstIndex(where: { !JSONBoundary.isWhitespace($0) }) else { return }
        form = buffer[first] == Self.separator ? .sequence : .lines
    }

    // MARK: Lines

    private mutating func nextLine() throws(MartletError) -> Data? {
        while let end = search.first(from: start, in: buffer) {
            if let record = try record(start..<end, upTo: end + 1) { return record }
        }
        guard buffer.count - start <= maximumBytes else { throw tooLarge }
        return nil
    }

    /// The record in `range` without the whitespace around it; nil when there is nothing else. `end` is where the next
    /// begins.
    private mutating func record(_ range: Range<Int>, upTo end: Int) throws(MartletError) -> Data? {
        guard range.count <= maximumBytes else { throw tooLarge }
        start = end
        var range = range
        while let first = range.first, JSONBoundary.isWhitespace(buffer[first]) { range.removeFirst() }
        while let last = range.last, JSONBoundary.isWhitespace(buffer[last]) { range.removeLast() }
        return range.isEmpty ? nil : Data(buffer[range])
    }

    // MARK: Sequences

    private mutating func nextRecord(atEnd: Bool) throws(MartletError) -> Data? {
        while start + scanned < buffer.count {
            let place = start + scanned
            let byte = buffer[place]
            if !boundary.isInside {
                // Separators and whitespace between records; several separators enclose empty records, which are none.
                if byte == Self.separator || JSONBoundary.isWhitespace(byte) {
                    start = place + 1
                    scanned = 0
                    continue
                }
                start = place
                scanned = 0
            } else if byte == Self.separator {
                throw cut
            }
            scanned += 1
            guard scanned <= maximumBytes else { throw tooLarge }
            switch boundary.step(byte) {
            case .before, .inside: continue
            case .last:
                scanned = 0
                return try record(start..<(place + 1), upTo: place + 1)
            case .after:
                scanned = 0
                return try record(start..<place, upTo: place)
            }
        }
        if atEnd, boundary.isInside { throw cut }
        return nil
    }

    private var tooLarge: MartletError {
        MartletError(
            .frameTooLarge, "A JSON record has more than \(maximumBytes) bytes; raise the limit or read the chunks.")
    }

    // A number that nothing follows may have lost its last digits (RFC 7464, section 2.4), so that it counts as cut too.
    private var cut: MartletError {
        MartletError(.decodingFailed, "A record of the JSON text sequence is cut short.")
    }
}
