// References against a base. Joining onto a client's base URL treats the base's path as a directory and does not leave
// its origin unless allowed; a `Location` is resolved as RFC 3986 section 5.3 says.

extension RequestURL {
    /// Joins a reference onto this URL as a base.
    ///
    /// The base's path is a directory whether or not it ends in a slash: `users` on `https://h/v1` is `https://h/v1/users`,
    /// `/users` is `https://h/users`, and `?page=2` keeps the path. The base's query goes with any reference that has a
    /// path or a query; its fragment always goes. Throws `invalidURL` for a reference that cannot be read, and for one
    /// that leads to another origin (`//host`, or an absolute URL) unless `allowingOtherOrigin`.
    public func resolving(
        _ reference: String, allowingOtherOrigin: Bool = false
    ) throws(MartletError) -> RequestURL {
        let result = try resolve(reference, baseIsDirectory: true)
        guard allowingOtherOrigin || result.origin == origin else {
            throw RequestURL.invalid(
                "The reference leads to \(result.origin), away from the base URL's origin \(origin); allow other origins"
                    + " or write a path.")
        }
        return result
    }

    /// Resolves a reference that a server sent (`Location`, a link) as RFC 3986 section 5.3 says, to whatever origin:
    /// the caller decides whether to go there.
    func resolvingLocation(_ reference: String) throws(MartletError) -> RequestURL {
        try resolve(reference, baseIsDirectory: false)
    }

    /// Puts `items` at the end of the query, percent-encoding all but unreserved characters (a space is `%20`, a plus
    /// `%2B`). What the query held stays, and no items change nothing.
    public mutating func appendQuery(_ items: [(String, String)]) {
        guard !items.isEmpty else { return }
        var bytes = Array(text.utf8.prefix(queryEnd))
        var needsSeparator = queryEnd > pathEnd + 1
        if queryEnd == pathEnd { bytes.append(UInt8(ascii: "?")) }
        for (name, value) in items {
            if needsSeparator { bytes.append(UInt8(ascii: "&")) }
            needsSeparator = true
            RequestURL.appendQueryPart(name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            RequestURL.appendQueryPart(value, to: &bytes)
        }
        let end = bytes.count
        bytes.append(contentsOf: text.utf8.dropFirst(queryEnd))
        self = RequestURL(
            text: String(decoding: bytes, as: UTF8.self), origin: origin, pathStart: pathStart, pathEnd: pathEnd,
            queryEnd: end)
    }

    private static func appendQueryPart(_ part: String, to bytes: inout [UInt8]) {
        for byte in part.utf8 {
            if ASCII.isUnreserved(byte) { bytes.append(byte) } else { ASCII.appendEscape(byte, to: &bytes) }
        }
    }

    private func resolve(_ reference: String, baseIsDirectory: Bool) throws(MartletError) -> RequestURL {
        var copy = reference
        return try copy.withUTF8 { bytes in
            Result { () throws(MartletError) in try resolve(bytes, reference, baseIsDirectory) }
        }.get()
    }

    private func resolve(
        _ bytes: Bytes, _ reference: String, _ baseIsDirectory: Bool
    ) throws(MartletError) -> RequestURL {
        if RequestURL.hasScheme(bytes) { return try RequestURL(reference) }
        if bytes.starts(with: "//".utf8) { return try RequestURL("\(origin.scheme):\(reference)") }
        try RequestURL.refuseControls(bytes)
        if let tail = RequestURL.normalTail(bytes, from: 0) {
            return RequestURL(
                text: text(upTo: pathStart, then: bytes), origin: origin, pathStart: pathStart,
                pathEnd: pathStart + tail.pathEnd, queryEnd: pathStart + tail.queryEnd)
        }
        // What the reference leaves out comes from the base: the query too when it has neither path nor query.
        var tail: [UInt8]
        switch bytes.first {
        case UInt8(ascii: "/"): tail = []
        case nil, UInt8(ascii: "#"): tail = Array(text.utf8.prefix(queryEnd).dropFirst(pathStart))
        case UInt8(ascii: "?"): tail = Array(text.utf8.prefix(pathEnd).dropFirst(pathStart))
        default:
            tail = Array(text.utf8.prefix(pathEnd).dropFirst(pathStart))
            if !baseIsDirectory { tail.removeLast(tail.reversed().prefix { $0 != UInt8(ascii: "/") }.count) }
            if tail.last != UInt8(ascii: "/") { tail.append(UInt8(ascii: "/")) }
        }
        tail.append(contentsOf: bytes)
        var result = Array(text.utf8.prefix(pathStart))
        return try tail.withUnsafeBufferPointer { tail in
            Result { () throws(MartletError) in
                try RequestURL.build(&result, origin: origin, tail: tail[...])
            }
        }.get()
    }

    /// The first `count` bytes of the text with `bytes` after them.
    private func text(upTo count: Int, then bytes: Bytes) -> String {
        String(unsafeUninitializedCapacity: count + bytes.count) { buffer in
            var copy = text
            copy.withUTF8 { _ = buffer.initialize(fromContentsOf: UnsafeBufferPointer(rebasing: $0[..<count])) }
            _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).initialize(fromContentsOf: bytes)
            return count + bytes.count
        }
    }
}
