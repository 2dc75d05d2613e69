// Responses of HTTP/1.1 and 1.0 as a client reads them (RFC 9112): bytes in, events out, no copy of the body. Strict throughout:
// what could be framed in two ways is refused. Default limits: 64 KiB and 256 fields for a head, 20 informational heads.
//
// Lines are parsed where they lie; only a line that is cut off by the end of the buffer is kept, so that bytes may arrive in
// whatever portions, the outcome is the same, and the work stays linear. Chunk framing is read a byte at a time for that reason.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Turns the bytes of one connection into the events of one response at a time.
///
/// Call `start`, then `next` until it gives `.end`; call it no more until the next `start`. What then lies behind the offset
/// belongs to no response. After an error every call throws that error again: the connection is of no further use.
struct HTTP1Parser: Sendable {
    /// What a peer may make us hold. All sizes are in bytes.
    struct Limits: Sendable {
        /// All heads of one response together; the chunk extensions and trailers of its body once more.
        var headBytes = 65_536
        /// The fields of one head, and of the trailers.
        var fields = 256
        /// Informational heads before the final one.
        var informationalHeads = 20
        /// The extensions of a single chunk.
        var chunkExtensionBytes = 16_384
        /// Whether a bare LF ends a line of a head, as RFC 9112 section 2.2 lets a recipient do. Never in chunks and trailers.
        var acceptsBareLineFeed = false
    }

    /// A step of a response.
    enum Event: Sendable {
        /// A 1xx head; the final head is still to come.
        case informational(ResponseHead)
        /// The final head.
        case head(ResponseHead)
        /// Body bytes: offsets into the buffer given to this call.
        case body(Range<Int>)
        /// The response is complete; the trailers when there were any.
        case end(trailers: HTTPHeaders?)
    }

    /// What is read next.
    enum State: Sendable {
        case idle
        case statusLine, fields
        case bodyless
        case fixedBody, bodyUntilClose
        case chunkSize, chunkPadding, chunkExtension, chunkSizeLineFeed
        case chunkData, chunkDataReturn, chunkDataLineFeed
        case trailers
    }

    let limits: Limits
    var state = State.idle
    private var failure: MartletError?

    // What was asked, for it decides whether there is a body.
    var isHead = false
    var isConnect = false

    // The head, or the trailers, being read.
    var status: HTTPStatus = 0
    var reason = ""
    var version = HTTPVersion.http1_1
    var headers = HTTPHeaders()
    var framing = Framing()
    var informationalHeads = 0
    /// The beginning of a line whose end has not arrived.
    var partial: [UInt8] = []
    /// Bytes counted against `Limits.headBytes` so far.
    var used = 0

    // The body being read.
    var remaining = 0
    var received = 0
    var chunkDigits = 0
    var chunkExtensionBytes = 0

    /// Whether any byte of the current response has arrived, informational heads included.
    private(set) var receivedAnyByte = false
    private var persists = false

    init(limits: Limits = .init()) { self.limits = limits }

    /// Whether no response is being read.
    var isIdle: Bool { state == .idle }

    /// Whether the body lasts until the peer closes the connection.
    var bodyEndsWithClose: Bool { state == .bodyUntilClose }

    /// Whether the connection may carry another response (RFC 9112, section 9.3); false until the response has ended.
    var keepsConnection: Bool { state == .idle && persists && failure == nil }

    /// How many bytes of the body are still to come, when that is known.
    var bodyRemaining: Int? {
        switch state {
        case .fixedBody: remaining
        case .bodyless: 0
        default: nil
        }
    }

    /// Prepares for the response to a request with `method`.
    mutating func start(method: HTTPMethod) {
        guard failure == nil else { return }
        guard state == .idle else {
            failure = Self.invalid("A response was awaited before the one in front of it had ended.")
            return
        }
        state = .statusLine
        isHead = method == .head
        isConnect = method == .connect
        informationalHeads = 0
        used = 0
        received = 0
        receivedAnyByte = false
        persists = false
    }

    /// Reads `bytes` from `offset` on and moves the offset; gives the next event, or nil when all was read and more is needed.
    mutating func next(
        _ bytes: UnsafeRawBufferPointer, from offset: inout Int
    ) throws(MartletError) -> Event? {
        if let failure { throw failure }
        let buffer = bytes.assumingMemoryBound(to: UInt8.self)
        offset = min(max(offset, 0), buffer.count)
        if offset < buffer.count { receivedAnyByte = true }
        do throws(MartletError) {
            return try step(buffer.span, &offset)
        } catch {
            failure = error
            throw error
        }
    }

