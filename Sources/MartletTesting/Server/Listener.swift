// The listening socket, always on a loopback address, so that no test is reachable from outside or touches the network.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A bound loopback socket and the pipe that wakes whoever waits on it.
struct Listener: Sendable {
    let descriptor: Int32
    let port: Int
    private let wakeReader: Int32
    private let wakeWriter: Int32

    /// Binds to a free port, or to the port of the options.
    init(_ options: TestServer.Options) throws(TestServerError) {
        let family = options.host == .ipv6 ? AF_INET6 : AF_INET
        let descriptor = socket(family, streamSocket, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        prepareDescriptor(descriptor)
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if let bytes = options.receiveBufferBytes {
            setOption(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: bytes))
        }
        if let bytes = options.sendBufferBytes { setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: bytes)) }
        var pipes: [Int32] = [-1, -1]
        do throws(TestServerError) {
            port = try Self.bindToLoopback(descriptor, options)
            if options.listens, listen(descriptor, Int32(clamping: options.backlog)) != 0 {
                throw .system(call: "listen", code: errno)
            }
            guard pipe(&pipes) == 0 else { throw .system(call: "pipe", code: errno) }
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
        pipes.forEach(prepareDescriptor)
        self.descriptor = descriptor
        (wakeReader, wakeWriter) = (pipes[0], pipes[1])
    }

    private static func bindToLoopback(_ descriptor: Int32, _ options: TestServer.Options) throws(TestServerError)
        -> Int
    {
        let port = in_port_t(truncatingIfNeeded: options.port).bigEndian
        var storage = sockaddr_storage()
        var code: Int32 = 0
        var actualPort: in_port_t = 0
        withUnsafeMutablePointer(to: &storage) { pointer in
            let raw = UnsafeMutableRawPointer(pointer)
            var length: socklen_t
            if options.host == .ipv6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port
                address.sin6_addr = in6addr_loopback
                length = socklen_t(MemoryLayout<sockaddr_in6>.size)
                raw.storeBytes(of: address, as: sockaddr_in6.self)
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port
                address.sin_addr = in_addr(s_addr: in_addr_t(0x7F00_0001).bigEndian)
                length = socklen_t(MemoryLayout<sockaddr_in>.size)
                raw.storeBytes(of: address, as: sockaddr_in.self)
            }
            let address = raw.assumingMemoryBound(to: sockaddr.self)
            code = bindDescriptor(descriptor, address, length) == 0 ? 0 : errno
            guard code == 0 else { return }
            length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            code = getsockname(descriptor, address, &length) == 0 ? 0 : errno
            actualPort =
                options.host == .ipv6
                ? raw.load(as: sockaddr_in6.self).sin6_port : raw.load(as: sockaddr_in.self).sin_port
        }
        guard code == 0 else { throw .system(call: "bind", code: code) }
        return Int(in_port_t(bigEndian: actualPort))
    }

    enum Event { case accepted(Int32), woken, outOfDescriptors }

    /// Blocks for the next connection, or until `wake()`.
    func next(accepts: Bool) -> Event {
        while true {
            var entries = [
                pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, accepts ? 2 : 1, -1)
            if entries[0].revents != 0 { return .woken }
            guard entries[1].revents != 0 else { continue }
            let accepted = accept(descriptor, nil, nil)
            if accepted >= 0 {
                prepareDescriptor(accepted)
                setOption(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                #if canImport(Darwin)
                setOption(accepted, SOL_SOCKET, SO_NOSIGPIPE, 1)
                #endif
                return .accepted(accepted)
            }
            if errno == EMFILE || errno == ENFILE {
                // Try again a little later: something else in the process may give descriptors back.
                entries[0].revents = 0
                _ = poll(&entries, 1, 10)
                return entries[0].revents != 0 ? .woken : .outOfDescriptors
            }
        }
    }

    func wake() {
        var byte: UInt8 = 1
        _ = write(wakeWriter, &byte, 1)
    }

    /// Refuses further connections; those in the backlog are reset by the system.
    func closeAll() {
        closeDescriptor(descriptor)
        closeDescriptor(wakeReader)
        closeDescriptor(wakeWriter)
    }
}
