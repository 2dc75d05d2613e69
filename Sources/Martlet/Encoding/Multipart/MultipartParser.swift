// Multipart bodies apart (RFC 2046, section 5.1.1): bytes in, events out, bounded. A line that only begins with the delimiter is
// content, as is every line end that is not CRLF; a body that ends before its last delimiter is an error, never a short part.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a multipart body that comes in pieces.
struct MultipartParser: Sendable {
    enum Event: Sendable {
        /// A part begins.
        case head(HTTPHeaders)
        /// Bytes of the part that began last.
        case content(Data)
        /// The last part has ended.
        case end
    }

    private enum State: Sendable { case preamble, delimiter, head, blank, content, done }

    /// Blanks behind a delimiter, which only have to be held until the line ends.
    private static let paddingLimit = 256

    private let delimiter: [UInt8]
    private let limits: MultipartLimits
    private var state = State.preamble
    /// What has come and is not decided yet.
    private var bytes: [UInt8]
    private var start = 0
    private var skipped = 0
    private var count = 0

    init(boundary: String, limits: MultipartLimits = MultipartLimits()) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.limits = limits
        // As if a line had ended before the first byte: the first delimiter may be the first of all.
        bytes = [0x0D, 0x0A]
    }

    /// Takes in bytes.
    mutating func append(_ data: Data) {
        if state == .done { return }
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: data)
    }

    /// Whether the last delimiter has come.
    var isDone: Bool { state == .done }

    /// The next event that the bytes give; nil when more are needed.
    ///
    /// - Throws: `invalidResponse` for what is no multipart body, `headTooLarge` above the limits.
    mutating func next() throws(MartletError) -> Event? {
        while true {
            switch state {
            case .preamble:
                let found = find()
                skipped += found.place - start
                start = found.place
                // The two bytes that were put in front do not count.
                guard skipped <= limits.preambleBytes + 2 else {
                    throw MartletError(
                        .headTooLarge,
                        "More than \(limits.preambleBytes) bytes come before the first part of the multipart body.")
                }
                guard found.isWhole else { return nil }
                state = .delimiter
            case .delimiter:
                switch afterDelimiter() {
                case .incomplete:
                    return nil
                case .content:
                    state = count == 0 ? .preamble : .content
                case .next(let place):
                    start = place
                    count += 1
                    guard count <= limits.parts else {
                        throw MartletError(.headTooLarge, "The multipart body has more than \(limits.parts) parts.")
                    }
                    state = .head
                case .last:
                    finish()
                    return .end
                }
            case .head:
                guard let headers = try readHead() else { return nil }
                state = .blank
                return .head(headers)
            case .blank:
                // A part without content may end with the line end of its head.
                let found = find()
                if found.place == start {
                    guard found.isWhole else { return nil }
                    switch afterDelimiter() {
                    case .incomplete: return nil
                    case .next, .last: state = .delimiter
                    case .content: break
                    }
                }
                if state == .blank {
                    start += 2
                    state = .content
                }
            case .content:
                let found = find()
                if found.isWhole { state = .delimiter }
                if found.place > start {
                    let content = Data(bytes[start..<found.place])
                    start = found.place
                    return .content(content)
                }
                if !found.isWhole { return nil }
            case .done:
                return nil
            }
        }
    }

    /// Says that no more bytes come; throws `bodyTruncated` when the last delimiter has not.
    func end() throws(MartletError) {
        if isDone { return }
        throw MartletError(.bodyTruncated, "The multipart body ended before its last delimiter.")
    }

    private mutating func finish() {
        state = .done
        bytes = []
        start = 0
    }

    // MARK: Delimiters

    /// Where the next delimiter is, or where one may begin whose rest has not come.
    private func find() -> (place: Int, isWhole: Bool) {
        var place = start
        while let candidate = nextReturn(from: place) {
            let available = bytes.count - candidate
            let isMatch = bytes[candidate...].prefix(delimiter.count).elementsEqual(delimiter.prefix(available))
            if isMatch {
                if available < delimiter.count { return (candidate, false) }
                if isDelimiter(at: candidate) { return (candidate, true) }
            }
            place = candidate + 1
        }
        return (bytes.count, false)
    }

    private func nextReturn(from place: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            guard place < all.count, let base = all.baseAddress,
                let found = memchr(base + place, 0x0D, all.count - place)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Whether the delimiter at a place is not the beginning of other text. What has not come yet counts as if it fitted: that is
    /// decided in `afterDelimiter`, which waits.
    private func isDelimiter(at place: Int) -> Bool {
        var rest = bytes[(place + delimiter.count)...]
        if rest.first == UInt8(ascii: "-") { return rest.count < 2 || rest[rest.startIndex + 1] == UInt8(ascii: "-") }
        let padded = rest.count
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
        guard padded - rest.count <= Self.paddingLimit else { return false }
        guard let first = rest.first else { return true }
        return first == 0x0D && (rest.count < 2 || rest[rest.startIndex + 1] == 0x0A)
    }

    private enum After { case incomplete, content, next(Int), last }

    private func afterDelimiter() -> After {
        let tail = start + delimiter.count
        // What looked like a delimiter may have turned out to be content.
        guard isDelimiter(at: start) else { return .content }
        if bytes[tail...].starts(with: "--".utf8) { return .last }
        let rest = bytes[tail...].drop { $0 == 0x20 || $0 == 0x09 }
        return rest.count >= 2 ? .next(rest.startIndex + 2) : .incomplete
    }

    // MARK: Heads

    private mutating func readHead() throws(MartletError) -> HTTPHeaders? {
        var headers = HTTPHeaders()
        var line = start
        var fields: [ArraySlice<UInt8>] = []
        while true {
            guard let end = endOfLine(from: line) else {
                guard bytes.count - start <= limits.headBytes else { throw tooLarge }
                return nil
            }
            guard end + 2 - start <= limits.headBytes else { throw tooLarge }
            if end == line { break }
            if bytes[line] == 0x20 || bytes[line] == 0x09, let last = fields.popLast() {
                // A field that goes on in the next line (RFC 5322, section 2.2.3).
                fields.append(ArraySlice(last + [0x20] + bytes[line..<end].drop { $0 == 0x20 || $0 == 0x09 }))
            } else {
                fields.append(bytes[line..<end])
            }
            line = end + 2
        }
        // The empty line stays: a delimiter may use its end.
        start = line
        for field in fields {
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else {
                throw MartletError(.invalidResponse, "A part of the multipart body has a header line without a colon.")
            }
            var value = field[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            Array(field[..<colon]).withUnsafeBytes { name in
                Array(value).withUnsafeBytes { headers.append(nameBytes: name, valueBytes: $0) }
            }
        }
        do throws(MartletError) {
            try headers.validate()
        } catch {
            throw MartletError(
                .invalidResponse, "A part of the multipart body has an illegal header field.", underlying: error)
        }
        return headers
    }

    private func endOfLine(from place: Int) -> Int? {
        var place = place
        while let found = nextReturn(from: place) {
            guard found + 1 < bytes.count else { return nil }
            if bytes[found + 1] == 0x0A { return found }
            place = found + 1
        }
        return nil
    }

    private var tooLarge: MartletError {
        MartletError(
            .headTooLarge, "The header fields of a part of the multipart body exceed \(limits.headBytes) bytes.")
    }
}
