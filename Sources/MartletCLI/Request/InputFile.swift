// What a body is read from: a file, a pipe, standard input. A regular file has a length and can be read again; anything else
// comes as it comes, once, and a wait for it ends when the task is cancelled.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Foundation
import Martlet

/// An open file to read from; closed when it is released.
final class InputFile: Sendable {
    /// What messages call it.
    let name: String
    /// The bytes from where it stands to its end; nil when that is not known beforehand.
    let length: Int?
    private let descriptor: Int32
    private let start: Int
    private let isOwned: Bool

    /// Opens a file.
    ///
    /// Throws a failure of the class `file`.
    static func open(_ path: String) throws(ToolFailure) -> InputFile {
        let descriptor = openForReading(path)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        let file = InputFile(path, descriptor, isOwned: true)
        if fileStatus(descriptor)?.isDirectory == true { throw unreadable(path, EISDIR) }
        return file
    }

    static var standardInput: InputFile { InputFile("Standard input", STDIN_FILENO, isOwned: false) }

    private init(_ name: String, _ descriptor: Int32, isOwned: Bool) {
        (self.name, self.descriptor, self.isOwned) = (name, descriptor, isOwned)
        let start = max(Int(lseek(descriptor, 0, SEEK_CUR)), 0)
        self.start = start
        let status = fileStatus(descriptor)
        let size = status?.isRegularFile == true ? Int(status?.st_size ?? 0) : nil
        var byte: UInt8 = 0
        // What the kernel makes up (/proc) says that it has no bytes, and has some all the same.
        length = size == 0 && pread(descriptor, &byte, 1, 0) > 0 ? nil : size.map { max($0 - start, 0) }
    }

    deinit { if isOwned { close(descriptor) } }

    /// Some bytes, `offset` of them having been read before; none at the end.
    func read(after offset: Int) async throws -> Data {
        if let length {
            let wanted = min(ReadBuffer.size, length - offset)
            guard wanted > 0 else { return Data() }
            let data = try await FileIO.run {
                try self.read { pread(self.descriptor, $0, wanted, off_t(self.start + offset)) }
            }
            guard !data.isEmpty else { throw ToolFailure(.file, "\(name) has shrunk while it was sent.") }
            return data
        }
        while try await !FileIO.run({ self.isReady() }) { try Task.checkCancellation() }
        return try await FileIO.run { try self.read { readSome(self.descriptor, $0, ReadBuffer.size) } }
    }

    private func isReady() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 50) != 0
    }

    private func read(_ call: (UnsafeMutableRawPointer?) -> Int) throws -> Data {
        let buffer = ReadBuffer()
        while true {
            let count = call(buffer.bytes.baseAddress)
            if count >= 0 { return buffer.data(0..<count) }
            guard errno == EINTR || errno == EAGAIN else { throw Self.unreadable(name, errno) }
        }
    }

    private static func unreadable(_ name: String, _ code: Int32) -> ToolFailure {
        ToolFailure(.file, "\(name) cannot be read: \(systemErrorText(code)).")
    }
}

/// The bytes of an open file, counted once they have been taken.
struct InputChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let file: InputFile
    let progress: Progress

    func makeAsyncIterator() -> Iterator { Iterator(file: file, progress: progress) }

    struct Iterator: AsyncIteratorProtocol {
        let file: InputFile
        let progress: Progress
        private var offset = 0
        private var last = 0

        init(file: InputFile, progress: Progress) { (self.file, self.progress) = (file, progress) }

        mutating func next() async throws -> Data? {
            progress.add(last)
            let chunk = try await file.read(after: offset)
            last = chunk.count
            offset += last
            return chunk.isEmpty ? nil : chunk
        }
    }
}

private func openForReading(_ path: String) -> Int32 { open(path, O_RDONLY | O_CLOEXEC) }

private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
