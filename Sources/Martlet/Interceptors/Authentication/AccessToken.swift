// The credential that most services hand out: a bearer token with a time to live, and perhaps one to get the next with. RFC 6749,
// section 5.1.

/// A bearer token that expires.
public struct AccessToken: Sendable, Hashable {
    /// The token.
    public let value: Secret
    /// How long it lasts from when it was obtained; nil when that is not known.
    public let lifetime: Duration?
    /// What a new token is obtained with; nil when there is none.
    public let refreshToken: Secret?
    // Made once, since each request has it.
    private let field: Secret

    /// Makes a token.
    public init(_ value: Secret, lifetime: Duration? = nil, refreshToken: Secret? = nil) {
        self.value = value
        self.lifetime = lifetime
        self.refreshToken = refreshToken
        field = Secret("Bearer \(value.revealed)")
    }

    /// Whether a token of this age is replaced before it is used: shortly before its end, a tenth of its lifetime and at
    /// most a minute, so that it does not expire on its way.
    func isDue(at age: Duration) -> Bool {
        guard let lifetime else { return false }
        return age >= lifetime - min(lifetime / 10, .seconds(60))
    }

    /// Sets the `Authorization` field, unless the caller has.
    func apply(to request: inout Request) {
        guard !request.hasOwnAuthorization else { return }
        request.headers.append("Authorization", field.revealed)
    }
}

extension RefreshingAuthenticator where Credential == AccessToken {
    /// Makes an authenticator of a bearer token that is refreshed shortly before its lifetime is over, and when it is refused.
    ///
    /// - Parameters:
    ///   - token: the first token; nil fetches it when it is needed.
    ///   - window: how often it may be refreshed; 5 times in 30 s by default, nil for no bound.
    ///   - clock: what lifetimes are measured on; the system's by default.
    ///   - refresh: makes a new token of the old one, which is nil at first.
    public init(
        token: AccessToken?, window: RefreshWindow? = RefreshWindow(), clock: any Clock<Duration> = ContinuousClock(),
        refresh: @escaping @Sendable (_ old: AccessToken?) async throws -> AccessToken
    ) {
        self.init(
            token, window: window, clock: clock, isDue: { $0.isDue(at: $1) }, apply: { $0.apply(to: &$1) },
            refresh: refresh)
    }
}
