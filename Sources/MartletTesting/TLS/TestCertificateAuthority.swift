#if SocketTransport && os(Linux)
// An authority for tests: a root that a client can be told to trust, and intermediates below it.

/// A certificate authority made for a test.
///
/// ```swift
/// let authority = try TestCertificateAuthority()
/// let certificate = try authority.certificate(names: ["localhost"])
/// let clientCertificate = try authority.certificate(names: ["client"])
/// ```
public struct TestCertificateAuthority: Sendable {
    /// When a certificate is valid.
    public struct Validity: Sendable, Hashable {
        var fromDay: Int
        var toDay: Int

        /// From yesterday for 30 days.
        public static let current = days(from: -1, to: 30)

        /// From one day to another, counted from now.
        public static func days(from: Int, to: Int) -> Validity {
            Validity(fromDay: from, toDay: to)
        }
    }

    /// The authority's certificate, in PEM: what a client must trust.
    public let pem: String
    let privateKeyPEM: String
    /// The PEM of the root above an intermediate, as values cannot contain themselves.
    private let root: (pem: String, privateKeyPEM: String)?
    private let intermediatesPEM: [String]

    /// Makes a root authority.
    public init(name: String = "Martlet Test Authority") throws(TestServerError) {
        let made = try CertificateMaker.make(
            .init(commonName: name, names: [], validity: .days(from: -365, to: 365), isAuthority: true), issuer: nil
        )
        self.init(pem: made.pem, privateKeyPEM: made.keyPEM, root: nil, intermediatesPEM: [])
    }

    init(
        pem: String, privateKeyPEM: String, root: (pem: String, privateKeyPEM: String)?, intermediatesPEM: [String]
    ) {
        self.pem = pem
        self.privateKeyPEM = privateKeyPEM
        self.root = root
        self.intermediatesPEM = intermediatesPEM
    }

    private var issuer: CertificateMaker.Issuer { .init(pem: pem, keyPEM: privateKeyPEM) }

    private var rootAuthority: TestCertificateAuthority {
        guard let root else { return self }
        return .init(pem: root.pem, privateKeyPEM: root.privateKeyPEM, root: nil, intermediatesPEM: [])
    }

    /// Issues a certificate, for servers and clients alike.
    ///
    /// - Parameters:
    ///   - names: host names (also `*.example.com`) and IP addresses; the first is the common name too.
    ///   - validity: when it is valid; by default from yesterday for 30 days.
    public func certificate(
        names: [String] = TestCertificate.loopbackNames, validity: Validity = .current
    ) throws(TestServerError) -> TestCertificate {
        let made = try CertificateMaker.make(
            .init(commonName: names.first ?? "localhost", names: names, validity: validity), issuer: issuer)
        return TestCertificate(
            pem: made.pem, privateKeyPEM: made.keyPEM, intermediatesPEM: intermediatesPEM, authority: rootAuthority)
    }

    /// Makes an authority below this one; certificates that it issues carry it as their intermediate.
    public func intermediate(
        name: String = "Martlet Test Intermediate"
    ) throws(TestServerError) -> TestCertificateAuthority {
        let made = try CertificateMaker.make(
            .init(commonName: name, names: [], validity: .days(from: -365, to: 365), isAuthority: true),
            issuer: issuer)
        return TestCertificateAuthority(
            pem: made.pem, privateKeyPEM: made.keyPEM, root: root ?? (pem, privateKeyPEM),
            intermediatesPEM: [made.pem] + intermediatesPEM)
    }

    /// Writes the authority's certificate to a temporary file and returns its path; removing it is the caller's.
    public func writePEM() throws -> String {
        try writeTemporaryPEM(pem)
    }
}
#endif
