// A file that is sent as a request body: opened and read on threads for blocking calls, never on the loop or on the
// concurrency runtime's own.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Blocking file access, on at most four threads.
package enum FileIO {
    private static let pool = WorkerPool(name: "martlet-file", limit: 4)

    /// Runs `body` on one of the threads.
    nonisolated(nonsending) package static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        // The result goes through a lock, because the thread sanitizer does not see that a continuation orders memory.
        let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let taken = pool.submit {
                let result = Swift.Result { try body() }
                outcome.withLock { $0 = result }
                continuation.resume()
            }
            if !taken { continuation.resume() }
        }
        guard let result = outcome.withLock({ $0 }) else {
            throw MartletError(.other, "No thread could be started for file access.")
        }
        return try result.get()
    }

    /// Runs `body` on one of the threads without waiting for it; false when no thread could be had.
    package static func submit(_ body: @escaping @Sendable () -> Void) -> Bool { pool.submit(body) }
}

/// A file opened for sending; closed when it is released.
final class BodyFile: Sendable {
    private let fd: Int32
    private let path: String
    /// The length when the file was opened; nil for what does not tell (a file in `/proc`).
    let length: Int?

    private init(fd: Int32, path: String, length: Int?) {
        self.fd = fd
        self.path = path
        self.length = length
    }

    deinit { close(fd) }

    /// Opens the file; throws `fileUnreadable`.
    nonisolated(nonsending) static func open(_ path: String) async throws -> BodyFile {
        try await FileIO.run {
            func failure(_ reason: String) -> MartletError {
                MartletError(.fileUnreadable, "The request body file \(path) cannot be read: \(reason).")
            }
            guard !path.utf8.contains(0) else { throw failure("its path holds a NUL byte") }
            let fd = path.withCString { openFile($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            guard fd >= 0 else { throw failure(systemErrorText(errno)) }
            var info = stat()
            guard fstat(fd, &info) == 0 else {
                let number = errno
                close(fd)
                throw failure(systemErrorText(number))
            }
            let kind = info.st_mode & S_IFMT
            // A pipe or a device may block for good, and a cancelled call must not leave a thread behind.
            guard kind == S_IFREG else {
                close(fd)
                throw failure(
                    kind == S_IFDIR ? "it is a directory" : "it is not a regular file; give its bytes as a stream")
            }
            return BodyFile(fd: fd, path: path, length: knownLength(fd, Int(info.st_size)))
        }
    }

    /// The size, unless it is said to be none and there are bytes all the same, as with what the kernel makes up.
    private static func knownLength(_ fd: Int32, _ size: Int) -> Int? {
        var byte: UInt8 = 0
        return size == 0 && pread(fd, &byte, 1, 0) > 0 ? nil : size
    }

    /// Gives the file's bytes to `sink`; exactly `length` of them when that is known.
    func feed(_ sink: RequestBody.Sink) async throws {
        var offset = 0
        while length.map({ offset < $0 }) ?? true {
            let wanted = min(ReadBuffer.size, (length ?? .max) - offset)
            let chunk = try await FileIO.run { try self.read(wanted) }
            if chunk.isEmpty {
                guard let length else { return }
                throw MartletError(
                    .bodyLengthMismatch,
                    "The file \(path) has shrunk while it was sent: \(offset) of \(length) bytes are left.")
            }
            offset += chunk.count
            try await sink(chunk)
        }
    }

    private func read(_ count: Int) throws -> Data {
        let buffer = ReadBuffer()
        while true {
            let result = systemRead(fd, buffer.bytes.baseAddress, count)
            if result >= 0 { return buffer.data(0..<result) }
            if errno == EINTR { continue }
            throw MartletError(
                .fileUnreadable, "The request body file \(path) cannot be read: \(systemErrorText(errno)).")
        }
    }
}

private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags) }

private func systemRead(_ fd: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(fd, buffer, count)
}

/// The system's words for an error number.
package func systemErrorText(_ number: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
