// A request as a mock transport saw it, its body collected.

public import Foundation
public import Martlet

/// A request that reached a `MockTransport`.
public struct MockRequest: Sendable {
    /// The request as it was sent.
    public let request: Request
    /// The bytes of its body.
    public let body: Data
    /// How many requests the transport had seen before.
    public let index: Int

    /// The method.
    public var method: HTTPMethod { request.method }
    /// The URL.
    public var url: RequestURL { request.url }
    /// The header fields.
    public var headers: HTTPHeaders { request.headers }
    /// The path of the URL, still percent-encoded.
    public var path: String { request.url.path }
    /// The body as UTF-8 text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// Decodes the body as JSON. Throws what `JSONDecoder` throws.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }
}
