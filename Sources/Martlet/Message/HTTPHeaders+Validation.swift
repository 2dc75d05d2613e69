// What may not go on the wire (RFC 9110, section 5.5): checked before any byte is sent, on every hop. Illegal bytes are refused,
// never replaced. No message quotes a value, for it may be a secret.

extension HTTPHeaders {
    /// Throws `invalidRequest` when a name is no token, or a value holds a control character other than the tab.
    package func validate() throws(MartletError) {
        for index in records.indices { try validateField(at: index) }
    }

    /// Throws `invalidRequest` when the field at `index` must not be sent.
    package func validateField(at index: Int) throws(MartletError) {
        let record = records[index]
        let name = bytes.span.extracting(record.name)
        if name.isEmpty {
            throw MartletError(.invalidRequest, "Header field \(index + 1) has an empty name; give it one.")
        }
        if let byte = HTTPSyntax.firstNonTokenByte(name) {
            throw MartletError(
                .invalidRequest,
                "The name of header field \(index + 1) holds the byte \(Self.hex(byte)), which no field name may hold.")
        }
        if let byte = HTTPSyntax.firstNonValueByte(bytes.span.extracting(record.value)) {
            throw MartletError(
                .invalidRequest,
                "The value of header \(text(record.name)) holds the byte \(Self.hex(byte)); control characters may not be sent."
            )
        }
    }

    /// A byte as an error shows it: `0x0D`.
    static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0x0\(digits)" : "0x\(digits)"
    }
}

extension HTTPHeaders {
    /// Whether a field must not come after the body (RFC 9110, section 6.5.1): it frames, routes, authenticates, or says how to
    /// read the content, which are decisions made long before.
    package static func isForbiddenInTrailers(_ name: Span<UInt8>) -> Bool {
        name.withUnsafeBufferPointer { forbiddenTrailers.contains(String(decoding: $0, as: UTF8.self).lowercased()) }
    }

    private static let forbiddenTrailers: Set<String> = [
        "transfer-encoding", "content-length", "connection", "proxy-connection", "keep-alive", "upgrade", "te",
        "trailer",
        "host", "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "cookie",
        "set-cookie",
        "content-encoding", "content-type", "content-range", "content-location", "content-disposition", "location",
        "cache-control", "expires", "age", "date", "vary", "pragma", "retry-after", "expect", "max-forwards", "range",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range",
    ]
}

extension HTTPHeaders {
    /// The fields of a request that are not simply copied: they frame it, are the connection's, or are split by HTTP/2.
    static let specialInRequests: Set<String> = [
        "te", "host", "expect", "upgrade", "connection", "keep-alive", "content-length", "proxy-connection",
        "transfer-encoding", "http2-settings", "cookie",
    ]

    /// The fields that may go along when a response leads to another origin: they say what is understood, and hold no secret.
    static let harmlessElsewhere = ["Accept", "Accept-Language", "Accept-Encoding", "User-Agent"]
}
