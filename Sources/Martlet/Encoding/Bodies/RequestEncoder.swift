// How a value becomes part of a request. The ready encoders are found behind a leading dot: `body(draft, as: .json)`.

public import Foundation
/// Encodes values into requests.
///
/// ```swift
/// let made: User = try await client.post("/users", body: draft, as: .json).json()
/// try await client.put("/settings", body: settings, as: .propertyList).discard()
/// ```
///
/// An encoder of your own gives a body of any kind, or a query:
///
/// ```swift
/// struct LinesEncoder: RequestEncoder {
///     func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart {
///         .body(.data(try lines(value), contentType: "application/jsonl"))
///     }
/// }
/// ```
public protocol RequestEncoder: Sendable {
    /// The value as a part of a request. What it throws is the cause of the call's `encodingFailed`; a `MartletError` is thrown as
    /// it is.
    func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart
}

/// What an encoder gives.
public enum EncodedRequestPart: Sendable {
    /// A query, percent-encoded, without its question mark; it is put behind what the URL has. Empty text adds nothing.
    case query(String)
    /// A body. Its content type is sent unless the request has one.
    case body(RequestBody)
}

/// What an encoder may go by.
public struct RequestEncodingContext: Sendable {
    /// The request's method.
    public var method: HTTPMethod
    /// Makes the client's encoder of JSON.
    public var jsonEncoder: @Sendable () -> JSONEncoder
    /// The client's encoder of queries and forms.
    public var formEncoder: URLEncodedFormEncoder

    /// Makes a context, with encoders of default settings unless told otherwise.
    public init(
        method: HTTPMethod, jsonEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() },
        formEncoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) {
        self.method = method
        self.jsonEncoder = jsonEncoder
        self.formEncoder = formEncoder
    }
}

/// Where URL-encoded values go.
public enum FormDestination: Sendable, Hashable {
    /// Into the query for GET, HEAD and DELETE, into the body for all other methods.
    case methodDependent
    /// Into the query.
    case query
    /// Into the body.
    case body

    func isQuery(for method: HTTPMethod) -> Bool {
        switch self {
        case .query: true
        case .body: false
        case .methodDependent: method == .get || method == .head || method == .delete
        }
    }
}
