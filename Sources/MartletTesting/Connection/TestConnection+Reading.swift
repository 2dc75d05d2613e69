// What a test server can read: bytes, request heads, bodies. Reading is lenient, bounded where a client could run
// away, and keeps the bytes as they came.

public import Foundation

extension TestConnection {
    /// A head that does not end within this many bytes is refused, so that a runaway client cannot fill the memory.
    private static let headLimit = 16 * 1024 * 1024

    /// Waits for bytes and returns them, at most `limit` (65,536 by default). Returns nil when the peer has finished
    /// (FIN, or close_notify).
    public func read(upTo limit: Int = 65_536) throws(TestServerError) -> Data? {
        guard limit > 0 else { return Data() }
        if unread.isEmpty, try fill(limit) == 0 { return nil }
        return unread.take(limit)
    }

    /// Waits for exactly `count` bytes.
    ///
    /// Throws `TestServerError.peerClosed` when the peer finishes before.
    public func readExactly(_ count: Int) throws(TestServerError) -> Data {
        var data = Data()
        while data.count < count {
            guard let more = try read(upTo: count - data.count) else { throw .peerClosed }
            data.append(more)
        }
        return data
    }

    /// Reads until the peer finishes (FIN, or close_notify), and returns it all.
    public func readToEnd() throws(TestServerError) -> Data {
        var data = Data()
        while let more = try read() { data.append(more) }
        return data
    }

    /// Reads and throws away bytes, `bytesPerSecond` of them, as a receiver does that cannot keep up: `count` bytes,
    /// or until the peer finishes when `count` is nil. Returns how many were read.
    @discardableResult
    public func readPaced(bytesPerSecond: Int, count: Int? = nil) throws(TestServerError) -> Int {
        let ticksPerSecond = min(max(bytesPerSecond, 1), 20)
        let portion = max(bytesPerSecond / ticksPerSecond, 1)
        var total = 0
        while total < count ?? .max {
            guard let data = try read(upTo: min(portion, (count ?? .max) - total)) else { break }
            total += data.count
            try socket.pause(.seconds(1) * Double(data.count) / Double(max(bytesPerSecond, 1)))
        }
        return total
    }

    /// Waits for a request head and records it; its body stays unread.
    ///
    /// Empty lines before it are skipped. Throws `TestServerError.peerClosed` when the peer finishes before the
    /// head's end.
    public func readHead() throws(TestServerError) -> RecordedRequest {
        guard let request = try readHeadOrEnd() else { throw .peerClosed }
        return request
    }

    /// Waits for a request head as `readHead()` does, but returns nil when the peer finishes before the first byte of
    /// one.
    func readHeadOrEnd() throws(TestServerError) -> RecordedRequest? {
        guard let head = try readLines(stopAtEnd: true) else { return nil }
        var request = try RecordedRequest(head: head)
        request.connectionNumber = number
        request.indexOnConnection = requestCount
        request.serverName = serverName
        requestCount += 1
        lastMethod = request.method
        return core.record(request)
    }

    /// Waits for the rest of a request whose head was read: returns it with its body, raw and decoded, and its
    /// trailers.
    ///
    /// Throws `TestServerError.peerClosed` when the peer finishes before; what came until then is in the server's
    /// record.
    public func readBody(of request: RecordedRequest) throws(TestServerError) -> RecordedRequest {
        var request = request
        let limit = core.options.recordedBodyLimit
        do throws(TestServerError) {
            if request.values(for: "Transfer-Encoding").contains(where: { $0.lowercased().contains("chunked") }) {
                try readChunks(&request, limit: limit)
            } else if let length = request["Content-Length"] {
                guard let count = Int(length), count >= 0 else {
                    throw .malformedRequest("its Content-Length is \"\(length)\"")
                }
                try readCounted(count, limit: limit) {
                    request.body.append($0)
                    request.rawBody.append($0)
                }
            }
        } catch {
            core.replace(request)
            throw error
        }
        request.isComplete = true
        core.replace(request)
        return request
    }

    /// Waits for a whole request, head and body.
    public func readRequest() throws(TestServerError) -> RecordedRequest {
        try readBody(of: readHead())
    }

    /// Reads `count` bytes and passes on those within the limit that holds for what a record keeps.
    private func readCounted(_ count: Int, limit: Int, _ keep: (Data) -> Void) throws(TestServerError) {
        var left = count
        var room = limit
        while left > 0 {
            guard let data = try read(upTo: min(left, 262_144)) else { throw .peerClosed }
            left -= data.count
            if room > 0 { keep(data.prefix(room)) }
            room -= data.count
        }
    }

    private func readChunks(_ request: inout RecordedRequest, limit: Int) throws(TestServerError) {
        while true {
            let line = try readLine()
            request.rawBody.append(line)
            let digits = text(line).prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16) else {
                throw .malformedRequest("a chunk begins with \"\(text(line.prefix(40)))\"")
            }
            if size == 0 { break }
            request.chunkLengths.append(size)
            try readCounted(size, limit: max(limit - request.body.count, 0)) {
                request.body.append($0)
                request.rawBody.append($0)
            }
            request.rawBody.append(try readLine())
        }
        guard let trailers = try readLines(stopAtEnd: false) else { throw .peerClosed }
        request.rawBody.append(trailers)
        request.trailers = parseFields(splitLines(trailers))
    }

    private func readLine() throws(TestServerError) -> Data {
        var searched = 0
        while true {
            if let end = unread.endOfLine(from: searched) { return unread.take(end) }
            searched = unread.count
            guard searched < Self.headLimit else { throw .malformedRequest("a line does not end") }
            if try fill(65_536) == 0 { throw .peerClosed }
        }
    }

    /// Reads lines up to the first empty one. With `stopAtEnd` empty lines in front are skipped, and the peer may have
    /// finished before the first byte, which gives nil.
    private func readLines(stopAtEnd: Bool) throws(TestServerError) -> Data? {
        var lines = Data()
        while true {
            if stopAtEnd, lines.isEmpty, unread.isEmpty, try fill(65_536) == 0 { return nil }
            let line = try readLine()
            let isEmpty = line.allSatisfy { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
            if isEmpty, stopAtEnd, lines.isEmpty { continue }
            lines.append(line)
            if isEmpty { return lines }
            guard lines.count < Self.headLimit else { throw .malformedRequest("the head does not end") }
        }
    }

    /// Blocks for at least one more byte; 0 when the peer has finished.
    func fill(_ limit: Int) throws(TestServerError) -> Int {
        try socket.using(.reading) { () throws(TestServerError) in
            // A copy-out through the stack: the queue must not be under mutation while the thread sleeps.
            var outcome: Result<Int, TestServerError> = .success(0)
            withUnsafeTemporaryAllocation(byteCount: min(max(limit, 1), 65_536), alignment: 1) { buffer in
                do throws(TestServerError) {
                    let count = try receive(into: buffer)
                    unread.append(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
                    outcome = .success(count)
                } catch {
                    outcome = .failure(error)
                }
            }
            return try outcome.get()
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TestServerError) -> Int {
        #if SocketTransport && os(Linux)
        if let tls = socket.tls { return try tls.read(into: buffer, from: socket) }
        #endif
        return try socket.receive(into: buffer)
    }
}
