// The file of `--output`. It is written under a temporary name beside the final one and renamed at the end, so that the final
// name never shows a part of a body. What is no file (a device, a pipe) is written as it stands.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Martlet

/// A file that appears when it is complete.
struct OutputFile: Sendable {
    private let path: String
    /// Nil when the path is written as it stands.
    private let temporaryPath: String?
    private let writer: DescriptorWriter
    private let temporaryFiles: TemporaryFiles

    /// Opens the file; end it with `commit()` or `discard()`.
    init(_ path: String, temporaryFiles: TemporaryFiles) throws(ToolFailure) {
        let existing = fileStatus(path)
        if existing?.isDirectory == true || path.hasSuffix("/") { throw Self.unwritable(path, EISDIR) }
        if let existing, !existing.isRegularFile {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw Self.unwritable(path, errno) }
            (self.path, temporaryPath) = (path, nil)
            writer = DescriptorWriter(descriptor: descriptor, name: path)
        } else {
            // A rename asks for the rights of the folder only.
            if existing != nil, access(path, W_OK) != 0 { throw Self.unwritable(path, errno) }
            let real = existing == nil ? path : Self.resolved(path)
            let folder = real.lastIndex(of: "/").map { String(real[...$0]) } ?? ""
            let opened = try Self.openTemporary(in: folder, for: path)
            temporaryFiles.insert(opened.path)
            if let existing {
                _ = fchown(opened.descriptor, existing.st_uid, existing.st_gid)
                _ = fchmod(opened.descriptor, existing.st_mode & 0o777)
            }
            (self.path, temporaryPath) = (real, opened.path)
            writer = DescriptorWriter(descriptor: opened.descriptor, name: path)
        }
        self.temporaryFiles = temporaryFiles
    }

    /// Writes all the bytes; throws as `DescriptorWriter` does.
    func write(_ bytes: UnsafeRawBufferPointer, until deadline: Deadline?) throws {
        try writer.write(bytes, until: deadline)
    }

    /// Closes the file and gives it its name.
    func commit() throws(ToolFailure) {
        let isClosed = close(writer.descriptor) == 0
        guard let temporaryPath else { return }
        guard isClosed, rename(temporaryPath, path) == 0 else {
            let code = errno
            temporaryFiles.remove(temporaryPath)
            throw Self.unwritable(writer.name, code)
        }
        temporaryFiles.forget(temporaryPath)
    }

    /// Closes the file and takes it away.
    func discard() {
        close(writer.descriptor)
        if let temporaryPath { temporaryFiles.remove(temporaryPath) }
    }

    private static func openTemporary(
        in folder: String, for path: String
    ) throws(ToolFailure) -> (descriptor: Int32, path: String) {
        while true {
            let name = String(UInt64.random(in: .min ... .max), radix: 36)
            let temporary = "\(folder).martlet-\(name).part"
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (descriptor, temporary) }
            guard errno == EEXIST || errno == EINTR else { throw unwritable(path, errno) }
        }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func unwritable(_ path: String, _ code: Int32) -> ToolFailure {
        ToolFailure(.file, "\(path) cannot be written: \(systemErrorText(code)).")
    }
}

/// The temporary files there are, for the case in which the process must end at once.
final class TemporaryFiles: Sendable {
    private let paths = Lock<Set<String>>([])

    func insert(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Takes a file off the list, because it has another name now.
    func forget(_ path: String) { paths.withLock { _ = $0.remove(path) } }

    /// Deletes a file.
    func remove(_ path: String) {
        unlink(path)
        forget(path)
    }

    /// Deletes all of them.
    func removeAll() {
        for path in paths.withLock({ $0 }) { remove(path) }
    }
}
