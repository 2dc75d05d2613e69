#if SocketTransport && os(Linux)
// The TLS side of a test server: which certificate it shows, which versions and protocols it agrees to, how it
// misbehaves.

/// How a test server speaks TLS.
///
/// ```swift
/// var options = TestServer.Options()
/// options.tls = try .testCertificate()                       // valid for localhost, 127.0.0.1 and ::1
/// let server = try await TestServer.serve(options) { _ in .text("hi") }
/// let rootPEM = server.certificateAuthority?.pem             // what the client must trust
/// ```
public struct TestTLS: Sendable {
    /// What the server does when a client wants to shake hands.
    public enum Handshake: Sendable, Hashable {
        /// Shake hands.
        case normal
        /// Accept the connection and never answer. No script is run.
        case never
    }

    /// A version of TLS.
    public enum Version: Int32, Sendable, Hashable, CaseIterable {
        /// TLS 1.1, which clients should refuse.
        case tls11 = 0x0302
        /// TLS 1.2
        case tls12 = 0x0303
        /// TLS 1.3
        case tls13 = 0x0304
    }

    /// The certificate to show, with its key and its intermediates.
    public var certificate: TestCertificate
    /// What to do when a client wants to shake hands; shake hands by default.
    public var handshake = Handshake.normal
    /// The protocols that ALPN may agree on, the preferred one first; `http/1.1` by default. Empty: ALPN is not
    /// answered.
    public var applicationProtocols = ["http/1.1"]
    /// The lowest version to agree to; TLS 1.2 by default.
    public var minimumVersion = Version.tls12
    /// The highest version to agree to; TLS 1.3 by default.
    public var maximumVersion = Version.tls13
    /// Whether sessions may be resumed; true by default.
    public var resumesSessions = true
    /// When set, clients must show a certificate issued by this authority; nil by default.
    public var clientAuthority: TestCertificateAuthority?

    /// Makes the TLS side of a server that shows the certificate.
    public init(certificate: TestCertificate) {
        self.certificate = certificate
    }

    /// A certificate made for this server, by an authority made for it: valid unless a fault is asked for.
    ///
    /// - Parameters:
    ///   - names: host names and addresses for which it is valid.
    ///   - fault: what is to be wrong with it.
    public static func testCertificate(
        names: [String] = TestCertificate.loopbackNames, fault: TestCertificate.Fault? = nil
    ) throws(TestServerError) -> TestTLS {
        TestTLS(certificate: try .make(names: names, fault: fault))
    }
}

extension TestTLS {
    /// What was agreed with a client.
    public struct Session: Sendable, Hashable {
        /// The name that the client asked for (SNI); nil for addresses.
        public var serverName: String?
        /// The application protocol agreed by ALPN; nil when none was.
        public var applicationProtocol: String?
        /// The version, as OpenSSL spells it: "TLSv1.3".
        public var version: String
        /// Whether an earlier session was resumed.
        public var isResumed: Bool
        /// The certificate that the client showed, in PEM.
        public var clientCertificatePEM: String?
    }
}

extension TestServer {
    /// The authority that issued the server's certificate: what a client must trust. Nil without TLS.
    ///
    /// For a self-signed certificate this is the certificate itself; with the fault `.unknownAuthority` it is an
    /// authority that did not issue it.
    public var certificateAuthority: TestCertificateAuthority? { core.options.tls?.certificate.authority }
}
#endif
