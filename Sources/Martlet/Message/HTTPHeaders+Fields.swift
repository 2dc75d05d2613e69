// The fields most code touches, by their own names (RFC 9110; RFC 7617 for Basic, RFC 6750 for Bearer). Nothing is set by default here.

import Foundation

extension HTTPHeaders {
    /// The declared length of the body in bytes; nil when none is declared, or none that can be read, or several that differ.
    public var contentLength: Int? {
        var length: Int?
        for value in values(for: "Content-Length") {
            for part in value.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = part.trimmingCharacters(in: .whitespaces)
                guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
                    length == nil || length == number
                else { return nil }
                length = number
            }
        }
        return length
    }

    /// `Content-Type`
    public var contentType: String? {
        get { self["Content-Type"] }
        set { self["Content-Type"] = newValue }
    }

    /// `Content-Encoding`
    public var contentEncoding: String? {
        get { self["Content-Encoding"] }
        set { self["Content-Encoding"] = newValue }
    }

    /// `Content-Disposition`
    public var contentDisposition: String? {
        get { self["Content-Disposition"] }
        set { self["Content-Disposition"] = newValue }
    }

    /// `Location`
    public var location: String? {
        get { self["Location"] }
        set { self["Location"] = newValue }
    }

    /// `Host`
    public var host: String? {
        get { self["Host"] }
        set { self["Host"] = newValue }
    }

    /// `User-Agent`
    public var userAgent: String? {
        get { self["User-Agent"] }
        set { self["User-Agent"] = newValue }
    }

    /// `Accept`
    public var accept: String? {
        get { self["Accept"] }
        set { self["Accept"] = newValue }
    }

    /// `Authorization`
    public var authorization: String? {
        get { self["Authorization"] }
        set { self["Authorization"] = newValue }
    }

    /// `ETag`
    public var etag: String? {
        get { self["ETag"] }
        set { self["ETag"] = newValue }
    }

    /// `Last-Modified`
    public var lastModified: String? {
        get { self["Last-Modified"] }
        set { self["Last-Modified"] = newValue }
    }
}

extension HTTPHeaders.Field {
    /// `Accept`: the media types wanted.
    public static func accept(_ value: String) -> Self { Self("Accept", value) }

    /// `Accept-Charset`: the charsets wanted.
    public static func acceptCharset(_ value: String) -> Self { Self("Accept-Charset", value) }

    /// `Accept-Encoding`: the content codings wanted. Martlet sets this to what it decodes; set it only to get the coded bytes.
    public static func acceptEncoding(_ value: String) -> Self { Self("Accept-Encoding", value) }

    /// `Accept-Language`: the languages wanted.
    public static func acceptLanguage(_ value: String) -> Self { Self("Accept-Language", value) }

    /// `Accept-Language` from languages in the order of preference: `["de", "en"]` gives `de;q=1.0, en;q=0.9`.
    ///
    /// The first six count; the weight falls by a tenth each.
    public static func acceptLanguage(preferring languages: [String]) -> Self {
        let weighted = languages.prefix(6).enumerated().map { index, language in
            "\(language);q=\(index == 0 ? "1.0" : "0.\(10 - index)")"
        }
        return acceptLanguage(weighted.joined(separator: ", "))
    }

    /// `Authorization` with a value of your own.
    public static func authorization(_ value: String) -> Self { Self("Authorization", value) }

    /// `Authorization` with a bearer token.
    public static func authorization(bearer token: String) -> Self { authorization("Bearer \(token)") }

    /// `Authorization` with a bearer token.
    public static func bearer(_ token: String) -> Self { authorization(bearer: token) }

    /// `Authorization` with a user and a password, in UTF-8 and Base64 (RFC 7617).
    public static func basic(user: String, password: String) -> Self {
        authorization("Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }

    /// `Content-Disposition`: how the content is to be presented.
    public static func contentDisposition(_ value: String) -> Self { Self("Content-Disposition", value) }

    /// `Content-Encoding`: the coding that the caller has applied to the body.
    public static func contentEncoding(_ value: String) -> Self { Self("Content-Encoding", value) }

    /// `Content-Type`: the media type of the body.
    public static func contentType(_ value: String) -> Self { Self("Content-Type", value) }

    /// `User-Agent`: the name of the program.
    public static func userAgent(_ value: String) -> Self { Self("User-Agent", value) }

    /// `If-Match`: only when the target has this entity tag.
    public static func ifMatch(_ value: String) -> Self { Self("If-Match", value) }

    /// `If-None-Match`: only when the target does not have this entity tag.
    public static func ifNoneMatch(_ value: String) -> Self { Self("If-None-Match", value) }

    /// `Range`: these bytes only. An open end (`bytes=500-`) when `last` is nil.
    public static func range(from first: Int, through last: Int? = nil) -> Self {
        Self("Range", "bytes=\(first)-\(last.map(String.init) ?? "")")
    }
}
