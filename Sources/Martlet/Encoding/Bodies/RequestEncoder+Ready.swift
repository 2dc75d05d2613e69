// The ready encoders: JSON, URL-encoded form, property list.

public import Foundation

/// Encodes values as JSON (RFC 8259): `application/json`.
public struct JSONRequestEncoder: RequestEncoder {
    private let encoder: JSONEncoder?

    /// Makes an encoder; with nil, the default, the client's `jsonEncoder` is used.
    public init(_ encoder: JSONEncoder? = nil) { self.encoder = encoder }

    /// The value as a JSON body.
    public func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart {
        .body(try .json(value, encoder: encoder ?? context.jsonEncoder()))
    }
}

/// Encodes values as URL-encoded text, into the body or the query.
public struct FormRequestEncoder: RequestEncoder {
    private let encoder: URLEncodedFormEncoder?
    private let destination: FormDestination

    /// Makes an encoder; with nil, the default, the client's `formEncoder` is used.
    public init(_ encoder: URLEncodedFormEncoder? = nil, in destination: FormDestination = .body) {
        self.encoder = encoder
        self.destination = destination
    }

    /// The value as a form body or a query.
    public func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart {
        let encoder = encoder ?? context.formEncoder
        if destination.isQuery(for: context.method) { return .query(try encoder.encodeString(value)) }
        return .body(try .form(value, encoder: encoder))
    }
}

/// Encodes values as a property list: `application/x-plist`.
public struct PropertyListRequestEncoder: RequestEncoder {
    private let format: PropertyListSerialization.PropertyListFormat

    /// Makes an encoder; XML by default.
    public init(_ format: PropertyListSerialization.PropertyListFormat = .xml) { self.format = format }

    /// The value as a property-list body.
    public func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart {
        .body(try .propertyList(value, format: format))
    }
}

extension RequestEncoder where Self == JSONRequestEncoder {
    /// JSON, by the client's `jsonEncoder`.
    public static var json: JSONRequestEncoder { JSONRequestEncoder() }

    /// JSON, by an encoder of your own.
    public static func json(_ encoder: JSONEncoder) -> JSONRequestEncoder { JSONRequestEncoder(encoder) }
}

extension RequestEncoder where Self == FormRequestEncoder {
    /// A URL-encoded form in the body, by the client's `formEncoder`.
    public static var form: FormRequestEncoder { FormRequestEncoder() }

    /// A URL-encoded form in the query, by the client's `formEncoder`.
    public static var query: FormRequestEncoder { FormRequestEncoder(in: .query) }

    /// A URL-encoded form, by an encoder of your own unless it is nil.
    public static func form(
        _ encoder: URLEncodedFormEncoder? = nil, in destination: FormDestination
    ) -> FormRequestEncoder {
        FormRequestEncoder(encoder, in: destination)
    }

    /// A URL-encoded form in the body, by an encoder of your own.
    public static func form(_ encoder: URLEncodedFormEncoder) -> FormRequestEncoder { FormRequestEncoder(encoder) }
}

extension RequestEncoder where Self == PropertyListRequestEncoder {
    /// A property list as XML.
    public static var propertyList: PropertyListRequestEncoder { PropertyListRequestEncoder() }

    /// A property list in a format.
    public static func propertyList(
        _ format: PropertyListSerialization.PropertyListFormat
    ) -> PropertyListRequestEncoder { PropertyListRequestEncoder(format) }
}
