// The vocabulary behind the leading dot.

public import Foundation

extension ResponseSerializer {
    /// JSON into a type; by the client's `jsonDecoder` unless another is given.
    public static func json<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, decoder: JSONDecoder? = nil, empty: EmptyBodyRule = .standard
    ) -> Self where Self == JSONResponseSerializer<Decoded> {
        JSONResponseSerializer(decoder: decoder, empty: empty)
    }

    /// A property list into a type.
    public static func propertyList<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, empty: EmptyBodyRule = .standard
    ) -> Self where Self == PropertyListResponseSerializer<Decoded> {
        PropertyListResponseSerializer(empty: empty)
    }

    /// A URL-encoded form into a type.
    public static func form<Decoded: Decodable>(
        _ type: Decoded.Type = Decoded.self, decoder: URLEncodedFormDecoder = URLEncodedFormDecoder(),
        empty: EmptyBodyRule = .standard
    ) -> Self where Self == FormResponseSerializer<Decoded> {
        FormResponseSerializer(decoder: decoder, empty: empty)
    }

    /// What another serializer makes; nil for an empty body, whatever the status.
    public static func optional<Base>(_ base: Base) -> Self where Self == OptionalResponseSerializer<Base> {
        OptionalResponseSerializer(base)
    }

    /// What the first of two makes that does not fail.
    public static func first<One, Other>(_ one: One, _ other: Other) -> Self
    where Self == FirstResponseSerializer<One, Other> {
        FirstResponseSerializer(one, other)
    }

    /// What the first of three makes that does not fail.
    public static func first<One, Other, Third>(_ one: One, _ other: Other, _ third: Third) -> Self
    where Self == FirstResponseSerializer<FirstResponseSerializer<One, Other>, Third> {
        FirstResponseSerializer(FirstResponseSerializer(one, other), third)
    }
}

extension ResponseSerializer where Self == JSONValueResponseSerializer {
    /// JSON without a type.
    public static var jsonValue: JSONValueResponseSerializer { JSONValueResponseSerializer() }

    /// JSON without a type, with a rule of your own for empty bodies.
    public static func jsonValue(empty: EmptyBodyRule) -> JSONValueResponseSerializer {
        JSONValueResponseSerializer(empty: empty)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Text, in the charset that the response names or its byte-order mark tells, else UTF-8.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Text in an encoding: whatever the response says, or only when it says nothing (`default`).
    public static func string(
        encoding: String.Encoding? = nil, default fallback: String.Encoding = .utf8
    ) -> StringResponseSerializer {
        StringResponseSerializer(encoding: encoding, default: fallback)
    }
}

extension ResponseSerializer where Self == XMLResponseSerializer {
    /// The root of an XML document.
    public static var xml: XMLResponseSerializer { XMLResponseSerializer() }
}

extension ResponseSerializer where Self == DataResponseSerializer {
    /// The bytes.
    public static var data: DataResponseSerializer { DataResponseSerializer() }
}

extension ResponseSerializer where Self == DiscardingResponseSerializer {
    /// Nothing; the body is taken off the wire however long it is.
    public static var discard: DiscardingResponseSerializer { DiscardingResponseSerializer() }
}

extension ResponseSerializer {
    /// A serializer that gives what `transform` makes of this one's value.
    public func map<New>(_ transform: @escaping @Sendable (Value) -> New) -> MapResponseSerializer<Self, New> {
        MapResponseSerializer(self, transform)
    }

    /// A serializer that gives what `transform` makes of this one's value; what it throws is the cause of the call's `decodingFailed`.
    public func tryMap<New>(
        _ transform: @escaping @Sendable (Value) throws -> New
    ) -> MapResponseSerializer<Self, New> {
        MapResponseSerializer(self, transform)
    }

    /// A serializer whose bodies are changed before it gets them.
    public func preprocessed(by preprocessor: BodyPreprocessor) -> PreprocessedResponseSerializer<Self> {
        PreprocessedResponseSerializer(self, by: preprocessor)
    }

    /// A serializer that tries another where this one fails.
    public func or<Other: ResponseSerializer>(_ other: Other) -> FirstResponseSerializer<Self, Other>
    where Other.Value == Value {
        FirstResponseSerializer(self, other)
    }
}
