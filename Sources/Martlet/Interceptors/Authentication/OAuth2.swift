// Tokens from an OAuth 2 server: by the client's own credentials (RFC 6749, section 4.4) or by a refresh token (section 6). The
// token is fetched when it is needed, replaced shortly before its end, and again when it is refused.

import Foundation

/// How a bearer token is obtained from an OAuth 2 server.
///
/// ```swift
/// let login = OAuth2(
///     tokenURL: "https://login.example.com/token", clientID: "app",
///     clientSecret: "s3cr3t", scopes: ["reports"])
/// let reports = client.authenticated(by: .oauth2(login, through: client))
/// ```
public struct OAuth2: Sendable {
    /// What the token is asked for with.
    public enum Grant: Sendable, Hashable {
        /// The client's own id and secret.
        case clientCredentials
        /// A refresh token; when the server answers with a new one, that is used from then on.
        case refreshToken(Secret)
    }

    /// Where the client's id and secret go.
    public enum ClientAuthentication: Sendable, Hashable {
        /// In an `Authorization` field, as basic authentication; every server must know it.
        case basic
        /// In the body, for servers that know nothing else.
        case body
    }

    /// Where tokens are handed out; https, or a loopback address.
    public var tokenURL: any URLConvertible
    /// The client's id.
    public var clientID: String
    /// The client's secret; nil for a client that has none.
    public var clientSecret: Secret?
    /// What the token is asked for with; the client's own credentials by default.
    public var grant: Grant
    /// What the token is to be good for; empty, the default, leaves it to the server.
    public var scopes: [String]
    /// Where the client's id and secret go; into an `Authorization` field by default.
    public var clientAuthentication = ClientAuthentication.basic
    /// Further parameters of the request, such as an `audience`; none by default.
    public var parameters: [String: String] = [:]

    /// Describes how a token is obtained.
    public init(
        tokenURL: some URLConvertible, clientID: String, clientSecret: Secret? = nil,
        grant: Grant = .clientCredentials, scopes: [String] = []
    ) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.grant = grant
        self.scopes = scopes
    }

    /// Obtains a token.
    ///
    /// - Parameters:
    ///   - old: the token before it, whose refresh token is used where it has one.
    ///   - client: what the request is sent through; without its own authentication, and without following redirects.
    /// - Throws: `authenticationFailed` when the server refuses or its answer holds no bearer token, `insecureCredential`
    ///   when its URL is not https; what the call fails with.
    public func token(after old: AccessToken? = nil, through client: MartletClient) async throws -> AccessToken {
        let answer = try await request(after: old, through: client).response()
        let reply = try? JSONDecoder().decode(Reply.self, from: answer.body)
        guard answer.status.isSuccess else { throw refusal(answer.status, reply?.error) }
        // The body holds secrets, so that no error may quote it.
        guard let reply, let value = reply.accessToken, !value.isEmpty else {
            throw MartletError(.authenticationFailed, "The answer of the token server holds no access token.")
        }
        guard reply.tokenType.map({ $0.lowercased() == "bearer" }) ?? true else {
            throw MartletError(.authenticationFailed, "The token server gives tokens that are no bearer tokens.")
        }
        let lifetime = reply.seconds.map { Duration.seconds(min(max($0, 0), 1e9)) }
        return AccessToken(value, lifetime: lifetime, refreshToken: reply.refreshToken ?? refreshToken(after: old))
    }

    private func refreshToken(after old: AccessToken?) -> Secret? {
        guard case .refreshToken(let first) = grant else { return nil }
        return old?.refreshToken ?? first
    }

    private func request(after old: AccessToken?, through client: MartletClient) throws -> Call {
        let url = try tokenURL.requestURL(relativeTo: nil, allowingOtherOrigin: true)
        guard url.origin.scheme == .https || url.origin.isLoopback else {
            throw MartletError(
                .insecureCredential, "The URL of the token server is not https, so that secrets would go in the clear.")
        }
        var fields = parameters
        if let refreshToken = refreshToken(after: old) {
            fields["grant_type"] = "refresh_token"
            fields["refresh_token"] = refreshToken.revealed
        } else {
            fields["grant_type"] = "client_credentials"
        }
        if !scopes.isEmpty { fields["scope"] = scopes.joined(separator: " ") }
        // What the client sends to its own server is not for this one.
        let plain = client.scoped {
            $0.allowsOtherOrigins = true
            $0.headers = [:]
            $0.removeAuthentication()
        }
        var call = plain.post(url).redirects(.never).header("Accept", "application/json")
        if let clientSecret, clientAuthentication == .basic {
            // RFC 6749, section 2.3.1: both are encoded as in a form first.
            let value = try BasicAuthenticator.value(
                user: ASCII.escaped(clientID), password: Secret(ASCII.escaped(clientSecret.revealed)))
            call = call.header("Authorization", value.revealed)
        } else {
            fields["client_id"] = clientID
            fields["client_secret"] = clientSecret?.revealed
        }
        let body = fields.sorted { $0.key < $1.key }
            .map { "\(ASCII.escaped($0.key))=\(ASCII.escaped($0.value))" }.joined(separator: "&")
        return call.body(data: Data(body.utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// The error codes of section 5.2 are words; anything else that a server sends there is not repeated.
    private func refusal(_ status: HTTPStatus, _ error: String?) -> MartletError {
        let word = error.flatMap { $0.utf8.count <= 64 && HTTPSyntax.isToken($0) ? ", \($0)" : nil } ?? ""
        return MartletError(
            .authenticationFailed, "The token server answered \(status)\(word): see the client's id, secret and grant.")
    }

    /// The answer of a token server: RFC 6749, sections 5.1 and 5.2.
    private struct Reply: Decodable {
        var accessToken: Secret?
        var tokenType: String?
        var refreshToken: Secret?
        var seconds: Double?
        var error: String?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case refreshToken = "refresh_token"
            case expires = "expires_in"
            case error
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            accessToken = try container.decodeIfPresent(Secret.self, forKey: .accessToken)
            tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
            refreshToken = try container.decodeIfPresent(Secret.self, forKey: .refreshToken)
            error = try? container.decodeIfPresent(String.self, forKey: .error)
            // A number, and from some servers one in quotes.
            seconds =
                (try? container.decodeIfPresent(Double.self, forKey: .expires))
                ?? (try? container.decodeIfPresent(String.self, forKey: .expires)).flatMap { Double($0) }
        }
    }
}

extension Authenticator where Self == RefreshingAuthenticator<AccessToken> {
    /// A bearer token from an OAuth 2 server (RFC 6749), fetched and refreshed when it is needed. Make it once and keep it.
    ///
    /// - Parameters:
    ///   - login: how the token is obtained.
    ///   - client: what it is obtained through, which may be the client that it authenticates.
    ///   - token: a token that is there already; nil by default.
    ///   - clock: what lifetimes are measured on; the system's by default.
    public static func oauth2(
        _ login: OAuth2, through client: MartletClient, token: AccessToken? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> RefreshingAuthenticator<AccessToken> {
        RefreshingAuthenticator(token: token, clock: clock) { old in try await login.token(after: old, through: client)
        }
    }
}
