// Compressing request bodies. Off by default: a server says nowhere beforehand that it takes them. Bytes in memory are
// compressed at once, so that their length is known and a signature can cover them; what is streamed is compressed on its way
// and sent in the chunked coding. Either way each attempt sends the same bytes.

/// How a request body is compressed.
///
/// ```swift
/// try await client.post("/logs", file: path).compressed().discard()
/// try await client.post("/logs", json: entries).compressed(.deflate).discard()
/// ```
public struct RequestCompression: Sendable, Hashable {
    /// What is done when the request has a `Content-Encoding` already.
    public enum ExistingCoding: Sendable, Hashable {
        /// The body counts as coded, and is sent as it is.
        case skip
        /// The call ends with `invalidRequest`.
        case refuse
        /// The field is taken to be wrong: the body is compressed, and the field says how.
        case replace
    }

    /// The coding; `.gzip` or `.deflate`, another ends the call with `unsupported`.
    public var coding: ContentCoding

    /// From 1, fast, to 9, small; 5 by default. Values outside are taken as the nearest.
    public var level: Int

    /// Bodies of fewer bytes are sent as they are, where the length is known beforehand; 1,024 by default.
    ///
    /// Bytes in memory that would not become fewer are sent as they are too.
    public var minimumBytes: Int

    /// What is done when the request has a `Content-Encoding` already; `.skip` by default.
    public var existingCoding: ExistingCoding

    /// Makes a way to compress; level 5, bodies of 1,024 bytes and more, those without a coding by default.
    public init(
        _ coding: ContentCoding, level: Int = 5, minimumBytes: Int = 1_024, existingCoding: ExistingCoding = .skip
    ) {
        self.coding = coding
        self.level = level
        self.minimumBytes = minimumBytes
        self.existingCoding = existingCoding
    }

    /// gzip, with the defaults of the rest.
    public static let gzip = RequestCompression(.gzip)
    /// deflate in zlib's format, with the defaults of the rest.
    public static let deflate = RequestCompression(.deflate)
}

extension RequestCompression {
    /// Compresses the body of a request that is about to be sent, and says so in its header fields.
    ///
    /// - Throws: `unsupported`, and `invalidRequest` for a `Content-Encoding` that is refused.
    func apply(to body: inout RequestBody, _ headers: inout HTTPHeaders) throws(MartletError) {
        guard !body.isEmpty, body.length != 0, body.length ?? .max >= minimumBytes else { return }
        if headers.contains("Content-Encoding") {
            switch existingCoding {
            case .skip: return
            case .refuse:
                throw MartletError(
                    .invalidRequest, "The request is to be compressed, but has a Content-Encoding already.")
            case .replace: headers.remove("Content-Encoding")
            }
        }
        guard let compressed = try body.compressed(self) else { return }
        body = compressed
        headers["Content-Encoding"] = coding.name
    }
}
