// A response as a value, for servers that answer instead of scripting bytes. Framing follows from the body unless the
// fields say otherwise: what the test writes into `fields` is sent as it is, lies included.

public import Foundation

/// A response for a test server to send.
///
/// ```swift
/// let found = TestResponse.json(User(name: "Ada"))
/// let refused = TestResponse.text("slow down", status: 429, headers: ["Retry-After": "1"])
/// let chunked = TestResponse(status: 200, body: .chunked([Data("a".utf8), Data("b".utf8)]))
/// ```
public struct TestResponse: Sendable {
    /// A body and the framing that follows from it.
    public enum Body: Sendable {
        /// No body and no framing field, as for 204 and 304; other statuses get `Content-Length: 0`.
        case empty
        /// Bytes of known length: `Content-Length`.
        case data(Data)
        /// Chunks, one for each element: `Transfer-Encoding: chunked`.
        case chunked([Data])
        /// Chunks as the closure sends them. An error that it throws breaks the body off and resets the connection.
        case stream(@Sendable (_ send: @Sendable (Data) async throws -> Void) async throws -> Void)
        /// The same chunk again and again, until the client has had enough.
        case infinite(Data)
        /// Bytes whose end is the end of the connection.
        case untilClose(Data)
    }

    /// The status code; any number is sent as it is.
    public var status: Int
    /// The reason phrase; nil sends the usual one.
    public var reason: String?
    /// The header fields in their order.
    public var fields: [RecordedRequest.Field]
    /// The body.
    public var body: Body
    /// Trailer fields, sent after a chunked body; none by default.
    public var trailers: [RecordedRequest.Field] = []
    /// Responses sent before this one: 100, 102, 103. None by default.
    public var informational: [TestResponse] = []
    /// Whether the connection stays open afterwards; true by default. False sends `Connection: close` and closes it.
    public var keepsConnection = true

    /// Makes a response; 200 without a body by default.
    public init(
        status: Int = 200, reason: String? = nil, headers: KeyValuePairs<String, String> = [:], body: Body = .empty,
        trailers: KeyValuePairs<String, String> = [:], keepsConnection: Bool = true
    ) {
        self.status = status
        self.reason = reason
        self.fields = Self.fields(headers)
        self.body = body
        self.trailers = Self.fields(trailers)
        self.keepsConnection = keepsConnection
    }

    /// The same response with one more header field.
    public func header(_ name: String, _ value: String) -> TestResponse {
        var copy = self
        copy.fields.append(.init(name, value))
        return copy
    }

    /// The same response, with an informational one before it.
    public func informational(_ status: Int, headers: KeyValuePairs<String, String> = [:]) -> TestResponse {
        var copy = self
        copy.informational.append(TestResponse(status: status, headers: headers))
        return copy
    }

    /// The same response, after which the server closes the connection.
    public func closing() -> TestResponse {
        var copy = self
        copy.keepsConnection = false
        return copy
    }

    private static func fields(_ pairs: KeyValuePairs<String, String>) -> [RecordedRequest.Field] {
        pairs.map { .init($0.key, $0.value) }
    }
}

extension TestResponse {
    /// 200 without a body.
    public static var ok: TestResponse { .init() }

    /// 404 without a body.
    public static var notFound: TestResponse { .status(404) }

    /// A status without a body.
    public static func status(_ status: Int, headers: KeyValuePairs<String, String> = [:]) -> TestResponse {
        .init(status: status, headers: headers)
    }

    /// UTF-8 text.
    public static func text(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> TestResponse {
        .data(Data(text.utf8), type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// A value encoded as JSON.
    ///
    /// A value that cannot be encoded gives a 500 that says why, so that the test fails with the reason in hand.
    public static func json(
        _ value: some Encodable, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> TestResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return .data(try encoder.encode(value), type: "application/json", status: status, headers: headers)
        } catch {
            return .text("The test's JSON value cannot be encoded: \(error)", status: 500)
        }
    }

    /// JSON as the test wrote it: the text is sent as it is, valid or not. To send a JSON string, write its quotes.
    public static func json(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> TestResponse {
        .data(Data(text.utf8), type: "application/json", status: status, headers: headers)
    }

    /// Bytes with a content type.
    public static func data(
        _ data: Data, type: String = "application/octet-stream", status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> TestResponse {
        var response = TestResponse(status: status, headers: headers, body: .data(data))
        if !response.fields.contains(where: { isSameName($0.name, "Content-Type") }) {
            response.fields.append(.init("Content-Type", type))
        }
        return response
    }

    /// A redirect to `location`, which is sent as it is.
    public static func redirect(to location: String, status: Int = 302) -> TestResponse {
        .init(status: status, headers: ["Location": location])
    }

    /// Chunks as they come from a sequence; the sequence's error resets the connection in the middle of the body.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> TestResponse where Chunks.Element == Data {
        let body = Body.stream { send in
            for try await chunk in chunks { try await send(chunk) }
        }
        return TestResponse(status: status, headers: headers, body: body)
    }
}
