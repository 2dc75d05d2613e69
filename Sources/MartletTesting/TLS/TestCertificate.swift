#if SocketTransport && os(Linux)
// Certificates for tests, made when they are needed (EC P-256), so that no key is ever stored and none runs out.

public import Foundation

/// A certificate with its key.
public struct TestCertificate: Sendable {
    /// What can be wrong with a certificate.
    public enum Fault: Sendable, Hashable, CaseIterable {
        /// It ran out yesterday.
        case expired
        /// It begins to be valid tomorrow.
        case notYetValid
        /// It is its own authority, and not one that anybody trusts.
        case selfSigned
        /// It was issued by an authority other than `authority`.
        case unknownAuthority
        /// It is for another host, `wrong.example`.
        case wrongHost
        /// It was issued by an intermediate authority whose certificate the server does not send.
        case missingIntermediate
    }

    /// `localhost`, `127.0.0.1` and `::1`.
    public static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// The certificate, in PEM.
    public let pem: String
    /// Its private key, in PEM (PKCS #8, not encrypted).
    public let privateKeyPEM: String
    /// The certificates sent after it, in PEM.
    public internal(set) var intermediatesPEM: [String]
    /// The root authority from which trust in it can be derived.
    public internal(set) var authority: TestCertificateAuthority

    /// The certificate and its intermediates in one PEM text, as servers are configured with it.
    public var chainPEM: String { ([pem] + intermediatesPEM).joined() }

    /// The certificate in DER.
    public var der: Data { (try? CertificateMaker.certificateDER(pem)) ?? Data() }

    /// The SHA-256 of its public key (SubjectPublicKeyInfo), as public key pins use it.
    public var publicKeySHA256: Data { (try? CertificateMaker.publicKeySHA256(pem)) ?? Data() }

    /// Makes a certificate and an authority for it: valid unless a fault is asked for, by default for the loopback
    /// names.
    ///
    /// Throws `TestServerError.tls` when a name cannot stand in a certificate.
    public static func make(
        names: [String] = loopbackNames, fault: Fault? = nil
    ) throws(TestServerError) -> TestCertificate {
        let authority = try TestCertificateAuthority()
        switch fault {
        case nil: return try authority.certificate(names: names)
        case .expired: return try authority.certificate(names: names, validity: .days(from: -30, to: -1))
        case .notYetValid: return try authority.certificate(names: names, validity: .days(from: 1, to: 30))
        case .wrongHost: return try authority.certificate(names: ["wrong.example"])
        case .selfSigned: return try selfSigned(names: names)
        case .unknownAuthority:
            var certificate = try TestCertificateAuthority(name: "Unknown Test Authority").certificate(names: names)
            certificate.authority = authority
            return certificate
        case .missingIntermediate:
            var certificate = try authority.intermediate().certificate(names: names)
            certificate.intermediatesPEM = []
            return certificate
        }
    }

    /// Makes a certificate that is signed with its own key.
    public static func selfSigned(names: [String] = loopbackNames) throws(TestServerError) -> TestCertificate {
        let made = try CertificateMaker.make(
            .init(commonName: names.first ?? "localhost", names: names, validity: .days(from: -1, to: 30)),
            issuer: nil)
        let authority = TestCertificateAuthority(
            pem: made.pem, privateKeyPEM: made.keyPEM, root: nil, intermediatesPEM: [])
        return TestCertificate(
            pem: made.pem, privateKeyPEM: made.keyPEM, intermediatesPEM: [], authority: authority)
    }

    /// Writes the certificate with its intermediates, and the key, to two temporary files, and returns their paths.
    ///
    /// The files are readable by their owner only; removing them is the caller's.
    public func writePEM() throws -> (certificate: String, privateKey: String) {
        (try writeTemporaryPEM(chainPEM), try writeTemporaryPEM(privateKeyPEM))
    }
}

/// Writes to a new temporary file that only its owner can read, and returns its path.
func writeTemporaryPEM(_ text: String) throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-test-\(UUID().uuidString).pem")
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard
        FileManager.default.createFile(atPath: url.path, contents: Data(text.utf8), attributes: attributes)
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path]) }
    return url.path
}
#endif
