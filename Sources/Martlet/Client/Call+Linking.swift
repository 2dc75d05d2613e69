// The call for what a response leads to. Credentials stay with the origin that they were meant for: what goes elsewhere keeps only the
// fields that say what is understood, and never gets the others back.

import Foundation

extension Call {
    /// The call with query items in place of those of the same names.
    func settingQuery(_ items: [(name: String, value: String)]) throws(MartletError) -> Call {
        guard !items.isEmpty else { return self }
        var url = try makeRequest().url
        for (name, value) in items { url = try url.settingQuery(name, value) }
        return with {
            $0.url = url
            $0.query = ""
        }
    }

    /// A GET of a URL that a response named, with the header fields and options of this call where it may have them.
    ///
    /// - Throws: `invalidURL` when it is at another origin and that is not allowed, and from https to http.
    func linked(to url: RequestURL, allowingOtherOrigin: Bool) throws(MartletError) -> Call {
        let source = try makeRequest().url
        let origin = source.origin
        var call = self
        call.url = url
        call.query = ""
        if method != .get {
            if method != .head { call.method = .get }
            call.body = .success(.empty)
            for name in Self.bodyFields { call.headers.remove(name) }
        }
        if url.origin == origin { return call }
        guard allowingOtherOrigin else {
            throw MartletError(
                .invalidURL,
                "The response leads from \(origin) to \(url.origin); allow other origins if that is meant to be.")
        }
        guard origin.scheme == .http || url.origin.scheme == .https else {
            throw MartletError(.invalidURL, "The response leads from \(origin) to \(url.origin), which is not secured.")
        }
        call.headers = Self.fieldsForAnyone(headers)
        call.options.leftURL = call.options.leftURL ?? source
        call.client = client.scoped {
            $0.headers = Self.fieldsForAnyone($0.headers)
            $0.baseURL = nil
        }
        return call
    }

    private static let bodyFields = ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location"]

    private static func fieldsForAnyone(_ headers: HTTPHeaders) -> HTTPHeaders {
        var kept = HTTPHeaders()
        for name in HTTPHeaders.harmlessElsewhere {
            for value in headers.values(for: name) { kept.append(name, value) }
        }
        return kept
    }
}

extension RequestURL {
    /// The URL with a query item in place of those of its name.
    fileprivate func settingQuery(_ name: String, _ value: String) throws(MartletError) -> RequestURL {
        let kept = (query ?? "").split(separator: "&").filter { item in
            let itemName = String(item.prefix { $0 != "=" })
            return (itemName.removingPercentEncoding ?? itemName) != name
        }
        var url = try RequestURL(slice(0, pathEnd) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&")))
        url.appendQuery([(name, value)])
        return url
    }
}
