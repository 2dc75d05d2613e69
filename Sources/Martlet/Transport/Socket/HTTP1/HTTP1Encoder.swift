// Requests of HTTP/1.1 as bytes (RFC 9112, sections 3, 6 and 7). What frames the message is Martlet's alone: a caller's field that
// would frame it otherwise is refused, as is every byte that could end a line early. A head is at most 64 KiB.

/// Writes request heads and chunks.
enum HTTP1Encoder {
    /// How the end of the body is told.
    enum Framing: Sendable, Equatable {
        /// There is no body.
        case none
        /// The body has this many bytes.
        case length(Int)
        /// The body is sent in chunks.
        case chunked
    }

    /// The longest head that is sent, in bytes.
    static let headLimit = 65_536

    /// What follows the data of a chunk.
    static let chunkEnd: [UInt8] = [0x0D, 0x0A]

    /// The end of a chunked body without trailers.
    static let lastChunk: [UInt8] = Array("0\r\n\r\n".utf8)

    /// The request line, `Host`, the caller's fields in their order, and the framing.
    ///
    /// `target` and `host` are as they go on the wire; a valid `Host` among `headers` takes the place of `host`. Throws
    /// `invalidRequest` for illegal bytes, a framing field that is not the caller's to set, and a head above 64 KiB.
    static func head(
        method: HTTPMethod, target: String, host: String, headers: HTTPHeaders, framing: Framing, expectContinue: Bool
    ) throws(MartletError) -> [UInt8] {
        try check(method, framing)
        try check(target: target)
        let known = try KnownFields(headers, framing, expectContinue)
        let host = known.host.map { headers[$0].value } ?? host
        try check(host: host)

        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            method.rawValue.utf8.count + target.utf8.count + host.utf8.count + headers.bytes.count
                + 4 * headers.count + 128)
        bytes.append(contentsOf: method.rawValue.utf8)
        bytes.append(0x20)
        bytes.append(contentsOf: target.utf8)
        append(" HTTP/1.1\r\nHost: ", to: &bytes)
        bytes.append(contentsOf: host.utf8)
        bytes.append(contentsOf: chunkEnd)
        append(headers, to: &bytes) { !known.isDropped($0) }
        if known.hasTE { append("Connection: TE\r\n", to: &bytes) }
        append(framing, method, to: &bytes)
        if expectContinue { append("Expect: 100-continue\r\n", to: &bytes) }
        bytes.append(contentsOf: chunkEnd)
        guard bytes.count <= headLimit else {
            throw MartletError(
                .invalidRequest,
                "The request head has \(bytes.count) bytes and must not exceed \(headLimit); send less in the URL or the headers."
            )
        }
        return bytes
    }

    /// What precedes the data of a chunk of `length` bytes, which must not be 0: that would end the body.
    static func chunkHead(length: Int) -> [UInt8] {
        var bytes = Array(String(length, radix: 16).utf8)
        bytes.append(contentsOf: chunkEnd)
        return bytes
    }

    /// The end of a chunked body with trailers; throws `invalidRequest` for fields that must not come so late.
    static func lastChunk(trailers: HTTPHeaders) throws(MartletError) -> [UInt8] {
        try trailers.validate()
        for (index, record) in trailers.records.enumerated()
        where HTTPHeaders.isForbiddenInTrailers(trailers.bytes.span.extracting(record.name)) {
            throw MartletError(.invalidRequest, "\(trailers[index].name) may not be sent as a trailer field.")
        }
        var bytes = Array("0\r\n".utf8)
        append(trailers, to: &bytes) { _ in true }
        bytes.append(contentsOf: chunkEnd)
        guard bytes.count <= headLimit else {
            throw MartletError(.invalidRequest, "The trailers of the request must not exceed \(headLimit) bytes.")
        }
        return bytes
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func append(
        _ headers: HTTPHeaders, to bytes: inout [UInt8], where isIncluded: (_ index: Int) -> Bool
    ) {
        headers.bytes.withUnsafeBufferPointer { all in
            for (index, record) in headers.records.enumerated() where isIncluded(index) {
                if record.valueStart - record.name.upperBound == 2 {
                    let field = record.nameStart..<record.value.upperBound
                    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: all[field]))
                } else {
                    bytes.append(contentsOf: all[record.name])
                    append(": ", to: &bytes)
                    bytes.append(contentsOf: all[record.value])
                }
                append("\r\n", to: &bytes)
            }
        }
    }

    private static func append(_ framing: Framing, _ method: HTTPMethod, to bytes: inout [UInt8]) {
        switch framing {
        case .none:
            // RFC 9110, section 8.6: a method that expects content says that there is none.
            if [.post, .put, .patch, .query].contains(method) { append("Content-Length: 0\r\n", to: &bytes) }
        case .length(let length):
            append("Content-Length: ", to: &bytes)
            bytes.append(contentsOf: String(length).utf8)
            bytes.append(contentsOf: chunkEnd)
        case .chunked:
            append("Transfer-Encoding: chunked\r\n", to: &bytes)
        }
    }
}
