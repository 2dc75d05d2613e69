// What a server asks for with a 401: `WWW-Authenticate` (RFC 9110, sections 11.3 to 11.6). Schemes and parameters are divided by
// the same comma, so where a challenge begins is known only from what follows. Reading is lenient: what is no challenge is passed over.

/// A challenge of a server: a scheme, and either parameters or a token.
public struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme, in small letters: `basic`, `digest`, `bearer`.
    public let scheme: String
    /// The token behind the scheme (`token68`), as Negotiate has one; nil without.
    public let token: String?
    /// The parameters, in their order.
    public let parameters: [FieldParameter]

    /// Makes a challenge; the scheme has no case.
    public init(scheme: String, token: String? = nil, parameters: [FieldParameter] = []) {
        self.scheme = scheme.lowercased()
        self.token = token
        self.parameters = parameters
    }

    /// The challenges of all `WWW-Authenticate` fields, in their order.
    public static func all(in headers: HTTPHeaders) -> [AuthenticationChallenge] {
        headers.values(for: "WWW-Authenticate").flatMap(all(in:))
    }

    /// The challenges in the value of one field.
    public static func all(in value: String) -> [AuthenticationChallenge] {
        var reader = FieldReader(value)
        var challenges: [AuthenticationChallenge] = []
        while !reader.isAtEnd {
            reader.skipListSpace()
            let scheme = reader.token()
            guard !scheme.isEmpty else {
                reader.skip(to: ",")
                continue
            }
            // A scheme ends with a space; one that runs into something else is none.
            guard reader.next.map({ $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }) ?? true else {
                reader.skip(to: ",")
                continue
            }
            reader.skipSpace()
            let token = reader.token68()
            challenges.append(
                AuthenticationChallenge(
                    scheme: scheme, token: token, parameters: token == nil ? reader.challengeParameters() : []))
        }
        return challenges
    }

    /// The value of the first parameter of a name, whatever its case.
    public subscript(name: String) -> String? { parameters.value(of: name.lowercased()) }

    /// The part of the server that the challenge is for.
    public var realm: String? { self["realm"] }
}

extension AuthenticationChallenge: CustomStringConvertible {
    /// The challenge as it is written.
    public var description: String {
        let rest = token.map { [$0] } ?? parameters.map(\.description)
        return rest.isEmpty ? scheme : scheme + " " + rest.joined(separator: ", ")
    }
}

extension FieldReader {
    /// Goes past spaces and commas.
    fileprivate mutating func skipListSpace() {
        repeat { skipSpace() } while take(",")
    }

    /// Whether a parameter comes next: a name, `=`, and a value behind it.
    private var isAtParameter: Bool {
        var probe = self
        guard !probe.token().isEmpty else { return false }
        probe.skipSpace()
        guard probe.take("=") else { return false }
        probe.skipSpace()
        guard let next = probe.next else { return false }
        return next == UInt8(ascii: "\"") || HTTPSyntax.isTokenByte(next)
    }

    /// A token68 that stands alone; nil, and nothing read, when something else comes next.
    fileprivate mutating func token68() -> String? {
        guard !isAtParameter else { return nil }
        var probe = self
        let text =
            probe.text { ASCII.isUnreserved($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
            + probe.text { $0 == UInt8(ascii: "=") }
        guard text.utf8.first.map({ $0 != UInt8(ascii: "=") }) ?? false else { return nil }
        probe.skipSpace()
        guard probe.next.map({ $0 == UInt8(ascii: ",") }) ?? true else { return nil }
        self = probe
        return text
    }

    /// The parameters up to the next challenge.
    fileprivate mutating func challengeParameters() -> [FieldParameter] {
        var parameters: [FieldParameter] = []
        while isAtParameter {
            let name = token()
            skipSpace()
            _ = take("=")
            skipSpace()
            parameters.append(FieldParameter(name, next == UInt8(ascii: "\"") ? quotedString() : token()))
            // What stands between a value and the comma belongs to neither.
            skip(to: ",")
            skipListSpace()
        }
        return parameters
    }
}
