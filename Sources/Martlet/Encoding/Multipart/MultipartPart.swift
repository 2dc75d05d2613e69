// One part of a multipart body: its fields and its bytes, which may be in memory, in a file or in a stream.

public import Foundation

/// A part of a ``MultipartForm`` or a ``MultipartBody``.
///
/// A string literal is a text part. Bytes are read while they are sent, never before: a part costs no memory for its content.
public struct MultipartPart: Sendable {
    /// The part's header fields. In a form, `Content-Disposition` is written before them unless it is among them.
    public var headers: HTTPHeaders
    /// The part's bytes.
    public var body: RequestBody
    /// The file name that a form names it by; nil for what is no file.
    public var filename: String?
    var failure: MartletError?

    /// Makes a part with header fields of your own; the body's media type is added unless they have one.
    public init(headers: HTTPHeaders = [:], body: RequestBody, filename: String? = nil) {
        self.headers = headers
        self.body = body
        self.filename = filename
        if let contentType = body.contentType, !headers.contains("Content-Type") {
            self.headers.append("Content-Type", contentType)
        }
    }

    /// Text in UTF-8. No media type is named unless one is given, as browsers do.
    public static func text(_ text: String, contentType: String? = nil) -> MultipartPart {
        .data(Data(text.utf8), contentType: contentType)
    }

    /// Bytes in memory; with a file name and no media type they are typed by the name's extension.
    public static func data(_ data: Data, filename: String? = nil, contentType: String? = nil) -> MultipartPart {
        MultipartPart(body: .data(data, contentType: contentType ?? type(ofFile: filename)), filename: filename)
    }

    // A part without a type is text (RFC 7578, section 4.4), and a file is not.
    private static func type(ofFile name: String?) -> String? { name.map { FileMediaType.type(ofPath: $0) } }

    /// A file, named by the last component of its path and typed by its extension unless told otherwise.
    ///
    /// Sending throws `fileUnreadable` for a file that is missing, unreadable or not a regular file, before anything is sent; and
    /// `bodyLengthMismatch` for one whose size changes while the form is sent.
    public static func file(
        _ path: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartPart {
        let last = path.split(separator: "/").last.map { String($0) }
        return MultipartPart(body: .file(path, contentType: contentType), filename: filename ?? last)
    }

    /// A file, by its URL; one that is no file URL is thrown as `fileUnreadable` when the part is sent.
    public static func file(_ url: URL, filename: String? = nil, contentType: String? = nil) -> MultipartPart {
        var part = MultipartPart.file(url.path(percentEncoded: false), filename: filename, contentType: contentType)
        if !url.isFileURL {
            part.failure = MartletError(
                .fileUnreadable, "A part's file is given by a URL that is no file URL; download it first.")
        }
        return part
    }

    /// Chunks from a sequence that `make` makes for each attempt. With a `length` (in bytes) exactly that many must come.
    /// Typed as ``data(_:filename:contentType:)`` is.
    public static func stream<Chunks: AsyncSequence & SendableMetatype>(
        length: Int? = nil, filename: String? = nil, contentType: String? = nil,
        _ make: @escaping @Sendable () async throws -> Chunks
    ) -> MultipartPart where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        let contentType = contentType ?? type(ofFile: filename)
        return MultipartPart(body: .stream(length: length, contentType: contentType, make), filename: filename)
    }

    /// A value as JSON.
    ///
    /// - Throws: `encodingFailed` with the encoder's error.
    public static func json(
        _ value: some Encodable, filename: String? = nil, encoder: JSONEncoder = JSONEncoder()
    ) throws(MartletError) -> MultipartPart {
        MultipartPart(body: try .json(value, encoder: encoder), filename: filename)
    }

    /// A multipart body within the part.
    ///
    /// - Throws: `encodingFailed`, `invalidRequest` for what is wrong with it.
    public static func multipart(_ body: MultipartBody) throws(MartletError) -> MultipartPart {
        MultipartPart(body: try body.requestBody())
    }
}

extension MultipartPart: ExpressibleByStringInterpolation {
    /// A text part.
    public init(stringLiteral value: String) { self = .text(value) }
}
