// The texts that Signature Version 4 is computed over, as values: the canonical request, what is signed, and the signature. By the
// rules that AWS publishes ("Create a signed AWS API request", IAM User Guide).

import Foundation

/// One request as Signature Version 4 sees it.
struct SigV4Text: Sendable {
    static let algorithm = "AWS4-HMAC-SHA256"
    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    var method: String
    /// The path as it stands in the request line.
    var path: String
    /// The query as it stands in the request line; nil without one.
    var query: String?
    /// The fields to sign, with their values in order.
    var fields: [(name: String, values: [String])]
    var payloadHash: String
    /// `20130524T000000Z`
    var timestamp: String
    var region: String
    var service: String
    /// Whether the path is escaped once more, as all services but S3 want it.
    var escapesPathTwice: Bool

    /// The request in its canonical form.
    var canonicalRequest: String {
        let sorted = fields.map { (name: $0.name.lowercased(), values: $0.values) }.sorted { $0.name < $1.name }
        let lines = sorted.map { "\($0.name):\($0.values.map(Self.collapsed).joined(separator: ","))\n" }
        return [
            method, canonicalPath, canonicalQuery, lines.joined(), signedFields, payloadHash,
        ].joined(separator: "\n")
    }

    /// The names of the signed fields.
    var signedFields: String { fields.map { $0.name.lowercased() }.sorted().joined(separator: ";") }

    /// Where and when the signature is good.
    var scope: String { "\(timestamp.prefix(8))/\(region)/\(service)/aws4_request" }

    /// The signature, in hexadecimal digits. Throws `unsupported` where there is no such digest.
    func signature(_ key: Secret) throws(MartletError) -> String {
        let hash = HashFunction.sha256
        let text = [Self.algorithm, timestamp, scope, try hash.hex(canonicalRequest)].joined(separator: "\n")
        var code = Array("AWS4\(key.revealed)".utf8)
        for part in [String(timestamp.prefix(8)), region, service, "aws4_request", text] {
            code = try hash.authenticationCode(of: Array(part.utf8), key: code)
        }
        return code.hexadecimal
    }

    private var canonicalPath: String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { segment in
            ASCII.escaped(escapesPathTwice ? String(segment) : Self.unescaped(segment))
        }.joined(separator: "/")
    }

    private var canonicalQuery: String {
        let items = (query ?? "").split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (
                name: ASCII.escaped(Self.unescaped(parts.first ?? "")),
                value: ASCII.escaped(parts.count > 1 ? Self.unescaped(parts[1]) : "")
            )
        }
        return items.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    private static func unescaped(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }

    /// The value without space around it, and one space where there are several.
    private static func collapsed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

extension SigV4Text {
    /// A moment as the signature has it: `20130524T000000Z`.
    static func timestamp(_ date: Date) -> String {
        Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt).format(date)
    }
}
