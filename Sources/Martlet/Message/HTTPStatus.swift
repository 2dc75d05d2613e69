// The status code of a response (RFC 9110, section 15) and the reason phrases of the IANA registry. Any code is representable;
// 600 to 999 belong to no class, and a client treats an unknown code as x00 of its class.

/// A response status, such as `.ok` or `404`.
public struct HTTPStatus: Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The three-digit code.
    public let code: Int

    /// Makes a status.
    public init(_ code: Int) { self.code = code }

    /// Makes a status from a literal.
    public init(integerLiteral value: Int) { self.code = value }

    /// By code.
    public static func < (left: HTTPStatus, right: HTTPStatus) -> Bool { left.code < right.code }

    /// 100..<200: an interim response.
    public var isInformational: Bool { (100..<200).contains(code) }
    /// 200..<300.
    public var isSuccess: Bool { (200..<300).contains(code) }
    /// 300..<400.
    public var isRedirection: Bool { (300..<400).contains(code) }
    /// 400..<500.
    public var isClientError: Bool { (400..<500).contains(code) }
    /// 500..<600.
    public var isServerError: Bool { (500..<600).contains(code) }

    /// The code and its standard phrase: `404 Not Found`.
    public var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }

    /// 100
    public static let `continue`: HTTPStatus = 100
    /// 101
    public static let switchingProtocols: HTTPStatus = 101
    /// 103
    public static let earlyHints: HTTPStatus = 103
    /// 200
    public static let ok: HTTPStatus = 200
    /// 201
    public static let created: HTTPStatus = 201
    /// 202
    public static let accepted: HTTPStatus = 202
    /// 203
    public static let nonAuthoritativeInformation: HTTPStatus = 203
    /// 204
    public static let noContent: HTTPStatus = 204
    /// 205
    public static let resetContent: HTTPStatus = 205
    /// 206
    public static let partialContent: HTTPStatus = 206
    /// 300
    public static let multipleChoices: HTTPStatus = 300
    /// 301
    public static let movedPermanently: HTTPStatus = 301
    /// 302
    public static let found: HTTPStatus = 302
    /// 303
    public static let seeOther: HTTPStatus = 303
    /// 304
    public static let notModified: HTTPStatus = 304
    /// 307
    public static let temporaryRedirect: HTTPStatus = 307
    /// 308
    public static let permanentRedirect: HTTPStatus = 308
    /// 400
    public static let badRequest: HTTPStatus = 400
    /// 401
    public static let unauthorized: HTTPStatus = 401
    /// 402
    public static let paymentRequired: HTTPStatus = 402
    /// 403
    public static let forbidden: HTTPStatus = 403
    /// 404
    public static let notFound: HTTPStatus = 404
    /// 405
    public static let methodNotAllowed: HTTPStatus = 405
    /// 406
    public static let notAcceptable: HTTPStatus = 406
    /// 407
    public static let proxyAuthenticationRequired: HTTPStatus = 407
    /// 408
    public static let requestTimeout: HTTPStatus = 408
    /// 409
    public static let conflict: HTTPStatus = 409
    /// 410
    public static let gone: HTTPStatus = 410
    /// 411
    public static let lengthRequired: HTTPStatus = 411
    /// 412
    public static let preconditionFailed: HTTPStatus = 412
    /// 413
    public static let contentTooLarge: HTTPStatus = 413
    /// 414
    public static let uriTooLong: HTTPStatus = 414
    /// 415
    public static let unsupportedMediaType: HTTPStatus = 415
    /// 416
    public static let rangeNotSatisfiable: HTTPStatus = 416
    /// 417
    public static let expectationFailed: HTTPStatus = 417
    /// 421
    public static let misdirectedRequest: HTTPStatus = 421
    /// 422
    public static let unprocessableContent: HTTPStatus = 422
    /// 423
    public static let locked: HTTPStatus = 423
    /// 425
    public static let tooEarly: HTTPStatus = 425
    /// 426
    public static let upgradeRequired: HTTPStatus = 426
    /// 428
    public static let preconditionRequired: HTTPStatus = 428
    /// 429
    public static let tooManyRequests: HTTPStatus = 429
    /// 431
    public static let requestHeaderFieldsTooLarge: HTTPStatus = 431
    /// 451
    public static let unavailableForLegalReasons: HTTPStatus = 451
    /// 500
    public static let internalServerError: HTTPStatus = 500
    /// 501
    public static let notImplemented: HTTPStatus = 501
    /// 502
    public static let badGateway: HTTPStatus = 502
    /// 503
    public static let serviceUnavailable: HTTPStatus = 503
    /// 504
    public static let gatewayTimeout: HTTPStatus = 504
    /// 505
    public static let httpVersionNotSupported: HTTPStatus = 505
    /// 507
    public static let insufficientStorage: HTTPStatus = 507
    /// 511
    public static let networkAuthenticationRequired: HTTPStatus = 511
}

extension HTTPStatus {
    /// The standard phrase for the code; empty when none is registered.
    public var reasonPhrase: String {
        switch code {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 102: "Processing"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 207: "Multi-Status"
        case 208: "Already Reported"
        case 226: "IM Used"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 305: "Use Proxy"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 506: "Variant Also Negotiates"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 511: "Network Authentication Required"
        default: ""
        }
    }
}
