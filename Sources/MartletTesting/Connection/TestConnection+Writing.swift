// What a test server can write: raw bytes at any pace, chunks, whole responses. Every method returns once the kernel
// has taken the bytes, so a peer that does not read holds the script up, as it holds up a real server.

public import Foundation

extension TestConnection {
    /// Sends text as UTF-8. Nothing is added: line ends are written `\r\n`.
    public func send(_ text: String) throws(TestServerError) {
        try send(Array(text.utf8))
    }

    /// Sends bytes.
    public func send(_ bytes: [UInt8]) throws(TestServerError) {
        try withoutCopy(bytes)
    }

    /// Sends bytes.
    public func send(_ data: Data) throws(TestServerError) {
        try withoutCopy(data)
    }

    /// Sends the same bytes `count` times; `Int.max` means until the peer has had enough.
    public func sendRepeating(_ bytes: [UInt8], count: Int) throws(TestServerError) {
        guard !bytes.isEmpty, count > 0 else { return }
        // Small pieces are joined into one of about 64 KiB, so that the peer and not the system calls are the limit.
        let perBlock = min(max(65_536 / bytes.count, 1), count)
        let block = [[UInt8]](repeating: bytes, count: perBlock).flatMap { $0 }
        var left = count
        while left >= perBlock {
            try send(block)
            left -= perBlock
        }
        if left > 0 { try send(Array(block.prefix(left * bytes.count))) }
    }

    /// Sends the bytes `size` at a time, one by default, with a pause after each piece, as a slow peer does.
    public func sendPaced(_ bytes: [UInt8], every interval: Duration, size: Int = 1) throws(TestServerError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try send(Array(rest.prefix(max(size, 1))))
            rest = rest.dropFirst(max(size, 1))
            try socket.pause(interval)
        }
    }

    /// Sends text one byte at a time, with a pause after each.
    public func sendPaced(_ text: String, every interval: Duration) throws(TestServerError) {
        try sendPaced(Array(text.utf8), every: interval)
    }

    /// Sends one chunk of a chunked body. An empty one sends nothing, because it would end the body.
    public func sendChunk(_ data: Data) throws(TestServerError) {
        guard !data.isEmpty else { return }
        var bytes = Data(String(data.count, radix: 16).utf8)
        bytes.append(contentsOf: [13, 10])
        bytes.append(data)
        bytes.append(contentsOf: [13, 10])
        try send(bytes)
    }

    /// Sends one chunk of a chunked body.
    public func sendChunk(_ text: String) throws(TestServerError) {
        try sendChunk(Data(text.utf8))
    }

    /// Ends a chunked body, with trailer fields if there are any.
    public func sendLastChunk(trailers: KeyValuePairs<String, String> = [:]) throws(TestServerError) {
        try send("0\r\n" + trailers.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n")
    }

    /// Waits, as a slow peer does, for `duration`.
    ///
    /// This is behaviour to test against, not a way to wait for a client: use `TestSignal` for that. Throws
    /// `TestServerError.connectionClosed` when this side closes the connection or the server stops.
    public func pause(_ duration: Duration) throws(TestServerError) {
        try socket.pause(duration)
    }

    private func withoutCopy(_ bytes: some ContiguousBytes) throws(TestServerError) {
        var outcome: Result<Void, TestServerError> = .success(())
        bytes.withUnsafeBytes { bytes in
            do throws(TestServerError) {
                try socket.using(.writing) { () throws(TestServerError) in
                    #if SocketTransport && os(Linux)
                    if let tls = socket.tls { return try tls.write(bytes, to: socket) }
                    #endif
                    try socket.send(all: bytes)
                }
            } catch {
                outcome = .failure(error)
            }
        }
        try outcome.get()
    }
}
