// The header section of a request as HTTP/2 sends it (RFC 9113, section 8.3): pseudo-header fields first, names in lower
// case, no Host, cookies in crumbs (section 8.2.3). What a caller may not set was refused before, with HTTP/1.1's rules.

#if SocketTransport && os(Linux)
import CNGHTTP2
import Foundation

/// Names and values in one buffer, which a session uses again for each request.
struct HTTP2Fields {
    private struct Record {
        let name: Range<Int>
        let value: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var records: [Record] = []

    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ name: StaticString, _ value: String) {
        append(name) { $0.append(contentsOf: value.utf8) }
    }

    private mutating func append(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        let middle = bytes.count
        write(&bytes)
        records.append(Record(name: start..<middle, value: middle..<bytes.count))
    }

    /// Takes the fields of a request.
    mutating func set(_ request: Request, _ body: OpenedBody, expectsContinue: Bool) {
        begin()
        append(":method", request.method.rawValue)
        append(":scheme", request.url.origin.scheme.rawValue)
        let ownHost = request.headers.firstIndex(ofLowercasedASCII: "host")
        // It throws what its closure throws: nothing.
        try? request.url.withTargetAndHost { target, host in
            append(":authority") {
                if let ownHost {
                    $0.append(contentsOf: request.headers[ownHost].value.utf8)
                } else {
                    $0.append(contentsOf: host)
                }
            }
            append(":path") { $0.append(contentsOf: target) }
        }
        append(request.headers)
        if case .empty = body.content {
            // RFC 9110, section 8.6: a method that expects content says that there is none.
            if [.post, .put, .patch, .query].contains(request.method) { append("content-length", "0") }
        } else if let length = body.length {
            append("content-length", String(length))
        }
        if expectsContinue { append("expect", "100-continue") }
    }

    /// Takes trailer fields.
    mutating func set(trailers: HTTPHeaders) {
        begin()
        append(trailers)
    }

    private mutating func append(_ headers: HTTPHeaders) {
        for index in headers.indices {
            headers.withFieldBytes(at: index) { name, value in
                if Self.isWrittenByUs(name) { return }
                if Self.equal(name, "cookie") { return appendCrumbs(value) }
                let start = bytes.count
                for byte in name { bytes.append(HTTPSyntax.lowercased(byte)) }
                let middle = bytes.count
                bytes.append(contentsOf: value)
                records.append(Record(name: start..<middle, value: middle..<bytes.count))
            }
        }
    }

    private mutating func appendCrumbs(_ value: UnsafeRawBufferPointer) {
        var start = 0
        while start < value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
            if end > start {
                append("cookie") { $0.append(contentsOf: UnsafeRawBufferPointer(rebasing: value[start..<end])) }
            }
            start = end + 1
            while start < value.count, value[start] == 0x20 { start += 1 }
        }
    }

    private static func isWrittenByUs(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: equal(name, "host")
        case 6: equal(name, "expect")
        case 14: equal(name, "content-length")
        default: false
        }
    }

    private static func equal(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
        HTTP1Parser.equal(bytes.bindMemory(to: UInt8.self).span, name)
    }

    /// Calls `body` with the fields in nghttp2's form.
    mutating func withPairs<Result>(_ body: (UnsafeMutablePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        bytes.withUnsafeMutableBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: max(1, records.count)) { pairs in
                for (index, record) in records.enumerated() {
                    let base = bytes.baseAddress
                    pairs.initializeElement(
                        at: index,
                        to: nghttp2_nv(
                            name: base.map { $0 + record.name.lowerBound },
                            value: base.map { $0 + record.value.lowerBound },
                            namelen: record.name.count, valuelen: record.value.count, flags: 0))
                }
                return body(pairs.baseAddress, records.count)
            }
        }
    }
}
#endif
