// What a Digest challenge asks for, read and chosen among others: RFC 7616, sections 3.3 and 3.7. One whose algorithm or quality of
// protection is not known is no challenge for us.

/// A Digest challenge that can be answered.
struct DigestChallenge: Sendable, Equatable {
    /// What the response covers.
    enum Protection: String, Sendable {
        /// Nothing of the request but method and URL, without a counter (RFC 2069).
        case none = ""
        /// Method and URL.
        case auth
        /// The body too.
        case authInt = "auth-int"
    }

    /// An algorithm, the weakest first.
    enum Algorithm: Int, Comparable, Sendable {
        case md5
        case sha256
        case sha512over256
        case sha512

        static func < (left: Algorithm, right: Algorithm) -> Bool { left.rawValue < right.rawValue }

        var hash: HashFunction {
            switch self {
            case .md5: .md5
            case .sha256: .sha256
            case .sha512over256: .sha512over256
            case .sha512: .sha512
            }
        }
    }

    var realm: String
    var nonce: String
    var opaque: String?
    var algorithm = Algorithm.md5
    /// The algorithm as the server spells it; nil when it names none.
    var algorithmName: String?
    /// Whether the user's secret is hashed with the nonces of the session.
    var isSession = false
    var protection = Protection.none
    /// Whether the user's name is to be hashed too.
    var hashesUser = false
    /// Whether the request was refused for the age of its nonce alone.
    var isStale = false

    /// Reads a challenge; nil when it is of another scheme, incomplete, or asks for what is not known.
    init?(_ challenge: AuthenticationChallenge, preferringIntegrity: Bool = false) {
        guard challenge.scheme == "digest", let realm = challenge["realm"], let nonce = challenge["nonce"] else {
            return nil
        }
        (self.realm, self.nonce, opaque) = (realm, nonce, challenge["opaque"])
        if let name = challenge["algorithm"] {
            algorithmName = name
            var name = name.lowercased()
            if name.hasSuffix("-sess") {
                isSession = true
                name.removeLast("-sess".count)
            }
            switch name {
            case "md5": algorithm = .md5
            case "sha-256": algorithm = .sha256
            case "sha-512-256": algorithm = .sha512over256
            // Registered by nobody, and spoken by some.
            case "sha-512": algorithm = .sha512
            default: return nil
            }
        }
        if let offered = challenge["qop"] {
            let offers = offered.split(separator: ",").map { HeaderParameters.trimmed(String($0)).lowercased() }
            let known = (preferringIntegrity ? [Protection.authInt, .auth] : [.auth, .authInt])
                .first { offers.contains($0.rawValue) }
            guard let known else { return nil }
            protection = known
        }
        // Without a nonce of the client there is no session to hash.
        if protection == .none, isSession { return nil }
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        isStale = challenge["stale"]?.lowercased() == "true"
    }

    /// The strongest challenge that can be answered; the first among equals, since servers list what they prefer first.
    static func strongest(
        among challenges: [AuthenticationChallenge], preferringIntegrity: Bool = false
    ) -> DigestChallenge? {
        var best: DigestChallenge?
        for challenge in challenges {
            guard let known = DigestChallenge(challenge, preferringIntegrity: preferringIntegrity) else { continue }
            if best.map({ $0.algorithm < known.algorithm }) ?? true { best = known }
        }
        return best
    }
}
