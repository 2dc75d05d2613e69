// The body as it is, as text, or not at all. An empty body is an empty value here, whatever the status.

public import Foundation

/// Gives the bytes of bodies.
public struct DataResponseSerializer: ResponseSerializer {
    /// Makes a serializer.
    public init() {}

    /// The bytes.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) -> Data { response.body }
}

/// Takes bodies off the wire and gives nothing.
public struct DiscardingResponseSerializer: ResponseSerializer {
    /// Makes a serializer.
    public init() {}

    /// False: the body may be of any length.
    public var usesBody: Bool { false }

    /// Nothing.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) {}
}

/// Reads bodies as text.
public struct StringResponseSerializer: ResponseSerializer {
    private let encoding: String.Encoding?
    private let fallback: String.Encoding

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - encoding: what the text is in, whatever the response says; nil, the default, goes by the charset of its Content-Type, then by
    ///     its byte-order mark.
    ///   - fallback: what it is in when nothing says it; UTF-8 by default.
    public init(encoding: String.Encoding? = nil, default fallback: String.Encoding = .utf8) {
        self.encoding = encoding
        self.fallback = fallback
    }

    /// The text, a byte-order mark left out. Throws `decodingFailed` on bytes that the encoding does not have.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> String {
        try TextEncoding.decode(
            response.body, as: encoding.map(TextEncoding.of), contentType: response.headers.contentType,
            default: TextEncoding.of(fallback))
    }
}
