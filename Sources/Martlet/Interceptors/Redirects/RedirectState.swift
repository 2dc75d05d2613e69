// The rules of following, as a value: a response goes in, the next request comes out. RFC 9110, sections 10.2.2 and 15.4; what
// is dropped on a change of origin is the lesson of a decade of leaks: all that is not known to be harmless, and never given
// back when a later redirect returns.

/// Where a call stands among its redirects.
struct RedirectState {
    let policy: RedirectPolicy
    /// The redirects that were followed, oldest first.
    private(set) var history: [RedirectRecord] = []
    private var visited: [Visit] = []

    private struct Visit: Equatable {
        var method: HTTPMethod
        var url: RequestURL
    }

    init(_ policy: RedirectPolicy) { self.policy = policy }

    /// The request that the response leads to by the rules; nil when it is to be taken as it is.
    ///
    /// - Throws: `tooManyRedirects`, `invalidRedirect`, `insecureRedirect`, `bodyNotReplayable`.
    mutating func proposal(after head: ResponseHead, to request: Request) throws(MartletError) -> Request? {
        guard policy.mayFollow(head.status) else { return nil }
        let locations = head.headers.values(for: "Location")
        guard let location = locations.first else { return nil }
        let target = try target(location, among: locations.count, request)
        if policy.staysOnOrigin, target.origin != request.url.origin { return nil }
        guard history.count < policy.maximum else {
            throw MartletError(
                .tooManyRedirects,
                "The call was redirected more than \(policy.maximum) times. Raise the limit if it may be.")
        }
        try checkScheme(from: request.url, to: target)
        var next = request
        next.url = target
        if Self.turnsIntoGet(head.status, request.method) {
            next.method = .get
            Self.dropBody(of: &next)
        }
        if target.origin != request.url.origin { Self.dropWhatTheCallerSet(in: &next, keeping: []) }
        try checkBody(next)
        return next
    }

    /// Notes that `next` is followed, which `decide` may have changed from `proposal`, and returns it as it may be sent.
    ///
    /// - Throws: `tooManyRedirects` for a circle, `insecureRedirect`, `bodyNotReplayable`.
    mutating func accept(
        _ next: Request, proposed proposal: Request, after head: ResponseHead, to request: Request
    ) throws(MartletError) -> Request {
        var next = next
        if next.url != proposal.url {
            try checkScheme(from: request.url, to: next.url)
            let origin = next.url.origin
            if origin != request.url.origin, origin != proposal.url.origin {
                Self.dropWhatTheCallerSet(in: &next, keeping: Self.changed(from: proposal.headers, to: next.headers))
            }
        }
        if next.url.origin != request.url.origin || request.options.leftURL != nil {
            next.options.leftURL = request.options.leftURL ?? request.url
        }
        try checkBody(next)
        // A cookie may make the same URL answer otherwise.
        if head.headers.contains("Set-Cookie") { visited = [] }
        visited.append(Visit(method: request.method, url: request.url.withoutFragment))
        guard !visited.contains(Visit(method: next.method, url: next.url.withoutFragment)) else {
            throw MartletError(.tooManyRedirects, "The redirects go in a circle.")
        }
        history.append(RedirectRecord(status: head.status, request: request.summary))
        return next
    }

    private func target(
        _ location: String, among count: Int, _ request: Request
    ) throws(MartletError) -> RequestURL {
        guard count == 1 else {
            throw MartletError(
                .invalidRedirect, "The redirect has \(count) Location fields, so it leads nowhere for certain.")
        }
        guard !location.isEmpty else {
            throw MartletError(.invalidRedirect, "The redirect has an empty Location field.")
        }
        do {
            return try request.url.resolvingLocation(location).inheritingFragment(of: request.url)
        } catch {
            throw MartletError(.invalidRedirect, "The redirect's Location cannot be followed.", underlying: error)
        }
    }

    private func checkScheme(from: RequestURL, to: RequestURL) throws(MartletError) {
        guard from.origin.scheme == .https, to.origin.scheme == .http, !policy.allowsDowngrade else { return }
        throw MartletError(
            .insecureRedirect, "The redirect leads from https to http; allow it with RedirectPolicy.allowsDowngrade.")
    }

    private func checkBody(_ next: Request) throws(MartletError) {
        guard !next.body.isReplayable else { return }
        throw MartletError(
            .bodyNotReplayable,
            "The redirect wants the body again, but it can be read only once. Give a factory instead.")
    }

    /// 303 asks for the result with GET; 301 and 302 turn POST into GET, as all clients do (RFC 9110, section 15.4.2).
    private static func turnsIntoGet(_ status: HTTPStatus, _ method: HTTPMethod) -> Bool {
        switch status.code {
        case 303: method != .head && method != .get
        case 301, 302: method == .post
        default: false
        }
    }

    private static func dropBody(of request: inout Request) {
        request.body = .empty
        request.options.expectContinue = nil
        request.options.trailers = nil
        let names = request.headers.names.filter { name in
            let name = name.lowercased()
            return name.hasPrefix("content-") || name == "digest" || name == "repr-digest"
                || name == "transfer-encoding"
        }
        for name in names { request.headers.remove(name) }
    }

    /// Those of a download that goes on among them: whoever has the file is often not whom it was asked for.
    private static let harmless = Set((HTTPHeaders.harmlessElsewhere + ["Range", "If-Range"]).map { $0.lowercased() })
    private static let ofTheBody: Set<String> = ["content-type", "content-encoding", "content-language"]

    private static func dropWhatTheCallerSet(in request: inout Request, keeping kept: Set<String>) {
        let keepsBody = !request.body.isEmpty
        let names = request.headers.names.filter { name in
            let name = name.lowercased()
            return !harmless.contains(name) && !(keepsBody && ofTheBody.contains(name)) && !kept.contains(name)
        }
        for name in names { request.headers.remove(name) }
        request.options.trailers = nil
    }

    private static func changed(from old: HTTPHeaders, to new: HTTPHeaders) -> Set<String> {
        Set(new.names.filter { old.values(for: $0) != new.values(for: $0) }.map { $0.lowercased() })
    }
}

extension RequestURL {
    /// The URL with the fragment of `other` when it has none itself (RFC 9110, section 10.2.2).
    func inheritingFragment(of other: RequestURL) -> RequestURL {
        guard fragment == nil, let fragment = other.fragment else { return self }
        return RequestURL(
            text: "\(text)#\(fragment)", origin: origin, pathStart: pathStart, pathEnd: pathEnd, queryEnd: queryEnd)
    }

    /// The URL as it is sent.
    var withoutFragment: RequestURL {
        guard fragment != nil else { return self }
        return RequestURL(
            text: slice(0, queryEnd), origin: origin, pathStart: pathStart, pathEnd: pathEnd, queryEnd: queryEnd)
    }
}
