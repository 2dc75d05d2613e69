// Bytes in, elements of one top-level JSON array out, each as soon as it is whole (RFC 8259, section 5). What stands between
// elements is checked here, what stands in them by the decoder. Default limit: 1 MiB an element.

import Foundation

/// Splits a top-level JSON array into its elements.
struct JSONArrayFramer: StreamFramer {
    /// The most bytes of one element.
    let maximumBytes: Int

    private enum Place: Sendable {
        case beforeArray
        case beforeFirst
        case beforeElement
        case inElement
        case afterElement
        case afterArray
    }

    private var place = Place.beforeArray
    private var buffer: [UInt8] = []
    /// Up to where the buffer was looked at.
    private var position = 0
    /// Where the element began that is looked at.
    private var start = 0
    /// Where the buffer begins in the document.
    private var offset = 0
    private var boundary = JSONBoundary()

    init(maximumBytes: Int = 1 << 20) { self.maximumBytes = maximumBytes }

    mutating func append(_ data: Data) throws(MartletError) {
        let used = place == .inElement ? start : position
        if used > 0 {
            buffer.removeSubrange(..<used)
            position -= used
            start = 0
            offset += used
        }
        data.withUnsafeBytes { buffer.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
    }

    mutating func next() throws(MartletError) -> Data? {
        while position < buffer.count {
            let byte = buffer[position]
            if place == .inElement {
                switch boundary.step(byte) {
                case .before, .inside: position += 1
                case .last:
                    position += 1
                    return try element()
                case .after: return try element()
                }
                guard position - start <= maximumBytes else { throw tooLarge }
            } else {
                try between(byte)
            }
        }
        return nil
    }

    mutating func finish() throws(MartletError) -> Data? {
        if let element = try next() { return element }
        guard place == .afterArray else {
            throw MartletError(
                .decodingFailed,
                place == .beforeArray
                    ? "The body holds no JSON array." : "The JSON array ends before its closing bracket.")
        }
        return nil
    }

    private mutating func element() throws(MartletError) -> Data {
        guard position - start <= maximumBytes else { throw tooLarge }
        place = .afterElement
        return Data(buffer[start..<position])
    }

    /// Takes a byte that is in no element, or the first of one.
    private mutating func between(_ byte: UInt8) throws(MartletError) {
        if JSONBoundary.isWhitespace(byte) {
            position += 1
            return
        }
        switch (place, byte) {
        case (.beforeArray, 0xEF), (.beforeArray, 0xBB), (.beforeArray, 0xBF):
            // A byte-order mark, at the beginning only.
            guard offset + position < 3 else { throw misplaced }
            position += 1
        case (.beforeArray, UInt8(ascii: "[")):
            position += 1
            place = .beforeFirst
        case (.beforeFirst, UInt8(ascii: "]")), (.afterElement, UInt8(ascii: "]")):
            position += 1
            place = .afterArray
        case (.afterElement, UInt8(ascii: ",")):
            position += 1
            place = .beforeElement
        case (.beforeFirst, UInt8(ascii: ",")), (.beforeElement, UInt8(ascii: ",")),
            (.beforeElement, UInt8(ascii: "]")), (.beforeFirst, UInt8(ascii: "}")),
            (.beforeElement, UInt8(ascii: "}")), (.beforeArray, _), (.afterElement, _), (.afterArray, _):
            throw misplaced
        case (.beforeFirst, _), (.beforeElement, _), (.inElement, _):
            place = .inElement
            start = position
        }
    }

    private var misplaced: MartletError {
        MartletError(
            .decodingFailed,
            place == .beforeArray
                ? "The body holds no JSON array: it does not begin with a bracket."
                : "Byte \(offset + position) of the JSON array is neither an element nor what may stand between two.")
    }

    private var tooLarge: MartletError {
        MartletError(
            .frameTooLarge,
            "An element of the JSON array has more than \(maximumBytes) bytes; raise the limit or read the chunks.")
    }
}
