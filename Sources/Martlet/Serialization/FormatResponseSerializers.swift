// Property lists and URL-encoded forms into the caller's types.

public import Foundation

/// Decodes property lists, in any of their formats.
public struct PropertyListResponseSerializer<Value: Decodable>: ResponseSerializer {
    private let empty: EmptyBodyRule

    /// Makes a serializer; empty bodies are taken after HEAD and with 204 and 205 unless told otherwise, for types that have a value for
    /// them.
    public init(empty: EmptyBodyRule = .standard) { self.empty = empty }

    /// `application/x-plist`
    public var accept: String { "application/x-plist" }

    /// The value. Throws `decodingFailed` with the decoder's error, and `emptyBody`.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Value {
        if response.body.isEmpty { return try empty.value(as: Value.self, response.status, to: context.method) }
        do {
            return try PropertyListDecoder().decode(Value.self, from: response.body)
        } catch {
            throw JSONBody.failure(Value.self, error, [:])
        }
    }
}

/// Decodes URL-encoded forms.
public struct FormResponseSerializer<Value: Decodable>: ResponseSerializer {
    private let decoder: URLEncodedFormDecoder
    private let empty: EmptyBodyRule

    /// Makes a serializer; with a decoder of default settings, and empty bodies after HEAD and with 204 and 205 for types that have a
    /// value for them, unless told otherwise.
    public init(decoder: URLEncodedFormDecoder = URLEncodedFormDecoder(), empty: EmptyBodyRule = .standard) {
        self.decoder = decoder
        self.empty = empty
    }

    /// `application/x-www-form-urlencoded`
    public var accept: String { "application/x-www-form-urlencoded" }

    /// The value. Throws `decodingFailed` with the decoder's error, and `emptyBody`.
    public func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Value {
        if response.body.isEmpty { return try empty.value(as: Value.self, response.status, to: context.method) }
        do {
            return try decoder.decode(Value.self, from: response.body)
        } catch {
            throw JSONBody.failure(Value.self, error, [:])
        }
    }
}
