// Bytes in, server-sent events out (WHATWG HTML, section 9.2, "Server-sent events"): one pass over the lines, text made of a
// value only once its event is whole. Default limit: 1 MiB an event, its comments and field names not counted.

import Foundation

/// Reads an event stream.
struct EventStreamParser: StreamFramer {
    /// The most bytes of one event's data, and of one line.
    let maximumBytes: Int
    /// The id that a client names when it connects again.
    private(set) var lastEventID: String
    /// The wait before connecting again that the server asked for last.
    var retry: Duration?

    private var scanner = LineScanner()
    private var isAtBeginning = true
    /// The data lines so far, each with the LF after it.
    private var data: [UInt8] = []
    private var type = ""
    /// The id that counts once the event is whole.
    private var pendingID: String

    init(maximumBytes: Int = 1 << 20, lastEventID: String = "") {
        self.maximumBytes = maximumBytes
        self.lastEventID = lastEventID
        pendingID = lastEventID
    }

    mutating func append(_ data: Data) throws(MartletError) { scanner.append(data) }

    mutating func next() throws(MartletError) -> ServerSentEvent? {
        while let end = scanner.endOfLine() {
            guard end - scanner.start <= maximumBytes else { throw tooLarge }
            if let event = try takeLine(upTo: end) { return event }
        }
        guard scanner.count <= maximumBytes else { throw tooLarge }
        return nil
    }

    /// What the stream's end leaves unfinished is no event.
    mutating func finish() throws(MartletError) -> ServerSentEvent? { try next() }

    private mutating func takeLine(upTo end: Int) throws(MartletError) -> ServerSentEvent? {
        var line = scanner.take(upTo: end)
        if isAtBeginning {
            isAtBeginning = false
            if scanner.buffer[line].starts(with: [0xEF, 0xBB, 0xBF]) { line = (line.lowerBound + 3)..<line.upperBound }
        }
        if line.isEmpty { return dispatch() }
        let field = scanner.buffer.withUnsafeBufferPointer { Field($0, line) }
        switch field.name {
        case .data:
            // A value is as long as its line at most.
            guard data.count + field.value.count <= maximumBytes else { throw tooLarge }
            data.append(contentsOf: scanner.buffer[field.value])
            data.append(UInt8(ascii: "\n"))
        case .event: type = text(field.value)
        case .id: if !scanner.buffer[field.value].contains(0) { pendingID = text(field.value) }
        case .retry: retry = Self.milliseconds(scanner.buffer[field.value]) ?? retry
        case .other: break
        }
        return nil
    }

    private mutating func dispatch() -> ServerSentEvent? {
        lastEventID = pendingID
        defer {
            data.removeAll(keepingCapacity: data.capacity <= 64 << 10)
            type = ""
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
            id: lastEventID, retry: retry)
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: scanner.buffer[range], as: UTF8.self) }

    /// A number of milliseconds in digits alone; nil for anything else, and for more than can be waited.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self)).map { .milliseconds($0) }
    }

    private var tooLarge: MartletError {
        MartletError(
            .frameTooLarge, "An event has more than \(maximumBytes) bytes; raise the limit or read the chunks.")
    }

    /// A line taken apart: the field's name, and where its value is.
    private struct Field {
        enum Name { case data, event, id, retry, other }

        let name: Name
        let value: Range<Int>

        init(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) {
            let colon = bytes[line].firstIndex(of: UInt8(ascii: ":"))
            let nameEnd = colon ?? line.upperBound
            var from = colon.map { $0 + 1 } ?? line.upperBound
            if from < line.upperBound, bytes[from] == UInt8(ascii: " ") { from += 1 }
            value = from..<line.upperBound
            let name = bytes[line.lowerBound..<nameEnd]
            self.name =
                if name.elementsEqual("data".utf8) {
                    .data
                } else if name.elementsEqual("event".utf8) {
                    .event
                } else if name.elementsEqual("id".utf8) {
                    .id
                } else if name.elementsEqual("retry".utf8) {
                    .retry
                } else {
                    .other
                }
        }
    }
}
