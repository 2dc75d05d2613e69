// Who authenticates calls: set for a client, for a scoped client or for a call. A later credential comes before an earlier one of
// the same origin, and a call's before its client's.

extension MartletClient {
    /// A client whose calls to one origin are authenticated; it shares this one's connections.
    ///
    /// ```swift
    /// let client = MartletClient(baseURL: "https://api.example.com")
    ///     .authenticated(by: .basic(user: "ada", password: "s3cr3t"))
    /// ```
    ///
    /// - Parameters:
    ///   - authenticator: adds the credential.
    ///   - origin: a URL at the origin that the credential is for; the base URL by default. It is sent nowhere else, not
    ///     after a redirect either.
    ///   - allowingPlainHTTP: whether a credential that others could read and use may go over http; false by default, and
    ///     such a call ends with `insecureCredential`, except to loopback names and addresses.
    public func authenticated(
        by authenticator: some Authenticator, at origin: (any URLConvertible)? = nil, allowingPlainHTTP: Bool = false
    ) -> MartletClient {
        scoped { $0.authenticate(by: authenticator, at: origin, allowingPlainHTTP: allowingPlainHTTP) }
    }
}

extension CallDefaults {
    /// Has calls to one origin authenticated; see ``MartletClient/authenticated(by:at:allowingPlainHTTP:)``.
    public mutating func authenticate(
        by authenticator: some Authenticator, at origin: (any URLConvertible)? = nil, allowingPlainHTTP: Bool = false
    ) {
        authentication.append(
            AuthenticationBinding(
                authenticator, at: origin, otherwise: .ofTheClient, allowsPlainHTTP: allowingPlainHTTP))
    }

    /// Has no call authenticated.
    public mutating func removeAuthentication() { authentication = [] }

    /// Binds what belongs to the base URL's origin to it, so that another base URL does not take it along.
    mutating func bindAuthentication() {
        guard !authentication.isEmpty else { return }
        authentication = authentication.map { $0.bound(to: base) }
    }
}

extension Call {
    /// Has this call authenticated, whatever its client does.
    ///
    /// ```swift
    /// let report = try await client.get("/report").authenticated(by: .bearer("s3cr3t")).data()
    /// ```
    ///
    /// - Parameters:
    ///   - authenticator: adds the credential.
    ///   - origin: a URL at the origin that the credential is for; the call's own by default. It is sent nowhere else, not
    ///     after a redirect either.
    ///   - allowingPlainHTTP: whether a credential that others could read and use may go over http; false by default, and
    ///     the call then ends with `insecureCredential`, except to loopback names and addresses.
    public func authenticated(
        by authenticator: some Authenticator, at origin: (any URLConvertible)? = nil, allowingPlainHTTP: Bool = false
    ) -> Call {
        changingPolicies {
            $0.authentication.append(
                AuthenticationBinding(
                    authenticator, at: origin, otherwise: .ofTheCall, allowsPlainHTTP: allowingPlainHTTP))
        }
    }

    /// Has this call not authenticated, whatever its client does.
    public func unauthenticated() -> Call { changingPolicies { $0.authentication = [] } }
}
