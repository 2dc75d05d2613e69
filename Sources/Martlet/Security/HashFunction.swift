// Digests and message authentication codes by OpenSSL; none of our own. Builds without the trait SocketTransport have no OpenSSL, and
// what needs a digest says so with `unsupported`. FIPS 180-4 (SHA-2), RFC 1321 (MD5), RFC 2104 (HMAC).

import Foundation

#if SocketTransport && os(Linux)
import COpenSSL
#endif

/// A digest algorithm.
enum HashFunction: Sendable {
    /// For Digest authentication alone, where servers know no other.
    case md5
    case sha256
    case sha512
    case sha512over256
}

#if SocketTransport && os(Linux)
extension HashFunction {
    fileprivate var algorithm: OpaquePointer? {
        switch self {
        case .md5: EVP_md5()
        case .sha256: EVP_sha256()
        case .sha512: EVP_sha512()
        case .sha512over256: EVP_sha512_256()
        }
    }

    /// The digest of bytes. Throws `unsupported` where the system forbids the algorithm.
    func digest(_ bytes: some ContiguousBytes) throws(MartletError) -> [UInt8] {
        try makeOutput { output, count in
            bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, output, count, algorithm, nil) == 1 }
        }
    }

    /// The authentication code of bytes under a key.
    func authenticationCode(of bytes: some ContiguousBytes, key: some ContiguousBytes) throws(MartletError) -> [UInt8] {
        try makeOutput { output, count in
            key.withUnsafeBytes { key in
                bytes.withUnsafeBytes { bytes in
                    HMAC(
                        algorithm, key.baseAddress, Int32(clamping: key.count), bytes.baseAddress, bytes.count, output,
                        count) != nil
                }
            }
        }
    }

    private func makeOutput(
        _ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>) -> Bool
    ) throws(MartletError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let isDone = output.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { body($0, &count) } ?? false
        }
        guard isDone, Int(count) <= output.count else {
            ERR_clear_error()
            throw MartletError(.unsupported, "OpenSSL does not give the digest \(self) here.")
        }
        return Array(output.prefix(Int(count)))
    }
}

/// A digest of bytes that come in pieces.
final class RunningHash {
    private let context = EVP_MD_CTX_new()

    /// Throws `unsupported` where the system forbids the algorithm.
    init(_ function: HashFunction) throws(MartletError) {
        guard EVP_DigestInit_ex(context, function.algorithm, nil) == 1 else {
            ERR_clear_error()
            throw MartletError(.unsupported, "OpenSSL does not give the digest \(function) here.")
        }
    }

    deinit { EVP_MD_CTX_free(context) }

    func update(_ bytes: some ContiguousBytes) {
        bytes.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    func finish() -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        EVP_DigestFinal_ex(context, &output, &count)
        return Array(output.prefix(Int(count)))
    }
}
#else
extension HashFunction {
    private static let missing = MartletError(
        .unsupported, "This build has no digests: enable the SocketTransport trait, which brings OpenSSL.")

    func digest(_ bytes: some ContiguousBytes) throws(MartletError) -> [UInt8] { throw Self.missing }

    func authenticationCode(of bytes: some ContiguousBytes, key: some ContiguousBytes) throws(MartletError) -> [UInt8] {
        throw Self.missing
    }
}

/// A digest of bytes that come in pieces.
final class RunningHash {
    init(_ function: HashFunction) throws(MartletError) { _ = try function.digest([UInt8]()) }

    func update(_ bytes: some ContiguousBytes) {}
    func finish() -> [UInt8] { [] }
}
#endif

extension HashFunction {
    /// The digest of a text in UTF-8, in small hexadecimal digits.
    func hex(_ text: String) throws(MartletError) -> String { try digest(Array(text.utf8)).hexadecimal }

    /// The digest of a request body, which is opened for it, in small hexadecimal digits.
    ///
    /// - Throws: what the body cannot be opened for, and `bodyNotReplayable` when it would not be there to be sent.
    nonisolated(nonsending) func hex(of body: RequestBody) async throws -> String {
        guard body.isReplayable else {
            throw MartletError(
                .bodyNotReplayable,
                "The digest of the body is needed before it is sent, but it can be read only once. Give a factory instead."
            )
        }
        switch try await body.open().content {
        case .empty: return try hex("")
        case .data(let data): return try digest(data).hexadecimal
        case .feed(let feed):
            let hash = Lock(try RunningHash(self))
            try await feed { chunk in hash.withLock { $0.update(chunk) } }
            return hash.withLock { $0.finish() }.hexadecimal
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes in small hexadecimal digits.
    var hexadecimal: String {
        var text: [UInt8] = []
        for byte in self {
            for digit in [byte >> 4, byte & 0x0F] {
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
