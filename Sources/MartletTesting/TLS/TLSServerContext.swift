#if SocketTransport && os(Linux)
// The server's SSL_CTX: made once at the start, shared by all its connections.

import COpenSSL

/// The TLS settings of a running server.
///
/// `@unchecked Sendable`: OpenSSL's contexts may be shared between threads once they are set up, which the
/// initialiser does.
final class TLSServerContext: @unchecked Sendable {
    let options: TestTLS
    let context: OpaquePointer
    private let protocols: UnsafeMutablePointer<ProtocolList>

    struct ProtocolList {
        var bytes: [UInt8]
    }

    init(_ options: TestTLS) throws(TestServerError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw CertificateMaker.failure("SSL_CTX_new") }
        self.options = options
        self.context = context
        protocols = .allocate(capacity: 1)
        protocols.initialize(
            to: ProtocolList(
                bytes: options.applicationProtocols.flatMap { name in
                    [UInt8(clamping: name.utf8.count)] + Array(name.utf8.prefix(255))
                }))
        try setVersions()
        try setCertificate()
        try setClientAuthority()
        if !options.resumesSessions {
            let noTickets = UInt64(1) << 14
            SSL_CTX_set_options(context, noTickets)
            martlet_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
            SSL_CTX_set_num_tickets(context, 0)
        }
        let sessionContext: [UInt8] = [77]
        SSL_CTX_set_session_id_context(context, sessionContext, 1)
        if !options.applicationProtocols.isEmpty { chooseProtocols() }
    }

    deinit {
        SSL_CTX_free(context)
        protocols.deinitialize(count: 1)
        protocols.deallocate()
    }

    private func setVersions() throws(TestServerError) {
        if options.minimumVersion.rawValue < TestTLS.Version.tls12.rawValue {
            // OpenSSL's default level has no cipher for the old versions.
            SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0")
        }
        guard
            martlet_SSL_CTX_set_min_proto_version(context, options.minimumVersion.rawValue) == 1,
            martlet_SSL_CTX_set_max_proto_version(context, options.maximumVersion.rawValue) == 1
        else { throw CertificateMaker.failure("the TLS versions") }
    }

    private func setCertificate() throws(TestServerError) {
        let certificate = try CertificateMaker.certificateFromPEM(options.certificate.pem)
        defer { X509_free(certificate) }
        let key = try CertificateMaker.keyFromPEM(options.certificate.privateKeyPEM)
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_certificate(context, certificate) == 1, SSL_CTX_use_PrivateKey(context, key) == 1 else {
            throw CertificateMaker.failure("the server's certificate")
        }
        for pem in options.certificate.intermediatesPEM {
            let intermediate = try CertificateMaker.certificateFromPEM(pem)
            defer { X509_free(intermediate) }
            guard martlet_SSL_CTX_add1_chain_cert(context, intermediate) == 1 else {
                throw CertificateMaker.failure("an intermediate certificate")
            }
        }
    }

    private func setClientAuthority() throws(TestServerError) {
        guard let authority = options.clientAuthority else { return }
        let certificate = try CertificateMaker.certificateFromPEM(authority.pem)
        defer { X509_free(certificate) }
        guard
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1,
            SSL_CTX_add_client_CA(context, certificate) == 1
        else { throw CertificateMaker.failure("the client authority") }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    private func chooseProtocols() {
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, output, outputLength, offered, offeredLength, argument in
                let notAcknowledged: Int32 = 3
                guard let argument, let output, let outputLength, let offered else { return notAcknowledged }
                let list = argument.assumingMemoryBound(to: ProtocolList.self).pointee.bytes
                let offer = Array(UnsafeBufferPointer(start: offered, count: Int(offeredLength)))
                // The answer must point into memory that outlives the call: into the client's offer.
                for wanted in names(list) {
                    for range in nameRanges(offer) where Array(offer[range]) == wanted {
                        output.pointee = offered + range.lowerBound
                        outputLength.pointee = UInt8(range.count)
                        return 0
                    }
                }
                return notAcknowledged
            }, protocols)
    }
}

/// The ranges of the names in ALPN's list form: each after a byte that counts it (RFC 7301, 3.1).
private func nameRanges(_ list: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    while index < list.count {
        let end = index + 1 + Int(list[index])
        guard end <= list.count else { break }
        ranges.append(index + 1..<end)
        index = end
    }
    return ranges
}

private func names(_ list: [UInt8]) -> [[UInt8]] {
    nameRanges(list).map { Array(list[$0]) }
}
#endif
