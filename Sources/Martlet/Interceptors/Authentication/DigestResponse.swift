// The answer to a Digest challenge as a value: RFC 7616, sections 3.4 and 4. Which parameters are quoted is part of it, since
// servers are strict about it.

/// What one request says to a Digest challenge.
struct DigestResponse: Sendable {
    var challenge: DigestChallenge
    var user: String
    var password: Secret
    var method: String
    /// The target of the request, as it stands in its request line.
    var target: String
    /// The nonce of the client.
    var clientNonce: String
    /// How many requests there were with the server's nonce, this one included.
    var count: UInt32
    /// The digest of the body, where that is covered.
    var bodyHash = ""

    /// The value of the `Authorization` field. Throws `unsupported` where there is no such digest.
    func fieldValue() throws(MartletError) -> String {
        let hash = challenge.algorithm.hash
        var parameters = ["username\(try userParameter(hash))", "realm=\(Self.quoted(challenge.realm))"]
        parameters.append("nonce=\(Self.quoted(challenge.nonce))")
        parameters.append("uri=\(Self.quoted(target))")
        if let name = challenge.algorithmName { parameters.append("algorithm=\(name)") }
        parameters.append("response=\"\(try response(hash))\"")
        if let opaque = challenge.opaque { parameters.append("opaque=\(Self.quoted(opaque))") }
        if challenge.protection != .none {
            parameters.append("qop=\(challenge.protection.rawValue)")
            parameters.append("nc=\(counter)")
            parameters.append("cnonce=\(Self.quoted(clientNonce))")
        }
        if challenge.hashesUser { parameters.append("userhash=true") }
        return "Digest " + parameters.joined(separator: ", ")
    }

    /// The counter in eight hexadecimal digits.
    private var counter: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    private func userParameter(_ hash: HashFunction) throws(MartletError) -> String {
        if challenge.hashesUser { return "=\"\(try hash.hex("\(user):\(challenge.realm)"))\"" }
        guard !user.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { return "=\(Self.quoted(user))" }
        // RFC 8187: the parameter with an asterisk is for what no quoted string holds.
        return "*=UTF-8''\(ASCII.escaped(user))"
    }

    private func response(_ hash: HashFunction) throws(MartletError) -> String {
        var secret = try hash.hex("\(user):\(challenge.realm):\(password.revealed)")
        if challenge.isSession { secret = try hash.hex("\(secret):\(challenge.nonce):\(clientNonce)") }
        let covered = challenge.protection == .authInt ? "\(method):\(target):\(bodyHash)" : "\(method):\(target)"
        let request = try hash.hex(covered)
        guard challenge.protection != .none else { return try hash.hex("\(secret):\(challenge.nonce):\(request)") }
        let middle = [challenge.nonce, counter, clientNonce, challenge.protection.rawValue].joined(separator: ":")
        return try hash.hex("\(secret):\(middle):\(request)")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
