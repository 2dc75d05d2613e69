// An address to dial: IP and port, as the system's structure. The address that was checked is the one that is dialled.

#if SocketTransport && os(Linux)
import CLinux
import Glibc

/// An IPv4 or IPv6 address with a port.
struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family.
    enum Family: Hashable, Sendable { case ipv4, ipv6 }

    private enum Storage: Hashable {
        // Network byte order as in memory.
        case ipv4(UInt32)
        case ipv6([UInt8], scope: UInt32)
    }

    private let storage: Storage
    let port: Int

    /// An IPv4 address; `address` in host byte order, so that 127.0.0.1 is 0x7f000001.
    init(ipv4 address: UInt32, port: Int) {
        storage = .ipv4(address.bigEndian)
        self.port = port
    }

    /// An IPv6 address of 16 bytes; nil for another count.
    init?(ipv6 bytes: [UInt8], scope: UInt32 = 0, port: Int) {
        guard bytes.count == 16 else { return nil }
        storage = .ipv6(bytes, scope: scope)
        self.port = port
    }

    /// Reads the system's structure; nil for a family other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>, port: Int? = nil) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let value = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            storage = .ipv4(value.sin_addr.s_addr)
            self.port = port ?? Int(UInt16(bigEndian: value.sin_port))
        case AF_INET6:
            let value = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            storage = .ipv6(withUnsafeBytes(of: value.sin6_addr) { Array($0) }, scope: value.sin6_scope_id)
            self.port = port ?? Int(UInt16(bigEndian: value.sin6_port))
        default:
            return nil
        }
    }

    var family: Family {
        if case .ipv4 = storage { .ipv4 } else { .ipv6 }
    }

    /// The same address with another port.
    func with(port: Int) -> SocketAddress { SocketAddress(storage: storage, port: port) }

    private init(storage: Storage, port: Int) {
        self.storage = storage
        self.port = port
    }

    /// Calls `body` with the system's structure.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch storage {
        case .ipv4(let address):
            var value = sockaddr_in()
            value.sin_family = sa_family_t(AF_INET)
            value.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
            value.sin_addr.s_addr = address
            return withUnsafePointer(to: &value) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        case .ipv6(let bytes, let scope):
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = UInt16(truncatingIfNeeded: port).bigEndian
            value.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: bytes) }
            return withUnsafePointer(to: &value) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }

    /// The address and port, IPv6 in brackets.
    var description: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch storage {
        case .ipv4(var address):
            inet_ntop(AF_INET, &address, &buffer, socklen_t(buffer.count))
            return "\(Self.text(buffer)):\(port)"
        case .ipv6(let bytes, let scope):
            _ = bytes.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &buffer, socklen_t(buffer.count)) }
            return "[\(Self.text(buffer))\(scope == 0 ? "" : "%\(scope)")]:\(port)"
        }
    }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static let loopback4: UInt32 = 0x7f00_0001
    static let loopback6: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
}
#endif
