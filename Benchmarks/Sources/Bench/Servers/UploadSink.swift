// A server that takes bodies and throws them away, which nginx does not: it answers before the body is there, or writes it to
// a disk. In a process of its own, and it drops the bytes in the kernel, so that the client is what is measured.

import Glibc

/// Takes uploads with a Content-Length, one connection after the other in a thread each.
struct UploadSink {
    let port: Int
    private let process: ChildProcess

    init() throws {
        port = try Loopback.freePorts(1)[0]
        process = try ChildProcess("/proc/self/exe", ["sink", String(port)])
        _ = try process.firstLine(atMost: 10)
    }

    func stop() { process.stop() }

    /// Serves until the process is ended.
    static func serve(port: Int) throws -> Never {
        signal(SIGPIPE, SIG_IGN)
        let listener = try Loopback.listen(port: port)
        print("listening")
        fflush(nil)
        while true {
            let connection = accept(listener.descriptor, nil, nil)
            guard connection >= 0 else { continue }
            var thread = pthread_t()
            let argument = UnsafeMutableRawPointer(bitPattern: Int(connection))
            pthread_create(
                &thread, nil,
                { argument in
                    UploadSink.answer(Int32(truncatingIfNeeded: Int(bitPattern: argument)))
                    return nil
                }, argument)
            pthread_detach(thread)
        }
    }

    private static func answer(_ connection: Int32) {
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var received: [UInt8] = []
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += buffer.prefix(count)
            guard let head = Head(received) else { continue }
            received = []
            if head.expectsContinue { guard send("HTTP/1.1 100 Continue\r\n\r\n", connection) else { return } }
            guard drop(head.remaining, connection) else { return }
            guard send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection) else { return }
        }
    }

    private static func drop(_ count: Int, _ connection: Int32) -> Bool {
        var remaining = count
        while remaining > 0 {
            // TCP's MSG_TRUNC: the bytes are taken off the queue and copied nowhere.
            let taken = recv(connection, nil, min(remaining, 1 << 20), Int32(MSG_TRUNC))
            guard taken > 0 else { return false }
            remaining -= taken
        }
        return true
    }

    private static func send(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(connection, bytes, bytes.count, 0) == bytes.count
    }

    /// What of a request's head matters here.
    private struct Head {
        var remaining: Int
        var expectsContinue: Bool

        /// Nil while the head is not complete. A body without a Content-Length is taken as none.
        init?(_ bytes: [UInt8]) {
            let blank = Array("\r\n\r\n".utf8)
            guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: blank) }) else { return nil }
            let fields = String(decoding: bytes[..<end], as: UTF8.self).lowercased().split(separator: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length:") }?.split(separator: ":").last
            let total = length.flatMap { Int($0.drop { $0 == " " }) } ?? 0
            remaining = max(0, total - (bytes.count - end - blank.count))
            expectsContinue = fields.contains { $0.hasPrefix("expect:") }
        }
    }
}
