// Reading an absolute URL. A text that is in normal form already is checked in one pass and kept as it is; anything else
// goes to the slower reading, which normalises it or says what is wrong. Messages never quote the text: it may hold a
// password in a place where none belongs. RFC 3986 sections 3 and 5.2.4.

extension RequestURL {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Reads an absolute `http` or `https` URL.
    ///
    /// Throws `invalidURL` when the text is relative, of another scheme, or readable in more than one way.
    public init(_ string: String) throws(MartletError) {
        var native = string
        native.makeContiguousUTF8()
        var copy = native
        self = try copy.withUTF8 { bytes in
            Result { () throws(MartletError) in try RequestURL.read(bytes, native) }
        }.get()
    }

    /// Reads `bytes`, which are those of `string`; that string itself is kept when it is in normal form.
    private static func read(_ bytes: Bytes, _ string: String) throws(MartletError) -> RequestURL {
        try refuseControls(bytes)
        let start = try readScheme(bytes)
        let authorityEnd = endOfAuthority(bytes, from: start.end)
        let authority = try readAuthority(bytes[start.end..<authorityEnd], scheme: start.scheme)
        if start.isNormal, authority.isNormal, let tail = normalTail(bytes, from: authorityEnd) {
            return RequestURL(
                text: string, origin: authority.origin, pathStart: authorityEnd, pathEnd: tail.pathEnd,
                queryEnd: tail.queryEnd)
        }
        var text = Array(authority.origin.description.utf8)
        text.reserveCapacity(text.count + bytes.count + 16)
        return try build(&text, origin: authority.origin, tail: bytes[authorityEnd...])
    }

    /// Appends a path, query and fragment to `text`, which holds the origin, and makes the URL of it.
    static func build(
        _ text: inout [UInt8], origin: Origin, tail: Slice<Bytes>
    ) throws(MartletError) -> RequestURL {
        let pathStart = text.count
        let queryMark = tail.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? tail.endIndex
        try appendPath(tail[..<queryMark], to: &text)
        let pathEnd = text.count
        let hash = tail[queryMark...].firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex
        if queryMark < hash {
            text.append(UInt8(ascii: "?"))
            try appendEscaping(tail[(queryMark + 1)..<hash], to: &text)
        }
        let queryEnd = text.count
        if hash < tail.endIndex {
            text.append(UInt8(ascii: "#"))
            try appendEscaping(tail[(hash + 1)...], to: &text)
        }
        return RequestURL(
            text: String(decoding: text, as: UTF8.self), origin: origin, pathStart: pathStart, pathEnd: pathEnd,
            queryEnd: queryEnd)
    }

    static func invalid(_ message: String) -> MartletError { MartletError(.invalidURL, message) }

    static func refuseControls(_ bytes: Bytes) throws(MartletError) {
        for byte in bytes where byte < 0x20 || byte == 0x7F {
            throw invalid("The URL holds a control character (such as CR, LF, TAB or NUL).")
        }
        if bytes.first == UInt8(ascii: " ") || bytes.last == UInt8(ascii: " ") {
            throw invalid("The URL begins or ends with a space.")
        }
    }

    // MARK: Scheme and authority

    private static func readScheme(
        _ bytes: Bytes
    ) throws(MartletError) -> (scheme: Origin.Scheme, end: Int, isNormal: Bool) {
        let isHTTP =
            bytes.count > 5 && HTTPSyntax.lowercased(bytes[0]) == UInt8(ascii: "h")
            && HTTPSyntax.lowercased(bytes[1]) == UInt8(ascii: "t")
            && HTTPSyntax.lowercased(bytes[2]) == UInt8(ascii: "t")
            && HTTPSyntax.lowercased(bytes[3]) == UInt8(ascii: "p")
        if isHTTP {
            let colon = HTTPSyntax.lowercased(bytes[4]) == UInt8(ascii: "s") ? 5 : 4
            if bytes[colon] == UInt8(ascii: ":") {
                let end = colon + 3
                guard bytes.count >= end, bytes[end - 2] == UInt8(ascii: "/"), bytes[end - 1] == UInt8(ascii: "/")
                else {
                    throw invalid("The URL's scheme must be followed by `://`.")
                }
                let isNormal = bytes[..<colon].allSatisfy { $0 >= UInt8(ascii: "a") }
                return (colon == 5 ? .https : .http, end, isNormal)
            }
        }
        if bytes.isEmpty { throw invalid("The URL is empty.") }
        guard hasScheme(bytes) else {
            throw invalid(
                "The URL is relative and there is no base URL; give the client a base URL or write it in full.")
        }
        throw invalid("The URL's scheme is not http or https; a host with a port needs `http://` before it.")
    }

    /// Whether the text begins with `scheme:` (RFC 3986 section 3.1), which makes it absolute.
    static func hasScheme(_ bytes: Bytes) -> Bool {
        guard let first = bytes.first, ASCII.isLetter(first) else { return false }
        for byte in bytes {
            if byte == UInt8(ascii: ":") { return true }
            let isPart =
                ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
            if !isPart { return false }
        }
        return false
    }

    private static func endOfAuthority(_ bytes: Bytes, from start: Int) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            index += 1
        }
        return index
    }

    private static func readAuthority(
        _ bytes: Slice<Bytes>, scheme: Origin.Scheme
    ) throws(MartletError) -> (origin: Origin, isNormal: Bool) {
        var colon: Int?
        for index in bytes.startIndex..<bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: ":"): colon = index
            case UInt8(ascii: "]"): colon = nil
            case UInt8(ascii: "@"):
                throw invalid(
                    "The URL holds user information before its host; pass credentials in an Authorization field.")
            case UInt8(ascii: "\\"):
                throw invalid("The URL holds a backslash, which readers take for different things.")
            default: break
            }
        }
        let host = try Host.read(bytes[..<(colon ?? bytes.endIndex)])
        guard let colon else {
            return (Origin(scheme: scheme, host: host.host, port: scheme.defaultPort), host.isNormal)
        }
        var port = 0
        let digits = bytes[(colon + 1)...]
        for byte in digits where port <= 65_535 {
            port = ASCII.isDigit(byte) ? port * 10 + Int(byte & 0x0F) : .max / 20
        }
        guard digits.first != UInt8(ascii: "0"), 1...65_535 ~= port else {
            throw invalid("The URL's port is not a number from 1 to 65535.")
        }
        let origin = Origin(scheme: scheme, host: host.host, port: port)
        return (origin, host.isNormal && !origin.isDefaultPort)
    }
}
