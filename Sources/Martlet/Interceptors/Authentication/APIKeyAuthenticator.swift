// A key in a header field or in the query, for the many services that have agreed on nothing else. A field is the better place:
// URLs are logged by everybody on the way.

/// Authenticates with a key in a header field or in the query: `.apiKey(_:header:)`, `.apiKey(_:query:)`.
///
/// It steps aside where the caller has set the field, and is not sent over plain http. A key in the query is on the wire
/// and in no URL that Martlet gives back.
public struct APIKeyAuthenticator: Authenticator {
    private enum Place: Sendable {
        case header(String)
        case query(String)
    }

    private let place: Place
    private let key: Secret

    /// Makes an authenticator that sets a header field.
    public init(_ key: Secret, header: String) { (place, self.key) = (.header(header), key) }

    /// Makes an authenticator that adds to the query.
    public init(_ key: Secret, query: String) { (place, self.key) = (.query(query), key) }

    /// Adds the key.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        switch place {
        case .header(let name):
            if !request.headers.contains(name) { request.headers.append(name, key.revealed) }
        case .query(let name):
            request.url.appendQuery([(name, key.revealed)])
        }
    }
}

extension Authenticator where Self == APIKeyAuthenticator {
    /// A key in a header field.
    public static func apiKey(_ key: Secret, header: String = "X-Api-Key") -> APIKeyAuthenticator {
        APIKeyAuthenticator(key, header: header)
    }

    /// A key in the query.
    public static func apiKey(_ key: Secret, query: String) -> APIKeyAuthenticator {
        APIKeyAuthenticator(key, query: query)
    }
}
