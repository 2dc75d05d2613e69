// The ways in which a stream may hold JSON texts, behind one type: what iterates need not be generic over them.

import Foundation

/// Splits a stream into JSON texts, in one of three ways.
///
/// One of the three is there. They are no cases of an enum, because a payload is copied by each change.
struct JSONFramer: StreamFramer {
    private var lines: JSONLineFramer?
    private var array: JSONArrayFramer?
    private var events: EventStreamParser?
    /// The data of an event that ends the stream.
    private var last: String?
    private(set) var isFinished = false

    /// JSON lines, or a JSON text sequence.
    static func lines(maximumBytes: Int = 1 << 20) -> JSONFramer {
        var framer = JSONFramer()
        framer.lines = JSONLineFramer(maximumBytes: maximumBytes)
        return framer
    }

    /// The elements of an array.
    static func array(maximumBytes: Int = 1 << 20) -> JSONFramer {
        var framer = JSONFramer()
        framer.array = JSONArrayFramer(maximumBytes: maximumBytes)
        return framer
    }

    /// The data of events, up to one whose data is `last`. Events without data are passed over.
    static func events(until last: String?, maximumBytes: Int = 1 << 20) -> JSONFramer {
        var framer = JSONFramer()
        framer.events = EventStreamParser(maximumBytes: maximumBytes)
        framer.last = last
        return framer
    }

    mutating func append(_ data: Data) throws(MartletError) {
        try lines?.append(data)
        try array?.append(data)
        try events?.append(data)
    }

    mutating func next() throws(MartletError) -> Data? {
        if let text = try lines?.next() { return text }
        if let text = try array?.next() { return text }
        while !isFinished, let event = try events?.next() {
            if event.data == last {
                isFinished = true
            } else if !event.data.isEmpty {
                return Data(event.data.utf8)
            }
        }
        return nil
    }

    mutating func finish() throws(MartletError) -> Data? {
        if let text = try lines?.finish() { return text }
        if let text = try array?.finish() { return text }
        return try next()
    }
}
