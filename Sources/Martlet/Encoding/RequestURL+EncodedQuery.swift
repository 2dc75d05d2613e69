// A query that is encoded already, put behind the one that the URL has.

extension RequestURL {
    /// Puts `encoded` at the end of the query. What may not stand in a URL is escaped, `#` too; escapes stay, and empty text changes
    /// nothing.
    ///
    /// - Throws: `invalidURL` for a `%` without two hexadecimal digits behind it.
    mutating func appendQuery(encoded: String) throws(MartletError) {
        guard !encoded.isEmpty else { return }
        var bytes = Array(text.utf8.prefix(queryEnd))
        if queryEnd == pathEnd {
            bytes.append(UInt8(ascii: "?"))
        } else if queryEnd > pathEnd + 1 {
            bytes.append(UInt8(ascii: "&"))
        }
        var encoded = encoded
        bytes = try encoded.withUTF8 { source in
            Result { () throws(MartletError) in
                var target = bytes
                try Self.appendEscaping(source[...], to: &target)
                return target
            }
        }.get()
        let end = bytes.count
        bytes.append(contentsOf: text.utf8.dropFirst(queryEnd))
        self = RequestURL(
            text: String(decoding: bytes, as: UTF8.self), origin: origin, pathStart: pathStart, pathEnd: pathEnd,
            queryEnd: end)
    }
}
