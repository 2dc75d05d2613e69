// Digest authentication (RFC 7616): the password is proved and not sent. The first request goes without; the server's challenge is
// answered, and requests after it are authenticated with the same nonce and a counter, until the server says that it is stale.

/// Authenticates with a user and a password that is not sent: `.digest(user:password:)`.
///
/// MD5, SHA-256 and SHA-512-256 are answered, with `-sess` and without, the strongest of those that a server offers. It
/// steps aside where the caller has set an `Authorization` field, and a refusal is answered once, or twice when the nonce
/// was too old. Needs OpenSSL, which comes with the trait SocketTransport.
public struct DigestAuthenticator: Authenticator {
    /// What is known of a server.
    struct Session: Sendable {
        var challenge: DigestChallenge
        let clientNonce: String
        var count: UInt32 = 0
    }

    private let user: String
    private let password: Secret
    private let prefersIntegrity: Bool
    private let makeNonce: @Sendable () -> String
    private let sessions = Lock<[Origin: Session]>([:])

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - user: the user's name.
    ///   - password: the user's password.
    ///   - prefersIntegrity: whether the body is covered too (`auth-int`) where a server offers both; false by default,
    ///     and it is where a server offers nothing else. The body is then read twice.
    public init(user: String, password: Secret, prefersIntegrity: Bool = false) {
        self.init(user: user, password: password, prefersIntegrity: prefersIntegrity) {
            (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
        }
    }

    init(user: String, password: Secret, prefersIntegrity: Bool, makeNonce: @escaping @Sendable () -> String) {
        self.user = user
        self.password = password
        self.prefersIntegrity = prefersIntegrity
        self.makeNonce = makeNonce
    }

    /// False: the password is not in what is sent.
    public var exposesCredential: Bool { false }

    /// Answers the last challenge of the request's origin, if there was one.
    ///
    /// - Throws: `bodyNotReplayable` when the body has to be covered and can be read only once, `unsupported` where there
    ///   is no such digest.
    public nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
        guard !request.hasOwnAuthorization else { return }
        let origin = request.url.origin
        let known: Session? = sessions.withLock { sessions in
            sessions[origin]?.count += 1
            return sessions[origin]
        }
        guard let known else { return }
        var response = DigestResponse(
            challenge: known.challenge, user: user, password: password, method: request.method.rawValue,
            target: request.url.target, clientNonce: known.clientNonce, count: known.count)
        if known.challenge.protection == .authInt {
            response.bodyHash = try await known.challenge.algorithm.hash.hex(of: request.body)
        }
        request.headers.append("Authorization", try response.fieldValue())
    }

    /// Takes the challenge, if it is one that can be answered and has not been.
    public nonisolated(nonsending) func respond(to refusal: AuthenticationRefusal) async throws -> Bool {
        let challenges = refusal.challenges
        guard
            let challenge = DigestChallenge.strongest(among: challenges, preferringIntegrity: prefersIntegrity),
            refusal.number == 1 || challenge.isStale
        else { return false }
        if refusal.number == 1, let field = refusal.request.headers["Authorization"] {
            // The caller's own, which is none of ours to replace.
            guard field.hasPrefix("Digest ") else { return false }
        }
        if challenge.protection == .authInt, !refusal.request.body.isReplayable { return false }
        let session = Session(challenge: challenge, clientNonce: makeNonce())
        sessions.withLock { $0[refusal.request.url.origin] = session }
        return true
    }
}

extension Authenticator where Self == DigestAuthenticator {
    /// A user and a password that is proved and not sent (RFC 7616).
    public static func digest(
        user: String, password: Secret, prefersIntegrity: Bool = false
    ) -> DigestAuthenticator {
        DigestAuthenticator(user: user, password: password, prefersIntegrity: prefersIntegrity)
    }
}
