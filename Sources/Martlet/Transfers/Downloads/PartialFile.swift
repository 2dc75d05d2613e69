// The file that a download is written to before it has its name, and the record beside it. It is locked, so that two downloads to one
// name do not write into each other, and opened without following a link. All of it blocks: to be called on the threads of `FileIO`.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An unfinished file, open for writing.
final class PartialFile: Sendable {
    let path: String
    private let descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether there is something of that name, a link that leads nowhere too.
    static func exists(_ path: String, _ isDirectory: inout Bool) -> Bool {
        var info = stat()
        guard lstat(path, &info) == 0 else { return false }
        isDirectory = info.st_mode & S_IFMT == S_IFDIR
        return true
    }

    static func recordPath(of path: String) -> String { path + ".json" }

    /// Opens the file; nil when it is not there and not to be made.
    ///
    /// - Throws: `fileUnwritable` also when another download has it.
    static func open(_ path: String, creating: Bool) throws(MartletError) -> PartialFile? {
        guard !path.utf8.contains(0) else { throw FileFailure.named("its path holds a NUL byte", path) }
        while true {
            let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (creating ? O_CREAT : 0)
            let descriptor = path.withCString { openFile($0, flags) }
            guard descriptor >= 0 else {
                let number = errno
                if number == EINTR { continue }
                if number == ENOENT, !creating { return nil }
                throw FileFailure.of(number, path)
            }
            let file = PartialFile(path: path, descriptor: descriptor)
            var opened = stat()
            guard fstat(descriptor, &opened) == 0 else { throw FileFailure.of(errno, path) }
            guard opened.st_mode & S_IFMT == S_IFREG else { throw FileFailure.named("it is not a regular file", path) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw FileFailure.named("another download is writing it", path)
            }
            // Whoever had the lock before may have given the file its name: then it is no longer this one.
            var named = stat()
            if lstat(path, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev { return file }
        }
    }

    var size: Int {
        var info = stat()
        return fstat(descriptor, &info) == 0 ? Int(info.st_size) : 0
    }

    /// Writes chunks one behind the other.
    func write(_ chunks: [Data], at start: Int) throws(MartletError) {
        var offset = start
        for chunk in chunks {
            let failure = chunk.withUnsafeBytes { bytes -> Int32? in
                var done = 0
                while done < bytes.count {
                    let count = pwrite(
                        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
                    if count > 0 {
                        done += count
                    } else if count == 0 || errno != EINTR {
                        return count == 0 ? EIO : errno
                    }
                }
                return nil
            }
            if let failure { throw FileFailure.of(failure, path) }
            offset += chunk.count
        }
    }

    func truncate(to size: Int) throws(MartletError) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            guard errno == EINTR else { throw FileFailure.of(errno, path) }
        }
    }

    /// Feeds bytes of the file to a digest.
    func digest(_ range: Range<Int>, into digest: RunningHash) throws(MartletError) {
        let buffer = ReadBuffer()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = pread(
                descriptor, buffer.bytes.baseAddress, min(ReadBuffer.size, range.upperBound - offset), off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFailure.of(count < 0 ? errno : EIO, path) }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
            offset += count
        }
    }

    // MARK: The record

    /// Reads the record beside a file; nil when there is none that can be used.
    static func record(of path: String) -> DownloadRecord? {
        guard let data = FileManager.default.contents(atPath: recordPath(of: path)), data.count < 1 << 20 else {
            return nil
        }
        return try? JSONDecoder().decode(DownloadRecord.self, from: data)
    }

    /// Puts the record beside the file, whole or not at all; nil takes it away.
    func save(_ record: DownloadRecord?) throws(MartletError) {
        let place = Self.recordPath(of: path)
        guard let record else {
            unlink(place)
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(record) else { return }
        let temporary = place + ".new"
        let descriptor = temporary.withCString { openFile($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw FileFailure.of(errno, temporary) }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == data.count, rename(temporary, place) == 0 else {
            let number = count >= 0 && count < data.count ? ENOSPC : errno
            unlink(temporary)
            throw FileFailure.of(number, place)
        }
    }

    /// Takes the file and its record away.
    func remove() {
        unlink(path)
        unlink(Self.recordPath(of: path))
    }

    // MARK: The end

    /// Makes the file last, gives it its name and takes the record away.
    ///
    /// - Throws: `fileExists` when there is a file of that name that is not to be replaced.
    func commit(as final: String, replacing: Bool) throws(MartletError) {
        var existing = stat()
        if replacing, lstat(final, &existing) == 0, existing.st_mode & S_IFMT == S_IFREG {
            fchmod(descriptor, existing.st_mode & 0o7777)
        }
        // Some file systems cannot, and say so.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw FileFailure.of(errno, path) }
        guard replacing ? rename(path, final) == 0 : Self.name(path, final) else { throw FileFailure.of(errno, final) }
        unlink(Self.recordPath(of: path))
        Self.syncFolder(of: final)
    }

    /// Gives a file a name that nothing has.
    private static func name(_ path: String, _ final: String) -> Bool {
        if link(path, final) == 0 {
            unlink(path)
            return true
        }
        // Where there are no links, the moment between looking and naming has to do.
        guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { return false }
        var existing = stat()
        guard lstat(final, &existing) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(path, final) == 0
    }

    /// The name lasts only when its folder does. What is complete is not called a failure for that.
    private static func syncFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = folder.withCString { openFile($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}

private func openFile(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags, 0o666) }

/// What the system refuses when a file is written, as an error that can be told apart.
enum FileFailure {
    static func of(_ number: Int32, _ path: String) -> MartletError {
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            MartletError(
                .diskFull, "There is no room left for \(path). Make room; what came is kept where it can be resumed.")
        case EEXIST: existing(path)
        default: named(systemErrorText(number), path)
        }
    }

    static func existing(_ path: String) -> MartletError {
        MartletError(.fileExists, "There is a file \(path) already. Say replacing() if it may be replaced.")
    }

    static func named(_ reason: String, _ path: String) -> MartletError {
        MartletError(.fileUnwritable, "\(path) cannot be written: \(reason).")
    }
}
