// What a mock transport answers: a response as a value, with faults and delays at exact places.

public import Foundation
public import Martlet

/// A response for a `MockTransport` to give, or a failure.
///
/// ```swift
/// let found = MockResponse.json(User(name: "Ada"))
/// let busy = MockResponse.text("busy", status: 503, headers: ["Retry-After": "1"])
/// let broken = MockResponse.data(bytes).failing(after: 1000)
/// let refused = MockResponse.failure(MartletError(.connectionRefused, "Nobody listens there."))
/// ```
public struct MockResponse: Sendable {
    enum Body: Sendable {
        case chunks([Data])
        case stream(@Sendable () -> AsyncThrowingStream<Data, any Error>)

        var length: Int? {
            if case .chunks(let chunks) = self { chunks.reduce(0) { $0 + $1.count } } else { nil }
        }
    }

    struct Fault: Sendable {
        var after: Int
        var error: any Error
    }

    /// The response head.
    public var head: ResponseHead
    /// Informational responses given before it, to `RequestOptions.onInformational`.
    public var informational: [ResponseHead] = []
    var body: Body
    var headError: (any Error)?
    var bodyFault: Fault?
    var headDelay: Duration?
    var chunkDelay: Duration?
    var neverAnswers = false

    init(status: HTTPStatus, headers: HTTPHeaders, body: Body) {
        head = ResponseHead(status: status, headers: headers)
        self.body = body
        if let length = body.length, !head.headers.contains("Content-Length"), !isBodiless {
            head.headers.append("Content-Length", String(length))
        }
    }

    /// Whether the status forbids a body (RFC 9110, 6.4.1).
    var isBodiless: Bool { head.status.isInformational || head.status == 204 || head.status == 304 }
}

extension MockResponse {
    /// 200 without a body.
    public static var ok: MockResponse { .status(200) }

    /// A status without a body.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers, body: .chunks([]))
    }

    /// Bytes, given at once. `Content-Length` is set unless the headers have one.
    public static func data(
        _ data: Data, type: String? = nil, status: HTTPStatus = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        .chunks([data], type: type, status: status, headers: headers)
    }

    /// Bytes, given piece by piece. `Content-Length` is set unless the headers have one.
    public static func chunks(
        _ chunks: [Data], type: String? = nil, status: HTTPStatus = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        var headers = headers
        if let type, !headers.contains("Content-Type") { headers.append("Content-Type", type) }
        return MockResponse(status: status, headers: headers, body: .chunks(chunks))
    }

    /// Bytes from a sequence; no `Content-Length` is set. The closure makes it when the response is given.
    public static func stream(
        type: String? = nil, status: HTTPStatus = 200, headers: HTTPHeaders = [:],
        _ make: @escaping @Sendable () -> AsyncThrowingStream<Data, any Error>
    ) -> MockResponse {
        var headers = headers
        if let type, !headers.contains("Content-Type") { headers.append("Content-Type", type) }
        return MockResponse(status: status, headers: headers, body: .stream(make))
    }

    /// UTF-8 text.
    public static func text(_ text: String, status: HTTPStatus = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), type: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// A value encoded as JSON. A value that cannot be encoded gives a failure with the encoder's error.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = 200, headers: HTTPHeaders = [:]
    ) -> MockResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return .data(try encoder.encode(value), type: "application/json", status: status, headers: headers)
        } catch {
            return .failure(error)
        }
    }

    /// JSON as the test wrote it: the text is given as it is, valid or not. To give a JSON string, write its quotes.
    public static func json(_ text: String, status: HTTPStatus = 200, headers: HTTPHeaders = [:]) -> MockResponse {
        .data(Data(text.utf8), type: "application/json", status: status, headers: headers)
    }

    /// A redirect to `location`, which is given as it is.
    public static func redirect(to location: String, status: HTTPStatus = 302) -> MockResponse {
        .status(status, headers: ["Location": location])
    }

    /// An error in place of a response.
    public static func failure(_ error: any Error) -> MockResponse {
        var response = MockResponse.ok
        response.headError = error
        return response
    }

    /// No answer ever: the call ends when it is cancelled.
    public static var never: MockResponse {
        var response = MockResponse.ok
        response.neverAnswers = true
        return response
    }
}

extension MockResponse {
    /// The same response, whose body breaks off after so many bytes; with `MartletError.Code.bodyTruncated` by default.
    public func failing(after bytes: Int, with error: (any Error)? = nil) -> MockResponse {
        var copy = self
        let error =
            error ?? MartletError(.bodyTruncated, "The mock transport broke the body off after \(max(bytes, 0)) bytes.")
        copy.bodyFault = Fault(after: max(bytes, 0), error: error)
        return copy
    }

    /// The same response, which comes after a delay on the transport's clock.
    public func delayed(by duration: Duration) -> MockResponse {
        var copy = self
        copy.headDelay = duration
        return copy
    }

    /// The same response, with a delay on the transport's clock before each piece of its body.
    public func paced(every duration: Duration) -> MockResponse {
        var copy = self
        copy.chunkDelay = duration
        return copy
    }

    /// The same response with one more header field.
    public func header(_ name: String, _ value: String) -> MockResponse {
        var copy = self
        copy.head.headers.append(name, value)
        return copy
    }

    /// The same response, with an informational one before it.
    public func informational(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> MockResponse {
        var copy = self
        copy.informational.append(ResponseHead(status: status, headers: headers))
        return copy
    }
}
