// What a client's calls start from, made ready once: calls share it by reference, and one that sets no header fields of its
// own takes those that are here already.

/// The defaults of a client and the header fields that follow from them.
final class PreparedDefaults: Sendable {
    let defaults: CallDefaults
    /// The layers of calls that change none.
    let layers: LayerStack
    private let acceptingAnything: HTTPHeaders
    private let acceptingJSON: HTTPHeaders
    /// Whether these ask for content codings themselves.
    private let asksForCodings: Bool

    private static let anything = "*/*"
    private static let json = "application/json"

    init(_ defaults: CallDefaults) {
        self.defaults = defaults
        layers = LayerStack(
            CallPolicies(
                interceptors: defaults.interceptors, attemptInterceptors: defaults.attemptInterceptors,
                redirects: defaults.redirects, retry: defaults.retry))
        var decoding = defaults.options.contentDecoding
        acceptingAnything = defaults.headers(with: [:], accepting: Self.anything, &decoding)
        acceptingJSON = defaults.headers(with: [:], accepting: Self.json, &decoding)
        asksForCodings = decoding.isAsked
    }

    /// The header fields of a call that sets `own`; tells in `decoding` whether they ask for content codings.
    func headers(
        with own: HTTPHeaders, accepting mediaType: String, _ decoding: inout ContentDecoding
    ) -> HTTPHeaders {
        guard own.isEmpty, decoding.isEnabled == defaults.options.contentDecoding.isEnabled else {
            return defaults.headers(with: own, accepting: mediaType, &decoding)
        }
        decoding.isAsked = asksForCodings
        switch mediaType {
        case Self.anything: return acceptingAnything
        case Self.json: return acceptingJSON
        default: return defaults.headers(with: [:], accepting: mediaType, &decoding)
        }
    }
}

extension CallDefaults {
    /// The default fields, those of the call in their place, and the ones that are sent when neither sets them.
    func headers(
        with own: HTTPHeaders, accepting mediaType: String, _ decoding: inout ContentDecoding
    ) -> HTTPHeaders {
        var headers = headers.isEmpty ? own : headers.merging(own)
        if !headers.contains("User-Agent"), let userAgent { headers.append("User-Agent", userAgent) }
        if !headers.contains("Accept") { headers.append("Accept", mediaType) }
        askForCodings(&headers, &decoding)
        return headers
    }

    /// Lists the codings that Martlet decodes, unless the caller says what is wanted. A part of a body is asked for as it is: it
    /// could not be decoded by itself (as browsers do; Fetch, section 4.6).
    private func askForCodings(_ headers: inout HTTPHeaders, _ decoding: inout ContentDecoding) {
        // A request that was made before, and is sent through a call, brings Martlet's own list with it.
        let isOwn = decoding.isAsked && headers["Accept-Encoding"] == ContentCoding.acceptList
        decoding.isAsked = false
        guard decoding.isEnabled, let list = ContentCoding.acceptList else { return }
        if headers.contains("Accept-Encoding") {
            decoding.isAsked = isOwn
        } else if headers.contains("Range") {
            headers.append("Accept-Encoding", "identity")
        } else {
            headers.append("Accept-Encoding", list)
            decoding.isAsked = true
        }
    }
}
