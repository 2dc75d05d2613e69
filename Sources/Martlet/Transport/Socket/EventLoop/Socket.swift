// A non-blocking TCP socket. Closed on exec, without SIGPIPE, TCP_NODELAY on; buffers and keep-alive as the system has them.

#if SocketTransport && os(Linux)
import CLinux
import Glibc

/// What a read or write on a stream came to.
enum IOResult {
    /// So many bytes were moved; at least one.
    case bytes(Int)
    /// Nothing can be moved now.
    case wouldBlock
    /// The peer ended the stream; `clean` is false when TLS was cut without its closing alert.
    case end(clean: Bool)
    /// The stream failed.
    case failed(IOFailure)
}

/// Why a stream failed.
enum IOFailure {
    case system(errno: Int32)
    case tls(MartletError)
}

/// A TCP socket that closes when it is released.
final class Socket {
    private(set) var fd: Int32

    /// Makes a socket for the family; throws `tooManyOpenFiles` or `connectFailed`.
    init(family: SocketAddress.Family) throws(MartletError) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        fd = socket(family == .ipv4 ? AF_INET : AF_INET6, type, 0)
        guard fd >= 0 else { throw Self.localFailure(errno, "open a socket") }
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close() }

    /// Closes the socket; further calls do nothing.
    func close() {
        guard fd >= 0 else { return }
        Glibc.close(fd)
        fd = -1
    }

    /// Closes the socket with RST: what the system has not sent yet is thrown away, and the peer is told at once.
    func reset() {
        guard fd >= 0 else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Starts connecting; nil when under way, 0 when connected at once, else the error number.
    func connect(to address: SocketAddress) -> Int32? {
        let result = address.withSockaddr { Glibc.connect(fd, $0, $1) }
        if result == 0 { return 0 }
        return errno == EINPROGRESS || errno == EINTR ? nil : errno
    }

    /// The outcome of a connect that was under way: 0 or the error number.
    var pendingError: Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &length) == 0 ? value : errno
    }

    /// Whether the socket has a peer: a connect under way has ended well.
    var isConnected: Bool { address(getpeername) != nil }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        while true {
            let count = recv(fd, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end(clean: true) }
            if errno == EINTR { continue }
            return Self.result(errno)
        }
    }

    /// Writes the bytes, as far as the system takes them.
    func write(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        while true {
            let count = send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return Self.result(errno)
        }
    }

    /// Writes what the vectors hold, as far as the system takes it.
    func write(_ vectors: UnsafeMutableBufferPointer<iovec>) -> IOResult {
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = vectors.count
        while true {
            let count = sendmsg(fd, &message, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return Self.result(errno)
        }
    }

    /// Whether an idle connection can carry a request: nothing to read, and not closed by the peer.
    var isQuiet: Bool {
        var byte: UInt8 = 0
        let count = recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    var localAddress: SocketAddress? { address(getsockname) }

    private func address(
        _ query: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                query(fd, $0, &length) == 0 ? SocketAddress($0) : nil
            }
        }
    }

    private static func result(_ number: Int32) -> IOResult {
        number == EAGAIN || number == EWOULDBLOCK ? .wouldBlock : .failed(.system(errno: number))
    }

    /// The error for a refusal by this machine.
    static func localFailure(_ number: Int32, _ what: String) -> MartletError {
        if number == EMFILE || number == ENFILE {
            return MartletError(
                .tooManyOpenFiles,
                "Could not \(what): too many open files. Raise the limit (ulimit -n) or lower the pool's limits.")
        }
        return MartletError(.connectFailed, "Could not \(what): \(systemErrorText(number)).")
    }
}
#endif
