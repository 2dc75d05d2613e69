// URLs as people type them. Without a scheme it is https, for what goes to another machine should not go in the clear unasked;
// only loopback names, where servers under development listen, get http.

/// Completes URLs.
enum Address {
    /// The URL with its scheme; `:8080/path` is on localhost.
    static func complete(_ text: String) -> String {
        if hasScheme(text) { return text }
        if text.hasPrefix(":"), text.dropFirst().first?.isNumber == true { return "http://localhost\(text)" }
        return (isLoopback(text) ? "http://" : "https://") + text
    }

    /// Whether what is sent to a URL with a scheme cannot be read on the way.
    static func isProtected(_ url: String) -> Bool {
        let parts = url.split(separator: "://", maxSplits: 1)
        return parts.count < 2 || parts[0].lowercased() != "http" || isLoopback(String(parts[1]))
    }

    private static func hasScheme(_ text: String) -> Bool {
        guard let sign = text.firstRange(of: "://") else { return false }
        // A `://` further on belongs to a path or a query.
        return text[..<sign.lowerBound].utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): false
            default: true
            }
        }
    }

    private static func isLoopback(_ text: String) -> Bool {
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.lowercased()
        if authority.hasPrefix("[") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
        let host = authority.prefix { $0 != ":" }
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
