// A token in each request (RFC 6750), in the Authorization field: the other places that the RFC has are logged and cached.

/// Authenticates with a token that does not change: `.bearer(_:)`. For one that expires see ``RefreshingAuthenticator``.
///
/// It steps aside where the caller has set an `Authorization` field, and is not sent over plain http.
public struct BearerAuthenticator: Authenticator {
    private let value: Secret

    /// Makes an authenticator of a token.
    public init(token: Secret) { value = Secret("Bearer \(token.revealed)") }

    /// Sets the `Authorization` field.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        guard !request.hasOwnAuthorization else { return }
        request.headers.append("Authorization", value.revealed)
    }
}

extension Authenticator where Self == BearerAuthenticator {
    /// A token in each request (RFC 6750).
    public static func bearer(_ token: Secret) -> BearerAuthenticator { BearerAuthenticator(token: token) }
}
