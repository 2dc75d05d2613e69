// JSON bodies (RFC 8259), into the caller's types and into `JSONValue`. White space alone counts as an empty body: some servers write
// a line end where they have nothing to say.

public import Foundation

/// Decodes JSON bodies.
public struct JSONResponseSerializer<Value: Decodable> {
    private let decoder: JSONDecoder?
    private let empty: EmptyBodyRule

    /// Makes a serializer; with nil for the decoder, the default, the client's `jsonDecoder` is used. Empty bodies are taken after HEAD
    /// and with 204 and 205 unless told otherwise, for types that have a value for them.
    public init(decoder: JSONDecoder? = nil, empty: EmptyBodyRule = .standard) {
        self.decoder = decoder
        self.empty = empty
    }
}

extension JSONResponseSerializer: ResponseSerializer {
    /// `application/json`
    public var accept: String { JSONBody.mediaType }

    /// The value. Throws `decodingFailed` with the place in the document, and `emptyBody`.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Value {
        try JSONBody.decode(Value.self, response, empty: empty, method: context.method) {
            decoder ?? context.jsonDecoder()
        }
    }
}

/// Reads JSON bodies without a type.
public struct JSONValueResponseSerializer: ResponseSerializer {
    private let empty: EmptyBodyRule

    /// Makes a serializer; an empty body is `null` after HEAD and with 204 and 205 unless told otherwise.
    public init(empty: EmptyBodyRule = .standard) { self.empty = empty }

    /// `application/json`
    public var accept: String { JSONBody.mediaType }

    /// The value. Throws `decodingFailed` when the body is not JSON, and `emptyBody`.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> JSONValue {
        try JSONBody.value(response, empty: empty, method: context.method)
    }
}

/// The one way from a JSON body to a value. Apart from the serializer, since a type whose conformance belongs to the main actor can be
/// decoded but makes no `Sendable` serializer.
enum JSONBody {
    static let mediaType = "application/json"

    @inline(__always)
    static func decode<Value: Decodable>(
        _ type: Value.Type, _ response: Response<Data>, empty: @autoclosure () -> EmptyBodyRule, method: HTTPMethod,
        by decoder: () -> JSONDecoder
    ) throws(MartletError) -> Value {
        if isBlank(response.body) { return try empty().value(as: type, response.status, to: method) }
        do {
            return try decoder().decode(type, from: response.body)
        } catch {
            throw failure(type, error, response.headers)
        }
    }

    static func value(
        _ response: Response<Data>, empty: @autoclosure () -> EmptyBodyRule, method: HTTPMethod
    ) throws(MartletError) -> JSONValue {
        if isBlank(response.body) { return try empty().value(as: JSONValue.self, response.status, to: method) }
        return try JSONValue(parsing: response.body)
    }

    /// Whether there is nothing but the white space of JSON.
    static func isBlank(_ body: Data) -> Bool {
        body.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    static func failure(_ type: Any.Type, _ error: any Error, _ headers: HTTPHeaders) -> MartletError {
        var message = "The response body could not be decoded as \(type)"
        if let place = (error as? DecodingError).flatMap(place) { message += " (at \(place))" }
        if let mediaType = headers.mediaType, !mediaType.matches(self.mediaType) {
            message += "; its Content-Type is \(mediaType.essence)"
        }
        return MartletError(.decodingFailed, message + ".", underlying: error)
    }

    /// Where in the document the error is: `address.lines.[2]`.
    static func place(_ error: DecodingError) -> String? {
        let context =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
            }
        var path = context.codingPath
        if case .keyNotFound(let key, _) = error { path.append(key) }
        guard !path.isEmpty else { return nil }
        return path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }
}
