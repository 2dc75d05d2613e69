// Basic authentication with what a netrc file has for the host of each call; see `Netrc` for the file.

/// Authenticates with the user and password that a netrc file has for the host: `.netrc(_:)`.
///
/// Calls to hosts that are not in the file, and requests that a redirect led to another origin, go without.
public struct NetrcAuthenticator: Authenticator {
    private let file: Netrc

    /// Makes an authenticator of a file that was read.
    public init(_ file: Netrc) { self.file = file }

    /// Sets the `Authorization` field for a host that the file knows. Throws `invalidRequest` for a user or password that
    /// cannot be sent.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        guard !request.hasOwnAuthorization, let entry = file.entry(for: request.url.origin.host) else { return }
        let value = try BasicAuthenticator.value(user: entry.user, password: entry.password)
        request.headers.append("Authorization", value.revealed)
    }
}

extension NetrcAuthenticator: HostBoundAuthenticator, ImmediateAuthenticator {
    func knows(_ host: Origin.Host) -> Bool { file.entry(for: host) != nil }
}

extension Authenticator where Self == NetrcAuthenticator {
    /// The user and password that a netrc file has for the host of a call.
    public static func netrc(_ file: Netrc) -> NetrcAuthenticator { NetrcAuthenticator(file) }
}
