// Writing all of some bytes to a descriptor, whatever it leads to: partial writes are continued, and a reader that does not
// read never keeps a cancelled or timed-out transfer from ending.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Martlet

/// The reader of a pipe has closed it: it wants no more, which is no failure of ours.
struct ReaderGone: Error {}

/// Writes to an open descriptor.
struct DescriptorWriter: Sendable {
    let descriptor: Int32
    /// What messages call it.
    let name: String
    // A write to a file always goes on; to anything else it may wait for a reader for ever.
    private let mayWait: Bool

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        mayWait = fileStatus(descriptor)?.isRegularFile != true
    }

    /// Writes all the bytes.
    ///
    /// Throws `ReaderGone`, `CancellationError` when the task is cancelled, and `ToolFailure` when the deadline passes or the
    /// system refuses.
    func write(_ bytes: UnsafeRawBufferPointer, until deadline: Deadline? = nil) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            if mayWait { try awaitRoom(until: deadline) }
            // What a pipe that is ready takes without waiting (POSIX, PIPE_BUF).
            let portion = mayWait ? rest.prefix(4096) : rest
            let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: portion))
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else {
                switch errno {
                case EINTR, EAGAIN: continue
                case EPIPE: throw ReaderGone()
                case let code: throw ToolFailure(.file, "\(name) cannot be written: \(systemErrorText(code)).")
                }
            }
        }
    }

    private func awaitRoom(until deadline: Deadline?) throws {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&entry, 1, 50) <= 0 {
            try Task.checkCancellation()
            if let deadline, ContinuousClock.now >= deadline.instant {
                throw ToolFailure(
                    .timeout, "\(name) did not take the body within the timeout of \(deadline.timeout).")
            }
        }
    }
}

/// When the whole transfer must have ended.
struct Deadline: Sendable {
    let timeout: Duration
    let instant: ContinuousClock.Instant

    /// The deadline of a transfer that begins now.
    init(after timeout: Duration) {
        self.timeout = timeout
        instant = .now + timeout
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
