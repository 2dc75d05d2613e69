// The smallest possible client: a blocking socket with a time-out, so that a mistake of the server fails a test
// instead of hanging it.

import Foundation
import MartletTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A blocking TCP client.
final class RawClient: Sendable {
    struct Failure: Error, Equatable {
        let call: String
        let code: Int32
    }

    let descriptor: Int32

    init(port: Int, ipv6: Bool = false, receiveBufferBytes: Int32? = nil) throws {
        #if canImport(Darwin)
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        if var bytes = receiveBufferBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var code: Int32
        if ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr = in_addr(s_addr: in_addr_t(0x7F00_0001).bigEndian)
            code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        if code != 0 {
            code = errno
            // The initialiser has set everything up, so that deinit closes the socket.
            throw Failure(call: "connect", code: code)
        }
    }

    deinit {
        close(descriptor)
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
                #else
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for bytes; empty when the server has finished.
    func receive(_ limit: Int = 65_536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        guard count >= 0 else { throw Failure(call: "recv", code: errno) }
        return Array(buffer[..<count])
    }

    func receiveExactly(_ count: Int) throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try receive(count - bytes.count)
            guard !more.isEmpty else { break }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func readToEnd() throws -> String {
        var bytes: [UInt8] = []
        while true {
            let more = try receive()
            guard !more.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
    }

    /// Waits for a response whose length is declared, and returns its body.
    func receiveResponse() throws -> String {
        var text = ""
        while !text.hasSuffix("\r\n\r\n") {
            let more = try receiveExactly(1)
            guard !more.isEmpty else { return text }
            text += more
        }
        let line = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return try receiveExactly(line.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0)
    }

    /// The error number with which reading ends, 0 when it ends in order.
    func endOfReading() -> Int32 {
        do {
            while try !receive().isEmpty {}
            return 0
        } catch {
            return (error as? Failure)?.code ?? -1
        }
    }

    func finishWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A place for what a closure made before needs later.
///
/// `@unchecked Sendable`: the tests set it before anybody reads it.
final class Box<Value>: @unchecked Sendable {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
}
