// What a client's calls start from, made ready once: calls share it by reference, and one that sets no header fields of its
// own takes those that are here already.

/// The defaults of a client and the header fields that follow from them.
final class PreparedDefaults: Sendable {
    let defaults: CallDefaults
    /// The layers of calls that change none.
    let layers: LayerStack
    private let acceptingAnything: HTTPHeaders
    private let acceptingJSON: HTTPHeaders

    private static let anything = "*/*"
    private static let json = "application/json"

    init(_ defaults: CallDefaults) {
        self.defaults = defaults
        layers = LayerStack(
            CallPolicies(
                interceptors: defaults.interceptors, attemptInterceptors: defaults.attemptInterceptors,
                redirects: defaults.redirects, retry: defaults.retry))
        acceptingAnything = defaults.headers(with: [:], accepting: Self.anything)
        acceptingJSON = defaults.headers(with: [:], accepting: Self.json)
    }

    /// The header fields of a call that sets none itself.
    func headers(accepting mediaType: String) -> HTTPHeaders {
        switch mediaType {
        case Self.anything: acceptingAnything
        case Self.json: acceptingJSON
        default: defaults.headers(with: [:], accepting: mediaType)
        }
    }
}

extension CallDefaults {
    /// The default fields, those of the call in their place, and the ones that are sent when neither sets them.
    func headers(with own: HTTPHeaders, accepting mediaType: String) -> HTTPHeaders {
        var headers = headers.isEmpty ? own : headers.merging(own)
        if !headers.contains("User-Agent"), let userAgent { headers.append("User-Agent", userAgent) }
        if !headers.contains("Accept") { headers.append("Accept", mediaType) }
        return headers
    }
}
