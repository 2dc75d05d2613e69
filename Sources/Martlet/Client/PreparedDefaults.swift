// What a client's calls start from, made ready once: calls share it by reference, and one that sets no header fields of its
// own takes those that are here already.

/// The defaults of a client and the header fields that follow from them.
final class PreparedDefaults: Sendable {
    let defaults: CallDefaults
    /// The layers of calls that change none.
    let layers: LayerStack
    let options: Boxed<RequestOptions>
    private let acceptingAnything: Fields
    private let acceptingJSON: Fields

    /// Header fields, and whether they ask for content codings on Martlet's own account.
    typealias Fields = (headers: HTTPHeaders, asksForCodings: Bool)

    private static let anything = "*/*"
    private static let json = "application/json"

    init(_ given: CallDefaults) {
        var defaults = given
        defaults.bindAuthentication()
        self.defaults = defaults
        layers = LayerStack(
            CallPolicies(
                interceptors: defaults.interceptors, attemptInterceptors: defaults.attemptInterceptors,
                redirects: defaults.redirects, retry: defaults.retry, authentication: defaults.authentication,
                observers: ObserverSet(defaults.observers)))
        options = Boxed(wrappedValue: defaults.options)
        let asked = defaults.options.contentDecoding.isEnabled ? false : nil
        var anything = defaults.headers(with: [:], accepting: Self.anything, askingForCodings: asked)
        var json = defaults.headers(with: [:], accepting: Self.json, askingForCodings: asked)
        anything.headers.noteWhetherPlain()
        json.headers.noteWhetherPlain()
        acceptingAnything = anything
        acceptingJSON = json
    }

    /// The header fields of a call that sets `own`. `askingForCodings` tells whether these ask for content codings on Martlet's
    /// own account already; nil where none are to be asked for.
    func headers(with own: HTTPHeaders, accepting mediaType: String, askingForCodings asked: Bool?) -> Fields {
        guard own.isEmpty, (asked == nil) != defaults.options.contentDecoding.isEnabled else {
            return defaults.headers(with: own, accepting: mediaType, askingForCodings: asked)
        }
        switch mediaType {
        case Self.anything: return acceptingAnything
        case Self.json: return acceptingJSON
        default: return defaults.headers(with: [:], accepting: mediaType, askingForCodings: asked)
        }
    }
}

extension CallDefaults {
    /// The default fields, those of the call in their place, and the ones that are sent when neither sets them.
    fileprivate func headers(
        with own: HTTPHeaders, accepting mediaType: String, askingForCodings asked: Bool?
    ) -> PreparedDefaults.Fields {
        var headers = headers.isEmpty ? own : headers.merging(own)
        if !headers.contains("User-Agent"), let userAgent { headers.append("User-Agent", userAgent) }
        if !headers.contains("Accept") { headers.append("Accept", mediaType) }
        let asks = asked.map { askForCodings(&headers, $0) } ?? false
        return (headers, asks)
    }

    /// Lists the codings that Martlet decodes, unless the caller says what is wanted. A part of a body is asked for as it is: it
    /// could not be decoded by itself (as browsers do; Fetch, section 4.6).
    private func askForCodings(_ headers: inout HTTPHeaders, _ asked: Bool) -> Bool {
        guard let list = ContentCoding.acceptList else { return false }
        if headers.contains("Accept-Encoding") {
            // A request that was made before, and is sent through a call, brings Martlet's own list with it.
            return asked && headers["Accept-Encoding"] == list
        }
        if headers.contains("Range") {
            headers.append("Accept-Encoding", "identity")
            return false
        }
        headers.append("Accept-Encoding", list)
        return true
    }
}