    /// Tells that the peer has closed the connection: ends a body that lasts until then, and throws when something is missing.
    mutating func finish() throws(MartletError) -> Event? {
        if let failure { throw failure }
        let error: MartletError
        switch state {
        case .idle: return nil
        case .bodyless, .bodyUntilClose: return end(trailers: nil, persists: false)
        case .fixedBody where remaining == 0: return end(trailers: nil, persists: false)
        case .statusLine, .fields:
            error = MartletError(
                .connectionClosed,
                receivedAnyByte
                    ? "The server closed the connection in the middle of the response head."
                    : "The server closed the connection before it sent a response.")
        case .fixedBody:
            error = MartletError(
                .bodyTruncated,
                "The server closed the connection after \(received) of \(received + remaining) bytes of the body.")
        default:
            error = MartletError(
                .bodyTruncated,
                "The server closed the connection after \(received) bytes of a chunked body, before its end.")
        }
        failure = error
        throw error
    }

    private mutating func step(_ input: Span<UInt8>, _ offset: inout Int) throws(MartletError) -> Event? {
        while true {
            switch state {
            case .idle:
                guard offset < input.count else { return nil }
                throw Self.invalid("The server sent bytes that belong to no response.")
            case .statusLine, .fields, .trailers:
                if state == .statusLine, let event = try takeWholeHead(input, &offset) { return event }
                guard let end = Self.lineEnd(input, offset) else {
                    try keep(input, &offset)
                    return nil
                }
                if let event = try takeLine(input, &offset, end) { return event }
            case .bodyless:
                return end(trailers: nil, persists: framing.persists(version))
            case .fixedBody:
                if remaining == 0 { return end(trailers: nil, persists: framing.persists(version)) }
                return takeBody(input, &offset, upTo: remaining)
            case .bodyUntilClose:
                return takeBody(input, &offset, upTo: .max)
            case .chunkData:
                if remaining > 0 { return takeBody(input, &offset, upTo: remaining) }
                state = .chunkDataReturn
            default:
                guard offset < input.count else { return nil }
                try readChunkFraming(input[offset])
                offset += 1
            }
        }
    }

    private mutating func takeBody(_ input: Span<UInt8>, _ offset: inout Int, upTo limit: Int) -> Event? {
        let count = min(limit, input.count - offset)
        guard count > 0 else { return nil }
        let range = offset..<(offset + count)
        offset += count
        received &+= count
        if state != .bodyUntilClose { remaining -= count }
        return .body(range)
    }

    mutating func end(trailers: HTTPHeaders?, persists: Bool) -> Event {
        state = .idle
        self.persists = persists
        return .end(trailers: trailers)
    }
}

extension HTTP1Parser {
    /// The offset behind the line feed that ends the line at `offset`.
    @inline(__always)
    private static func lineEnd(_ input: Span<UInt8>, _ offset: Int) -> Int? {
        input.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, offset < buffer.count,
                let found = memchr(base + offset, 0x0A, buffer.count - offset)
            else { return nil }
            return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found)) + 1
        }
    }

    /// Parses the line that ends before `end`, together with what was kept of it.
    private mutating func takeLine(
        _ input: Span<UInt8>, _ offset: inout Int, _ end: Int
    ) throws(MartletError) -> Event? {
        let rest = input.extracting(offset..<end)
        try check(rest)
        used += partial.count + rest.count
        offset = end
        if partial.isEmpty { return try readLine(rest, following: input.count - end) }
        Self.append(rest, to: &partial)
        var line: [UInt8] = []
        swap(&line, &partial)
        let event = try readLine(line.span, following: input.count - end)
        if line.capacity <= 4096 {
            line.removeAll(keepingCapacity: true)
            partial = line
        }
        return event
    }

    /// Keeps the beginning of a line until the rest of it arrives.
    private mutating func keep(_ input: Span<UInt8>, _ offset: inout Int) throws(MartletError) {
        let rest = input.extracting(offset..<input.count)
        try check(rest)
        Self.append(rest, to: &partial)
        offset = input.count
    }

    /// Refuses what need not be waited for: a peer that does not speak HTTP/1, and a head that is too large.
    private func check(_ rest: Span<UInt8>) throws(MartletError) {
        if state == .statusLine, !(partial.isEmpty && Self.beginsUsually(rest)) { try checkBeginning(rest) }
        guard used + partial.count + rest.count <= limits.headBytes else { throw tooLarge }
    }

    private func checkBeginning(_ rest: Span<UInt8>) throws(MartletError) {
        let open = max(0, Self.lastFixedByte + 1 - partial.count)
        for index in 0..<min(rest.count, open) { try Self.checkStatusLine(rest[index], at: partial.count + index) }
    }

    private var tooLarge: MartletError {
        MartletError(
            .headTooLarge,
            state == .trailers
                ? "The response's chunk extensions and trailers exceed \(limits.headBytes) bytes."
                : "The response head exceeds \(limits.headBytes) bytes.")
    }

    private static func append(_ bytes: Span<UInt8>, to array: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { array.append(contentsOf: $0) }
    }

    static func invalid(_ message: String) -> MartletError { MartletError(.invalidResponse, message) }
}
