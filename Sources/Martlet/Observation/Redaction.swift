// What may be shown of a message: one type for logs, errors, cURL texts and reflection alike, so that no way of printing is forgotten.
// Default: on. All query values, the fragment and user information are hidden, and the header fields and body fields whose names say
// that they hold a secret.

/// What is hidden when a message is printed.
///
/// ```swift
/// var redaction = Redaction.standard
/// redaction.headers.hide("X-Session")
/// redaction.queryItems.show("page", "limit")
/// print(redaction.url("https://api.example.com/users?page=2&key=s3cret"))
/// ```
public struct Redaction: Sendable, Hashable {
    /// Header fields; those with the names of secrets by default.
    public var headers = Names.secrets

    /// Items of a query, with the fragment; all by default.
    public var queryItems = Names.all

    /// Keys of JSON objects and names of form fields; those with the names of secrets by default.
    public var bodyFields = Names.secrets

    /// The default: what is described at each property.
    public static let standard = Redaction()

    /// Hides nothing. What it prints holds the secrets.
    public static let none: Redaction = {
        var redaction = Redaction()
        redaction.headers = .none
        redaction.queryItems = .none
        redaction.bodyFields = .none
        return redaction
    }()

    /// What stands in the place of what is hidden.
    public static let mark = "<redacted>"

    /// Makes the default redaction.
    public init() {}

    /// Whether nothing is hidden.
    public var hidesNothing: Bool { headers == .none && queryItems == .none && bodyFields == .none }

    // MARK: Header fields

    /// The value of a header field as it may be shown: hidden by its name, or a URL without what is hidden in URLs.
    public func value(_ value: String, ofHeader name: String) -> String {
        if headers.contains(name) { return Self.mark }
        return Self.urlFields.contains(name.lowercased()) ? url(value) : value
    }

    private static let urlFields: Set<String> = [
        "location", "content-location", "referer", "refresh", "link", "alt-svc",
    ]

    // MARK: URLs

    /// A URL, or a reference such as `/path?query`, as it may be shown. User information is hidden whatever the settings of names,
    /// unless nothing is hidden at all.
    public func url(_ text: String) -> String {
        if hidesNothing { return text }
        let pathEnd = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        return Self.withoutUserInformation(text, upTo: pathEnd) + tail(text[pathEnd...])
    }

    /// A query and a fragment as they may be shown, the mark before each included.
    func tail(_ text: Substring) -> String {
        let hash = text.firstIndex(of: "#") ?? text.endIndex
        var shown = ""
        if text.startIndex < hash { shown += "?" + query(text[..<hash].dropFirst()) }
        if hash < text.endIndex { shown += queryItems == .none ? String(text[hash...]) : "#" + Self.mark }
        return shown
    }

    /// A query, without its question mark, as it may be shown. An item without `=` may be a token: it is hidden where names are
    /// hidden that are not known.
    public func query(_ query: some StringProtocol) -> String {
        items(of: query, hidden: queryItems)
    }

    /// A body of `application/x-www-form-urlencoded` as it may be shown.
    public func form(_ text: some StringProtocol) -> String { items(of: text, hidden: bodyFields) }

    private func items(of text: some StringProtocol, hidden: Names) -> String {
        if hidden == .none { return String(text) }
        return text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "=") else {
                return item.isEmpty || !hidden.contains(Self.unescaped(item)) ? String(item) : Self.mark
            }
            let isHidden = hidden.contains(Self.unescaped(item[..<equals]))
            return isHidden ? String(item[...equals]) + Self.mark : String(item)
        }.joined(separator: "&")
    }

    /// What stands before the last at sign of an authority is user information. A password with a slash or a question mark in it
    /// ends the authority early: what then looks like a port is no number, and nothing more is shown.
    private static func withoutUserInformation(_ text: String, upTo end: String.Index) -> String {
        let front = text[..<end]
        guard text.contains("@"), let slashes = front.range(of: "//") else { return String(front) }
        let authority = front[slashes.upperBound...].prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") { return front[..<slashes.upperBound] + mark + front[at...] }
        let port = authority.lastIndex(of: ":").map { authority[$0...].dropFirst() } ?? ""
        guard !port.allSatisfy({ $0.isNumber || $0 == "]" }) else { return String(front) }
        return front[..<slashes.upperBound] + mark
    }

    /// A name without its percent-encoding, as a server would read it.
    private static func unescaped(_ name: some StringProtocol) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(name)
        }
        var bytes: [UInt8] = []
        var rest = Substring(name).utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(Substring(digits)), radix: 16), digits.first != UInt8(ascii: "+")
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// Where a text stands first; of the standard library alone.
    fileprivate func range(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) { return start..<index(start, offsetBy: other.count) }
            start = index(after: start)
        }
        return nil
    }
}
