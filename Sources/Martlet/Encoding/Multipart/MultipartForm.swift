// `multipart/form-data` (RFC 7578), with names quoted as browsers do it (HTML Standard, "multipart/form-data encoding algorithm"): a
// quote, CR and LF become `%22`, `%0D` and `%0A`, everything else stays UTF-8. Never spooled: the parts go to the wire as they are
// read, with an exact Content-Length when all their lengths can be known, else chunked.

public import Foundation

/// A form with files.
///
/// ```swift
/// let form: MultipartForm = [
///     "title": "Holiday",
///     "year": "\(year)",
///     "photo": .file(photo),
///     "thumbnail": .data(bytes, filename: "beach-small.jpg", contentType: "image/jpeg"),
/// ]
/// try await client.post("/albums", multipart: form).discard()
/// ```
///
/// Parts keep their order and a name may come more than once. A form can be sent again when all its parts can.
public struct MultipartForm: Sendable, ExpressibleByDictionaryLiteral {
    private var parts: [(name: String, part: MultipartPart)] = []
    private let chosen: MultipartBoundary

    /// Whether file names that are not plain ASCII are written a second time as `filename*` (RFC 8187), for servers that read no
    /// other; false by default, as RFC 7578 asks.
    public var writesExtendedFilenames = false

    /// Makes an empty form. The boundary is random unless one is given, and content that holds a given one fails with
    /// `encodingFailed` while it is sent.
    public init(boundary: String? = nil) {
        chosen = boundary.map { MultipartBoundary(chosen: $0) } ?? MultipartBoundary()
    }

    /// Makes a form of parts, in their order.
    public init(dictionaryLiteral parts: (String, MultipartPart)...) {
        self.init()
        self.parts = parts.map { (name: $0.0, part: $0.1) }
    }

    /// Adds a part at the end.
    public mutating func append(_ name: String, _ part: MultipartPart) {
        parts.append((name: name, part: part))
    }

    /// Adds the fields of a value, named as in a URL-encoded form: `address[city]`.
    ///
    /// - Throws: `encodingFailed` with the encoder's error.
    public mutating func append(
        fieldsOf value: some Encodable, encoder: URLEncodedFormEncoder = URLEncodedFormEncoder()
    ) throws(MartletError) {
        for item in try RequestBody.fields(of: value, encoder: encoder) { append(item.name, .text(item.value)) }
    }

    /// How many parts there are.
    public var count: Int { parts.count }

    /// The text between the parts.
    public var boundary: String { chosen.text }

    /// The media type with the boundary.
    public var contentType: String { "multipart/form-data; boundary=\(chosen.parameter)" }

    /// The form as a request body. Its media type comes in place of any other that the request has: no other names the boundary.
    ///
    /// - Throws: `encodingFailed` for a form without parts (a server could not read it) and for a boundary that is none,
    ///   `invalidRequest` for header fields that must not go on the wire, `fileUnreadable` for a URL that is no file URL.
    public func requestBody() throws(MartletError) -> RequestBody {
        var layout = try MultipartLayout(boundary: chosen, contentType: contentType)
        for (name, part) in parts {
            var headers = HTTPHeaders()
            if !part.headers.contains("Content-Disposition") {
                headers.append("Content-Disposition", disposition(name, part.filename))
            }
            for field in part.headers { headers.append(field) }
            try layout.append(part, headers: headers)
        }
        return try layout.requestBody()
    }

    /// The whole form in memory, at most `limit` bytes (64 MiB by default).
    ///
    /// - Throws: what sending it would throw, and `bodyTooLarge` above the limit.
    nonisolated(nonsending) public func encode(upTo limit: Int = 64 << 20) async throws -> Data {
        try await requestBody().collect(upTo: limit)
    }

    private func disposition(_ name: String, _ filename: String?) -> String {
        var value = "form-data; name=\"\(Self.quoted(name))\""
        if let filename {
            value += "; filename=\"\(Self.quoted(filename))\""
            if writesExtendedFilenames, !filename.utf8.allSatisfy({ $0 < 0x80 }) {
                value += "; filename*=UTF-8''\(Self.extended(filename))"
            }
        }
        return value
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x0D, 0x0A, UInt8(ascii: "\""): ASCII.appendEscape(byte, to: &bytes)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `value-chars` of RFC 8187, section 3.2.1.
    private static func extended(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain = ASCII.isLetter(byte) || ASCII.isDigit(byte) || "!#$&+-.^_`|~".utf8.contains(byte)
            if isPlain { bytes.append(byte) } else { ASCII.appendEscape(byte, to: &bytes) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Call {
    /// Sets the body to a form with files.
    public func body(multipart form: MultipartForm) -> Call {
        let body = Result { () throws(MartletError) in try form.requestBody() }
        return with { $0.body = body }
    }

    /// Sets the body to a multipart body.
    public func body(multipart parts: MultipartBody) -> Call {
        let body = Result { () throws(MartletError) in try parts.requestBody() }
        return with { $0.body = body }
    }
}

extension MartletClient {
    /// A POST of a form with files: `post("/albums", multipart: ["title": "Holiday", "photo": .file(path)])`.
    public func post(_ url: some URLConvertible, multipart form: MultipartForm) -> Call {
        post(url).body(multipart: form)
    }

    /// A PUT of a form with files.
    public func put(_ url: some URLConvertible, multipart form: MultipartForm) -> Call {
        put(url).body(multipart: form)
    }

    /// A PATCH of a form with files.
    public func patch(_ url: some URLConvertible, multipart form: MultipartForm) -> Call {
        patch(url).body(multipart: form)
    }
}
