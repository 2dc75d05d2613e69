// Digests of files, and the fields that state them (RFC 9530). Only SHA-256 and SHA-512: the others that the registry
// has are there for accidents, not for what is meant to deceive.

import Foundation

/// What the digest of a file is told by.
enum MessageDigest {
    /// An algorithm, by its name in the fields.
    enum Algorithm: String, Sendable, CaseIterable {
        case sha512 = "sha-512"
        case sha256 = "sha-256"

        var hash: HashFunction {
            switch self {
            case .sha512: .sha512
            case .sha256: .sha256
            }
        }
    }

    /// What a file must come to.
    struct Expected: Sendable, Hashable {
        var algorithm: Algorithm
        var value: Data
    }

    /// The SHA-256 of some bytes; nil when this build has no digests.
    static func sha256(of data: Data) -> Data? { (try? HashFunction.sha256.digest(data)).map { Data($0) } }
}

extension MessageDigest.Expected {
    /// A SHA-256 in hexadecimal digits; nil when it is none.
    init?(sha256 text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var value = Data()
        for index in stride(from: 0, to: 64, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16),
                digits[index] != UInt8(ascii: "+"), digits[index] != UInt8(ascii: "-")
            else { return nil }
            value.append(byte)
        }
        self.init(algorithm: .sha256, value: value)
    }

    /// The strongest digest of the whole file that the fields state: `Repr-Digest`, or `Content-Digest` where the content is the
    /// whole file. Nil when there is none that is known.
    init?(_ head: ResponseHead) {
        let names = head.status == .partialContent ? ["Repr-Digest"] : ["Repr-Digest", "Content-Digest"]
        for name in names {
            let list = head.headers.combined(for: name) ?? ""
            for algorithm in MessageDigest.Algorithm.allCases {
                for member in list.split(separator: ",") {
                    let text = member.trimmingCharacters(in: .whitespaces)
                    let prefix = "\(algorithm.rawValue)=:"
                    guard text.lowercased().hasPrefix(prefix), text.hasSuffix(":"), text.count > prefix.count,
                        let value = Data(base64Encoded: String(text.dropFirst(prefix.count).dropLast()))
                    else { continue }
                    self.init(algorithm: algorithm, value: value)
                    return
                }
            }
        }
        return nil
    }
}
