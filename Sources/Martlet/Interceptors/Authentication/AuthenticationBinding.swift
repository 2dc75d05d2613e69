// Where a credential belongs. Every one is bound to an origin: that of the base URL for a client's, that of its own URL for a
// call's, or one that the caller names. It is never sent to another, whatever redirects say.

/// An authenticator and the origin that it is for.
struct AuthenticationBinding: Sendable {
    /// Where the credential may go.
    enum Place: Sendable {
        case origin(Origin)
        /// Where the call itself leads, and nowhere that it is redirected to.
        case ofTheCall
        /// The origin of the client's base URL, which is not known yet.
        case ofTheClient
        /// Nowhere: calls fail.
        case invalid(MartletError)
    }

    /// How an authenticator is asked.
    enum Kind: Sendable {
        case plain(any Authenticator)
        case refreshing(any GenerationalAuthenticator)
    }

    let kind: Kind
    var place: Place
    let allowsPlainHTTP: Bool
    /// The authenticator, if it has credentials for some hosts alone.
    private let hostBound: (any HostBoundAuthenticator)?
    /// Whether it may wait for something that knows nothing of the call's deadline.
    let mayWait: Bool

    init(_ authenticator: any Authenticator, _ place: Place, allowsPlainHTTP: Bool) {
        self.allowsPlainHTTP = allowsPlainHTTP || !authenticator.exposesCredential
        if let refreshing = authenticator as? any GenerationalAuthenticator {
            kind = .refreshing(refreshing)
            mayWait = false
        } else {
            kind = .plain(authenticator)
            mayWait = !(authenticator is any ImmediateAuthenticator)
        }
        hostBound = authenticator as? any HostBoundAuthenticator
        // What finds its credentials by the host is at home everywhere, but not where a server sends it.
        if case .ofTheClient = place, hostBound != nil {
            self.place = .ofTheCall
        } else {
            self.place = place
        }
    }

    init(
        _ authenticator: any Authenticator, at place: (any URLConvertible)?, otherwise other: Place,
        allowsPlainHTTP: Bool
    ) {
        guard let place else {
            self.init(authenticator, other, allowsPlainHTTP: allowsPlainHTTP)
            return
        }
        do throws(MartletError) {
            let url = try place.requestURL(relativeTo: nil, allowingOtherOrigin: true)
            self.init(authenticator, .origin(url.origin), allowsPlainHTTP: allowsPlainHTTP)
        } catch {
            self.init(authenticator, .invalid(error), allowsPlainHTTP: allowsPlainHTTP)
        }
    }

    /// Whether the credential may go along with the request.
    ///
    /// - Throws: what is wrong with the binding.
    func isFor(_ request: Request) throws(MartletError) -> Bool {
        if let hostBound, !hostBound.knows(request.url.origin.host) { return false }
        switch place {
        case .origin(let origin):
            // A call that has left an origin is led back to it by another, which has chosen where to.
            return origin == request.url.origin && request.options.leftURL?.origin != origin
        case .ofTheCall: return request.options.leftURL == nil
        case .ofTheClient: throw Self.homeless
        case .invalid(let error): throw error
        }
    }

    /// The same with the origin of a client's base URL.
    func bound(to base: Result<RequestURL, MartletError>?) -> AuthenticationBinding {
        guard case .ofTheClient = place else { return self }
        var bound = self
        switch base {
        case .success(let url): bound.place = .origin(url.origin)
        case .failure(let error): bound.place = .invalid(error)
        case nil: bound.place = .invalid(Self.homeless)
        }
        return bound
    }

    private static let homeless = MartletError(
        .invalidRequest,
        "The client has a credential and no base URL: say to which origin it belongs with `at:`, or give it a base URL."
    )
}

/// An authenticator that never waits.
protocol ImmediateAuthenticator: Authenticator {}

/// An authenticator that finds its credentials by the host of the request.
protocol HostBoundAuthenticator: Authenticator {
    /// Whether there are credentials for a host.
    func knows(_ host: Origin.Host) -> Bool
}

extension BasicAuthenticator: ImmediateAuthenticator {}
extension BearerAuthenticator: ImmediateAuthenticator {}
extension APIKeyAuthenticator: ImmediateAuthenticator {}

/// An authenticator whose credentials come in generations.
protocol GenerationalAuthenticator: Authenticator {
    /// Prepares the request if that takes no waiting; nil otherwise. Returns the generation of the credential.
    func prepareAtOnce(_ request: inout Request) throws -> Int?

    /// Prepares the request with a credential that is newer than one that was refused, if any.
    ///
    /// Returns its generation; nil when the request is to go without, as the one does that fetches the credential.
    nonisolated(nonsending) func prepare(_ request: inout Request, after refused: Int?) async throws -> Int?

    /// Notes that a credential was refused, for whoever comes next.
    func refuse(_ generation: Int)
}

extension Origin {
    /// Whether what is sent there stays on this machine.
    var isLoopback: Bool {
        switch host {
        case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
        case .ipv4(let address): address >> 24 == 127
        case .ipv6(let address): address == 1
        }
    }
}
