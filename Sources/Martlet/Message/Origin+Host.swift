// The host of an origin, read so strictly that every reader means the same by it: a name, or an address that is spelled
// in its one canonical form. `getaddrinfo` resolves `127.1`, `0x7f.1` and even `*`; here they are refused. RFC 3986
// section 3.2.2, RFC 1123 section 2.1, RFC 5952 (IPv6 text); non-ASCII names go through Foundation's IDNA.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Foundation

extension Origin {
    /// The host part of a URL, normalised.
    public enum Host: Hashable, Sendable {
        /// A name: lower-case ASCII, IDNA applied, without a trailing dot.
        case name(String)
        /// An IPv4 address, in host byte order (`127.0.0.1` is `0x7F000001`).
        case ipv4(UInt32)
        /// An IPv6 address, in host byte order (`::1` is `1`). Zone identifiers are not supported.
        case ipv6(UInt128)

        /// Reads a host as it stands in a URL: a name, an IPv4 address, or an IPv6 address in brackets.
        ///
        /// Throws `invalidURL` for anything that could be read in more than one way.
        public init(_ text: String) throws(MartletError) {
            var copy = text
            self = try copy.withUTF8 { bytes in
                Result { () throws(MartletError) in try Host.read(bytes[...]).host }
            }.get()
        }
    }
}

// Foundation has a `Host` too, which is why this one is public only inside `Origin`.
typealias Host = Origin.Host

extension Origin.Host: CustomStringConvertible {
    /// The host as it stands in a URL, an IPv6 address in brackets.
    public var description: String {
        switch self {
        case .name(let name): name
        case .ipv4(let address):
            "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
        case .ipv6(let address): "[\(Host.text(of: address))]"
        }
    }

    private static func text(of address: UInt128) -> String {
        var raw = in6_addr()
        withUnsafeMutableBytes(of: &raw) { $0.storeBytes(of: address.bigEndian, as: UInt128.self) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            inet_ntop(AF_INET6, &raw, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) } ?? "::"
        }
    }
}

extension Origin.Host {
    /// A host as it was read, and whether the bytes are the normal spelling already.
    struct Reading {
        var host: Host
        var isNormal: Bool
    }

    typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// Reads the bytes between the `//` (or the `@` that is refused before) and the port.
    static func read(_ bytes: Bytes) throws(MartletError) -> Reading {
        guard let first = bytes.first else { throw invalid("The URL has no host.") }
        if first == UInt8(ascii: "[") { return try readIPv6(bytes) }
        var isNormal = true
        var labelLength = 0
        var lastLabel = bytes.startIndex
        for index in bytes.startIndex..<bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                labelLength += 1
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                labelLength += 1
                isNormal = false
            case UInt8(ascii: "."):
                if labelLength == 0 { throw invalid("The URL's host has an empty label (two dots, or a leading dot).") }
                labelLength = 0
                // A dot at the very end closes the last label, it does not open another.
                if index + 1 < bytes.endIndex { lastLabel = index + 1 }
            case 0x80...: return try readInternational(bytes)
            case UInt8(ascii: "%"):
                throw invalid("The URL's host holds a percent-escape; write the host's characters themselves.")
            default: throw invalid("The URL's host holds a character that no host name has.")
            }
            if labelLength > 63 { throw invalid("The URL's host has a label of more than 63 characters.") }
        }
        if isNumeric(bytes[lastLabel...]) {
            guard let address = canonicalIPv4(bytes) else {
                throw invalid("The URL's host is a number, but not an IPv4 address of four decimal parts.")
            }
            return Reading(host: .ipv4(address), isNormal: true)
        }
        var name = bytes
        if name.last == UInt8(ascii: ".") {
            name = name.dropLast()
            isNormal = false
        }
        guard name.count <= 253 else { throw invalid("The URL's host has more than 253 characters.") }
        if isNormal { return Reading(host: .name(String(decoding: name, as: UTF8.self)), isNormal: true) }
        return Reading(host: .name(String(decoding: name.map(HTTPSyntax.lowercased), as: UTF8.self)), isNormal: false)
    }

    /// A name with characters beyond ASCII: Foundation gives its ASCII form, which must then pass as a name.
    private static func readInternational(_ bytes: Bytes) throws(MartletError) -> Reading {
        let refusal = invalid("The URL's host has characters that no international host name may hold.")
        // What separates the parts of a URL must not reach Foundation, which would read another host.
        let isPlain = bytes.allSatisfy { byte in
            byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                || ASCII.isDigit(byte) || ASCII.isLetter(byte)
        }
        guard isPlain else { throw refusal }
        let name = String(decoding: bytes, as: UTF8.self)
        guard var ascii = URLComponents(string: "http://\(name)/")?.encodedHost,
            ascii.utf8.allSatisfy({ $0 < 0x80 })
        else { throw refusal }
        let reading = try ascii.withUTF8 { bytes in
            Result { () throws(MartletError) in try read(bytes[...]) }
        }.get()
        // Full-width digits map to ASCII ones: an address in disguise.
        guard case .name = reading.host else { throw refusal }
        return Reading(host: reading.host, isNormal: false)
    }

    private static func readIPv6(_ bytes: Bytes) throws(MartletError) -> Reading {
        guard bytes.last == UInt8(ascii: "]") else {
            throw invalid("The URL's host opens a bracket that is not closed before the port.")
        }
        let inner = bytes.dropFirst().dropLast()
        if inner.contains(UInt8(ascii: "%")) { throw invalid("IPv6 zone identifiers in a URL are not supported.") }
        let isPlain = inner.allSatisfy {
            ASCII.hexValue($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
        var raw = in6_addr()
        guard isPlain, inet_pton(AF_INET6, String(decoding: inner, as: UTF8.self), &raw) == 1 else {
            throw invalid("The URL's host stands in brackets but is not an IPv6 address.")
        }
        let address = withUnsafeBytes(of: raw) { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
        let host = Host.ipv6(address)
        return Reading(host: host, isNormal: host.description.utf8.elementsEqual(bytes))
    }

    /// Whether a last label makes readers take the host for an IPv4 number (WHATWG URL, "ends in a number").
    private static func isNumeric(_ label: Bytes) -> Bool {
        let label = label.last == UInt8(ascii: ".") ? label.dropLast() : label
        if label.allSatisfy(ASCII.isDigit) { return true }
        let start = label.startIndex
        guard label.count >= 2, label[start] == UInt8(ascii: "0"), label[start + 1] | 0x20 == UInt8(ascii: "x") else {
            return false
        }
        return label.dropFirst(2).allSatisfy { ASCII.hexValue($0) != nil }
    }

    /// Four decimal parts of 0...255 without leading zeros, nothing else.
    private static func canonicalIPv4(_ bytes: Bytes) -> UInt32? {
        var address: UInt32 = 0
        var parts = 0
        var part: UInt32 = 0
        var digits = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, parts < 3 else { return nil }
                address = address << 8 | part
                parts += 1
                part = 0
                digits = 0
            } else {
                guard ASCII.isDigit(byte), digits == 0 || part > 0 else { return nil }
                part = part * 10 + UInt32(byte - UInt8(ascii: "0"))
                digits += 1
                guard part <= 255 else { return nil }
            }
        }
        guard parts == 3, digits > 0 else { return nil }
        return address << 8 | part
    }

    private static func invalid(_ message: String) -> MartletError { MartletError(.invalidURL, message) }
}
