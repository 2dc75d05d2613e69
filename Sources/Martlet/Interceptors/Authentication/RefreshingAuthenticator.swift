// A credential that expires and is replaced by a new one: a bearer token, a session, whatever the caller's service has. However many
// calls need the new one, it is fetched once. Default: refreshed when a server refuses it with 401, at most 5 times in 30 s.

/// Authenticates with a credential that is refreshed when it is due, or when it is refused.
///
/// ```swift
/// let tokens = RefreshingAuthenticator(token: nil) { old in
///     let made: Token = try await client.post("/token", json: login).json()
///     return AccessToken(Secret(made.value), lifetime: .seconds(made.seconds))
/// }
/// let session = client.authenticated(by: tokens)
/// ```
///
/// The refresh may use the client that it authenticates: its own calls go without. Calls that meet a refresh wait for it,
/// and one that is cancelled leaves the others waiting. When it fails, all that waited fail with `authenticationFailed`;
/// the next call tries again. Make one for a credential and keep it: copies share the credential.
public struct RefreshingAuthenticator<Credential: Sendable>: Authenticator {
    let refresher: CredentialRefresher<Credential>
    private let apply: @Sendable (Credential, inout Request) throws -> Void
    private let refuses: (@Sendable (ResponseHead) -> Bool)?

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - credential: the first credential; nil, the default, fetches it when it is needed.
    ///   - window: how often it may be refreshed; 5 times in 30 s by default, nil for no bound.
    ///   - clock: what ages are measured on; the system's by default.
    ///   - isDue: whether a credential of this age is refreshed before it is used; never by default.
    ///   - isRefusal: whether a response refuses the credential; by default one with the status 401.
    ///   - apply: adds the credential to a request. What it throws ends the call.
    ///   - refresh: makes a new credential of the old one, which is nil at first.
    public init(
        _ credential: Credential? = nil, window: RefreshWindow? = RefreshWindow(),
        clock: any Clock<Duration> = ContinuousClock(),
        isDue: @escaping @Sendable (_ credential: Credential, _ age: Duration) -> Bool = { _, _ in false },
        isRefusal: (@Sendable (ResponseHead) -> Bool)? = nil,
        apply: @escaping @Sendable (Credential, inout Request) throws -> Void,
        refresh: @escaping @Sendable (_ old: Credential?) async throws -> Credential
    ) {
        refresher = CredentialRefresher(
            credential, window: window, clock: PolicyClock(clock), isDue: isDue, refresh: refresh)
        self.apply = apply
        refuses = isRefusal
    }

    /// The credential as it is now; nil before the first was fetched.
    public var credential: Credential? { refresher.credential }

    /// Replaces the credential by one that came from elsewhere, such as a new login. What was refused, failed or counted
    /// before is forgotten, and calls that wait get this one.
    public func replace(by credential: Credential) { refresher.set(credential) }

    /// Adds the credential, after a refresh if it needs one.
    ///
    /// - Throws: `authenticationFailed` when the refresh fails, `excessiveRefresh` when there were too many.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        _ = try await prepare(&request, after: nil)
    }

    /// Has the credential refreshed by who prepares a request next.
    public nonisolated(nonsending) func respond(to refusal: AuthenticationRefusal) async throws -> Bool {
        guard refusal.number == 1 else { return false }
        if let current = refresher.currentAtOnce() { refresher.refuse(current.generation) }
        return true
    }

    /// Whether the response refuses the credential.
    public func isRefusal(_ response: ResponseHead) -> Bool { refuses?(response) ?? (response.status.code == 401) }
}

extension RefreshingAuthenticator: GenerationalAuthenticator {
    func prepareAtOnce(_ request: inout Request) throws -> Int? {
        guard let current = refresher.currentAtOnce() else { return nil }
        try apply(current.credential, &request)
        return current.generation
    }

    nonisolated(nonsending) func prepare(_ request: inout Request, after refused: Int?) async throws -> Int? {
        guard let current = try await refresher.current(after: refused) else { return nil }
        try apply(current.credential, &request)
        return current.generation
    }

    func refuse(_ generation: Int) { refresher.refuse(generation) }
}
