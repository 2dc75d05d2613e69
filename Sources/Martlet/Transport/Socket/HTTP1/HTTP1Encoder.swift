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
    /// A valid `Host` among `headers` takes the place of the URL's. Throws `invalidRequest` for illegal bytes, a framing
    /// field that is not the caller's to set, and a head above 64 KiB.
    static func head(
        method: HTTPMethod, url: RequestURL, headers: HTTPHeaders, framing: Framing, expectContinue: Bool
    ) throws(MartletError) -> [UInt8] {
        try url.withTargetAndHost { (target, host) throws(MartletError) in
            try head(
                method: method, target: target, host: host, headers: headers, framing: framing,
                expectContinue: expectContinue)
        }
    }

    /// The same with target and host as they go on the wire.
    static func head(
        method: HTTPMethod, target: UnsafeBufferPointer<UInt8>, host: UnsafeBufferPointer<UInt8>,
        headers: HTTPHeaders, framing: Framing, expectContinue: Bool
    ) throws(MartletError) -> [UInt8] {
        try check(method, framing)
        try check(target: target)
        let known = try KnownFields(headers, framing, expectContinue)
        let ownHost: String? = known.host.map { headers[$0].value }
        if let ownHost { try check(host: ownHost.utf8) } else { try check(host: host) }
        let hostLength = ownHost?.utf8.count ?? host.count
        let most =
            method.rawValue.utf8.count + target.count + hostLength + headers.bytes.count + 4 * headers.count + 128
        let bytes = HeadWriter.bytes(atMost: most) { writer in
            writer.write(text: method.rawValue)
            writer.write(" ")
            writer.write(target)
            writer.write(" HTTP/1.1\r\nHost: ")
            if let ownHost { writer.write(text: ownHost) } else { writer.write(host) }
            writer.write("\r\n")
            writer.write(headers) { !known.isDropped($0) }
            if known.hasTE { writer.write("Connection: TE\r\n") }
            writer.write(framing, method)
            if expectContinue { writer.write("Expect: 100-continue\r\n") }
            writer.write("\r\n")
        }
        guard let bytes, bytes.count <= headLimit else { throw headTooLong }
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
        let most = trailers.bytes.count + 4 * trailers.count + 8
        let bytes = HeadWriter.bytes(atMost: most) { writer in
            writer.write("0\r\n")
            writer.write(trailers) { _ in true }
            writer.write("\r\n")
        }
        guard let bytes, bytes.count <= headLimit else {
            throw MartletError(.invalidRequest, "The trailers of the request must not exceed \(headLimit) bytes.")
        }
        return bytes
    }
}
