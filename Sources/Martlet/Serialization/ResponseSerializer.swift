// How a response becomes a value. The ready serializers are found behind a leading dot: `serialized(by: .json(User.self))`. They get the
// whole body; what is to be read as it arrives is a sequence.

public import Foundation

/// Makes values of responses.
///
/// ```swift
/// let user = try await client.get("/users/1").serialized(by: .json(User.self))
/// let note = try await client.get("/note").serialized(by: .string(encoding: .utf16))
/// let maybe = try await client.get("/draft").serialized(by: .optional(.json(User.self)))
/// ```
///
/// A serializer of your own:
///
/// ```swift
/// struct CSVSerializer: ResponseSerializer {
///     var accept: String { "text/csv" }
///
///     func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> [[Substring]] {
///         String(decoding: response.body, as: UTF8.self)
///             .split(whereSeparator: \.isNewline).map { $0.split(separator: ",") }
///     }
/// }
/// ```
public protocol ResponseSerializer<Value>: Sendable {
    /// What is made.
    associatedtype Value

    /// What is asked for by `Accept` when the call does not say; `*/*` by default.
    var accept: String { get }

    /// Whether the body is wanted; true by default. When it is not, it is taken off the wire however long it is, and `serialize` gets
    /// none.
    var usesBody: Bool { get }

    /// Makes the value. What it throws is the cause of the call's `decodingFailed`; a `MartletError` is thrown as it is.
    func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> Value
}

extension ResponseSerializer {
    /// `*/*`
    public var accept: String { "*/*" }

    /// True.
    public var usesBody: Bool { true }
}

/// What a serializer may go by, beside the response.
public struct SerializationContext: Sendable {
    /// The request's method.
    public var method: HTTPMethod
    /// Makes the client's decoder of JSON.
    public var jsonDecoder: @Sendable () -> JSONDecoder

    /// Makes a context: a GET, and a decoder of default settings unless told otherwise.
    public init(method: HTTPMethod = .get, jsonDecoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }) {
        self.method = method
        self.jsonDecoder = jsonDecoder
    }
}
