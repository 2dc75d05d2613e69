// The header section of what most requests are: a GET with the fields that its client sets on every call. They are put into
// HTTP/2's form once, and the next requests with the same fields point at them.

#if SocketTransport && os(Linux)
import CNGHTTP2

/// The fields of GET requests that have nothing special among them. Used on the loop's thread only.
final class HTTP2PlainFields {
    /// What the fields in `names` and `values` were made of, kept so that its memory is not another's.
    private var headers = HTTPHeaders()
    /// The names in small letters, with the values behind them.
    private var bytes: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 0)
    private var pairs: UnsafeMutableBufferPointer<nghttp2_nv> = .allocate(capacity: 4)

    deinit {
        bytes.deallocate()
        pairs.deallocate()
    }

    /// Calls `body` with the fields of a GET of `url` in nghttp2's form. `headers` is plain.
    func withPairs(
        get url: RequestURL, _ headers: HTTPHeaders, _ body: (UnsafeMutablePointer<nghttp2_nv>?, Int) -> Int32
    ) -> Int32 {
        if !headers.isSameMemory(as: self.headers) { take(headers) }
        set(0, ":method", "GET")
        switch url.origin.scheme {
        case .http: set(1, ":scheme", "http")
        case .https: set(1, ":scheme", "https")
        }
        // It throws what its closure throws: nothing.
        let id = try? url.withTargetAndHost { target, host in
            set(2, ":authority", host)
            set(3, ":path", target)
            return body(pairs.baseAddress, pairs.count)
        }
        return id ?? 0
    }

    private func set(_ index: Int, _ name: StaticString, _ value: StaticString) {
        set(index, name, UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }

    private func set(_ index: Int, _ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) {
        pairs[index] = nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: UnsafeMutablePointer(mutating: value.baseAddress),
            namelen: name.utf8CodeUnitCount, valuelen: value.count, flags: 0)
    }

    private func take(_ headers: HTTPHeaders) {
        self.headers = headers
        bytes.deallocate()
        pairs.deallocate()
        bytes = .allocate(capacity: headers.bytes.count)
        _ = bytes.initialize(fromContentsOf: headers.bytes)
        pairs = .allocate(capacity: 4 + headers.records.count)
        pairs.initialize(repeating: nghttp2_nv())
        for (index, record) in headers.records.enumerated() {
            for place in record.name { bytes[place] = HTTPSyntax.lowercased(bytes[place]) }
            let base = bytes.baseAddress
            pairs[4 + index] = nghttp2_nv(
                name: base.map { $0 + record.nameStart }, value: base.map { $0 + record.valueStart },
                namelen: record.nameLength, valuelen: record.valueLength, flags: 0)
        }
    }
}

extension HTTPHeaders {
    /// Whether both are copies of one value, which is found without looking at the fields.
    fileprivate func isSameMemory(as other: HTTPHeaders) -> Bool {
        records.count == other.records.count
            && bytes.withUnsafeBufferPointer { mine in
                other.bytes.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
            }
            && records.withUnsafeBufferPointer { mine in
                other.records.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
            }
    }
}
#endif
