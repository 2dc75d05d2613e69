// Sockets on 127.0.0.1: free ports, and waiting until a server listens.

import BenchRuns
import Glibc

/// Ports of the loopback address.
enum Loopback {
    /// Ports that were free a moment ago, all different.
    static func freePorts(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        return try (0..<count).map { _ in
            let descriptor = try socket()
            sockets.append(descriptor)
            return try bind(descriptor, port: 0)
        }
    }

    /// A listening socket and its port.
    static func listen(port: Int) throws -> (descriptor: Int32, port: Int) {
        let descriptor = try socket()
        let port = try bind(descriptor, port: port)
        guard Glibc.listen(descriptor, 1_024) == 0 else { throw Failure.system("listen") }
        return (descriptor, port)
    }

    /// Whether something listens.
    static func answers(port: Int) -> Bool {
        guard let descriptor = try? socket() else { return false }
        defer { close(descriptor) }
        return withAddress(port) { connect(descriptor, $0, $1) } == 0
    }

    private static func socket() throws(Failure) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket") }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, port: Int) throws(Failure) -> Int {
        guard withAddress(port, { Glibc.bind(descriptor, $0, $1) }) == 0 else { throw Failure.system("bind") }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            _ = bytes.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        return withUnsafeBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}
