// Bodies made of values. Each names its own media type, which is sent unless the request has one.

public import Foundation

extension RequestBody {
    /// A value as JSON, `application/json`; no body at all when the value is an optional that is nil.
    ///
    /// - Throws: `encodingFailed` with the encoder's error.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws(MartletError)
        -> RequestBody
    {
        if isNil(value) { return .empty }
        return .data(try encoding(value, "JSON") { try encoder.encode(value) }, contentType: "application/json")
    }

    /// A value as a URL-encoded form, `application/x-www-form-urlencoded; charset=utf-8`; no body at all when the value is an
    /// optional that is nil.
    ///
    /// - Throws: `encodingFailed` with the encoder's error.
    public static func form(
        _ value: some Encodable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) throws(MartletError) -> RequestBody {
        if isNil(value) { return .empty }
        return .data(
            try encoding(value, "a form") { try encoder.encode(value) },
            contentType: "application/x-www-form-urlencoded; charset=utf-8")
    }

    /// A value as a property list, `application/x-plist`; no body at all when the value is an optional that is nil.
    ///
    /// - Throws: `encodingFailed` with the encoder's error.
    public static func propertyList(
        _ value: some Encodable, format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws(MartletError) -> RequestBody {
        if isNil(value) { return .empty }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return .data(
            try encoding(value, "a property list") { try encoder.encode(value) }, contentType: "application/x-plist")
    }

    /// Text in UTF-8, `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> RequestBody {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// Text in a charset, which is named behind the media type.
    ///
    /// - Throws: `encodingFailed` for a charset that is not known, and for text that it has no bytes for: nothing is replaced.
    public static func text(
        _ text: String, charset: String, contentType: String = "text/plain"
    ) throws(MartletError) -> RequestBody {
        guard let encoding = TextEncoding.named(charset) else {
            throw MartletError(
                .encodingFailed, "The charset \(charset) is not known; encode the text and send it as data.")
        }
        guard let data = text.data(using: encoding.encoding, allowLossyConversion: false) else {
            throw MartletError(.encodingFailed, "The text has characters that \(encoding.name) has no bytes for.")
        }
        return .data(data, contentType: "\(contentType); charset=\(encoding.name)")
    }

    private static func encoding(
        _ value: some Encodable, _ format: String, _ encode: () throws -> Data
    ) throws(MartletError) -> Data {
        do {
            return try encode()
        } catch {
            throw failure(value, format, error)
        }
    }

    static func failure(_ value: some Encodable, _ format: String, _ error: any Error) -> MartletError {
        (error as? MartletError)
            ?? MartletError(
                .encodingFailed, "The value of type \(type(of: value)) could not be encoded as \(format).",
                underlying: error)
    }

    static func isNil(_ value: some Encodable) -> Bool { (value as? any NilTelling)?.isNil ?? false }
}

/// Tells an optional that is nil from a value, without its type.
private protocol NilTelling {
    var isNil: Bool { get }
}

extension Optional: NilTelling {
    fileprivate var isNil: Bool {
        switch self {
        case nil: true
        case let value?: (value as? any NilTelling)?.isNil ?? false
        }
    }
}

extension RequestBody {
    /// The names and values of a form, neither escaped.
    static func fields(
        of value: some Encodable, encoder: URLEncodedFormEncoder
    ) throws(MartletError) -> [(name: String, value: String)] {
        do {
            let text = try encoder.encodeString(value)
            return try FormText.items(of: text).map {
                (try FormText.decode($0.name), try $0.value.map(FormText.decode) ?? "")
            }
        } catch {
            throw failure(value, "the fields of a form", error)
        }
    }

    /// All of the body, opened for one attempt.
    ///
    /// - Throws: what sending it would throw, and `bodyTooLarge` above the limit.
    nonisolated(nonsending) func collect(upTo limit: Int) async throws -> Data {
        let bytes = Lock(Data())
        switch try await open().content {
        case .empty: return Data()
        case .data(let data): return data
        case .feed(let feed):
            try await feed { chunk in
                let count = bytes.withLock {
                    $0.append(chunk)
                    return $0.count
                }
                guard count <= limit else {
                    throw MartletError(.bodyTooLarge, "The request body exceeds the limit of \(limit) bytes.")
                }
            }
        }
        return bytes.withLock { $0 }
    }
}
