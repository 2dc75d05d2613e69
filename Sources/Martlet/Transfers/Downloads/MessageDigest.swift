// Digests of files, by libcrypto, and the fields that state them (RFC 9530). Only SHA-256 and SHA-512: the others that the registry
// has are there for accidents, not for what is meant to deceive.

import Foundation

#if SocketTransport && os(Linux)
import COpenSSL
#endif

/// A digest under way.
final class MessageDigest {
    /// An algorithm, by its name in the fields.
    enum Algorithm: String, Sendable, CaseIterable {
        case sha512 = "sha-512"
        case sha256 = "sha-256"
    }

    /// What a file must come to.
    struct Expected: Sendable, Hashable {
        var algorithm: Algorithm
        var value: Data
    }

    #if SocketTransport && os(Linux)
    private let context: OpaquePointer

    /// Begins a digest; nil when this build has none.
    init?(_ algorithm: Algorithm) {
        guard let context = EVP_MD_CTX_new() else { return nil }
        self.context = context
        guard EVP_DigestInit_ex(context, algorithm == .sha256 ? EVP_sha256() : EVP_sha512(), nil) == 1 else {
            return nil
        }
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    func finish() -> Data {
        var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &value, &count)
        return Data(value.prefix(Int(count)))
    }
    #else
    init?(_ algorithm: Algorithm) { return nil }

    func update(_ bytes: UnsafeRawBufferPointer) {}

    func finish() -> Data { Data() }
    #endif

    /// The SHA-256 of some bytes; nil when this build has no digests.
    static func sha256(of data: Data) -> Data? {
        guard let digest = MessageDigest(.sha256) else { return nil }
        data.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
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

extension Data {
    /// The bytes in small hexadecimal digits.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
