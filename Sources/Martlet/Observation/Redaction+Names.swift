// Which names are those of secrets. Names are compared as people spell them in different places: without case, hyphens, underscores and
// dots, so that `api_key`, `apiKey` and `API-Key` are one. Known endings catch what nobody has listed (`X-Acme-Token`).

extension Redaction {
    /// A set of names whose values are hidden.
    ///
    /// Case, hyphens, underscores and dots do not count: `api_key` and `Api-Key` are the same name.
    public struct Names: Sendable, Hashable {
        private var hidden: Set<String>
        private var shown: Set<String> = []
        private var endings: Set<String>
        private var hidesOthers: Bool

        private init(_ hidden: Set<String>, endings: Set<String> = [], hidesOthers: Bool = false) {
            self.hidden = hidden
            self.endings = endings
            self.hidesOthers = hidesOthers
        }

        /// Every name.
        public static let all = Names([], hidesOthers: true)

        /// No name.
        public static let none = Names([])

        /// The names of secrets: `Authorization`, `Cookie`, `password` and others, and all that end in `token`, `secret`, `password`,
        /// `apikey` and the like.
        public static let secrets = Names(known, endings: knownEndings)

        /// These names and no other.
        public static func only(_ names: String...) -> Names { Names(Set(names.map(normalised))) }

        /// Hides more names.
        public mutating func hide(_ names: String...) {
            for name in names.map(Self.normalised) {
                shown.remove(name)
                hidden.insert(name)
            }
        }

        /// Shows names that would be hidden.
        public mutating func show(_ names: String...) {
            for name in names.map(Self.normalised) {
                hidden.remove(name)
                shown.insert(name)
            }
        }

        /// Whether the value of a name is hidden.
        public func contains(_ name: String) -> Bool {
            if self == .none { return false }
            let name = Self.normalised(name)
            if shown.contains(name) { return false }
            return hidesOthers || hidden.contains(name) || endings.contains { name.hasSuffix($0) }
        }

        private static func normalised(_ name: String) -> String {
            name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != "." && $0 != " " }
        }

        private static let known: Set<String> = [
            "auth", "dpop", "pass", "passwd", "passphrase", "pwd", "pin", "otp", "totp", "cvc", "cvv", "ssn",
            "cardnumber",
            "sig", "sid", "jwt", "saml", "samlresponse", "samlrequest", "clientassertion", "assertion", "codeverifier",
            "xamzcredential", "xgoogcredential", "pemkey", "xcsrf", "xxsrf",
        ]

        private static let knownEndings: Set<String> = [
            "authorization", "cookie", "cookies", "token", "secret", "password", "apikey", "accesskey", "privatekey",
            "secretkey", "subscriptionkey", "functionskey", "authkey", "sessionkey", "sessionid", "sessid",
            "credentials",
            "signature", "authenticationinfo",
        ]
    }
}
