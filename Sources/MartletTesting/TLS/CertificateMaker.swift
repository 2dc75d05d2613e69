#if SocketTransport && os(Linux)
// Making X.509 certificates with OpenSSL (RFC 5280). Certificates travel as PEM text, so that no C object has to be
// shared.

import COpenSSL
import Foundation
import Glibc

enum CertificateMaker {
    struct Issuer {
        var pem: String
        var keyPEM: String
    }

    struct Subject {
        var commonName: String
        var names: [String]
        var validity: TestCertificateAuthority.Validity
        var isAuthority = false
    }

    /// Makes a key and a certificate for it, signed by the issuer, or by itself.
    static func make(_ subject: Subject, issuer: Issuer?) throws(TestServerError) -> (pem: String, keyPEM: String) {
        ERR_clear_error()
        guard let key = martlet_EVP_EC_gen("P-256") else { throw failure("EVP_EC_gen") }
        defer { EVP_PKEY_free(key) }
        guard let certificate = X509_new() else { throw failure("X509_new") }
        defer { X509_free(certificate) }
        X509_set_version(certificate, 2)
        try setSerialNumber(of: certificate)
        X509_time_adj_ex(X509_getm_notBefore(certificate), Int32(clamping: subject.validity.fromDay), 0, nil)
        X509_time_adj_ex(X509_getm_notAfter(certificate), Int32(clamping: subject.validity.toDay), 0, nil)
        X509_set_pubkey(certificate, key)
        let name = X509_get_subject_name(certificate)
        let utf8Text: Int32 = 0x1000
        guard
            X509_NAME_add_entry_by_txt(name, "CN", utf8Text, String(subject.commonName.prefix(64)), -1, -1, 0) == 1
        else { throw failure("the common name") }

        guard let issuer else {
            X509_set_issuer_name(certificate, name)
            try addExtensions(to: certificate, subject, issuer: certificate)
            try sign(certificate, with: key)
            return (try pemText(certificate), try pemText(key: key))
        }
        let issuerCertificate = try certificateFromPEM(issuer.pem)
        defer { X509_free(issuerCertificate) }
        let issuerKey = try keyFromPEM(issuer.keyPEM)
        defer { EVP_PKEY_free(issuerKey) }
        X509_set_issuer_name(certificate, X509_get_subject_name(issuerCertificate))
        try addExtensions(to: certificate, subject, issuer: issuerCertificate)
        try sign(certificate, with: issuerKey)
        return (try pemText(certificate), try pemText(key: key))
    }

    private static func setSerialNumber(of certificate: OpaquePointer) throws(TestServerError) {
        let number = Int(UInt32.random(in: 1...UInt32.max)) << 16 | Int(UInt16.random(in: .min ... .max))
        guard ASN1_INTEGER_set(X509_get_serialNumber(certificate), number) == 1 else {
            throw failure("the serial number")
        }
    }

    private static func sign(_ certificate: OpaquePointer, with key: OpaquePointer) throws(TestServerError) {
        guard X509_sign(certificate, key, EVP_sha256()) > 0 else { throw failure("X509_sign") }
    }

    private static func addExtensions(
        to certificate: OpaquePointer, _ subject: Subject, issuer: OpaquePointer
    ) throws(TestServerError) {
        var extensions: [(Int32, String)] = [(NID_subject_key_identifier, "hash")]
        if issuer != certificate { extensions.append((NID_authority_key_identifier, "keyid:always")) }
        if subject.isAuthority {
            extensions.append((NID_basic_constraints, "critical,CA:TRUE"))
            extensions.append((NID_key_usage, "critical,keyCertSign,cRLSign"))
        } else {
            extensions.append((NID_basic_constraints, "critical,CA:FALSE"))
            extensions.append((NID_key_usage, "critical,digitalSignature"))
            extensions.append((NID_ext_key_usage, "serverAuth,clientAuth"))
        }
        if !subject.names.isEmpty { extensions.append((NID_subject_alt_name, try alternativeNames(subject.names))) }
        for (identifier, value) in extensions {
            var context = X509V3_CTX()
            X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
            guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
                throw failure("the extension \"\(value)\"")
            }
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
    }

    private static func alternativeNames(_ names: [String]) throws(TestServerError) -> String {
        for name in names where name.contains(where: { $0 == "," || $0 == ":" && !isAddress(name) }) {
            throw .tls("a certificate cannot be made for the name \"\(name)\"")
        }
        return names.map { (isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
    }

    private static func isAddress(_ name: String) -> Bool {
        var storage = in6_addr()
        return inet_pton(AF_INET, name, &storage) == 1 || inet_pton(AF_INET6, name, &storage) == 1
    }

    static func failure(_ what: String) -> TestServerError {
        .tls("\(what): \(openSSLErrorText())")
    }
}

extension CertificateMaker {
    private static func withMemory<Result>(
        _ body: (OpaquePointer) throws(TestServerError) -> Result
    ) throws(TestServerError) -> Result {
        guard let memory = BIO_new(BIO_s_mem()) else { throw failure("BIO_new") }
        defer { BIO_free(memory) }
        return try body(memory)
    }

    private static func contents(of memory: OpaquePointer) -> String {
        var bytes: UnsafeMutablePointer<CChar>?
        let count = Int(martlet_BIO_get_mem_data(memory, &bytes))
        guard let bytes, count > 0 else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    static func pemText(_ certificate: OpaquePointer) throws(TestServerError) -> String {
        try withMemory { memory throws(TestServerError) in
            guard PEM_write_bio_X509(memory, certificate) == 1 else { throw failure("PEM_write_bio_X509") }
            return contents(of: memory)
        }
    }

    private static func pemText(key: OpaquePointer) throws(TestServerError) -> String {
        try withMemory { memory throws(TestServerError) in
            guard PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil) == 1 else {
                throw failure("PEM_write_bio_PrivateKey")
            }
            return contents(of: memory)
        }
    }

    /// The caller frees it.
    static func certificateFromPEM(_ pem: String) throws(TestServerError) -> OpaquePointer {
        try withMemory { memory throws(TestServerError) in
            BIO_write(memory, pem, Int32(pem.utf8.count))
            guard let certificate = PEM_read_bio_X509(memory, nil, nil, nil) else {
                throw failure("PEM_read_bio_X509")
            }
            return certificate
        }
    }

    /// The caller frees it.
    static func keyFromPEM(_ pem: String) throws(TestServerError) -> OpaquePointer {
        try withMemory { memory throws(TestServerError) in
            BIO_write(memory, pem, Int32(pem.utf8.count))
            guard let key = PEM_read_bio_PrivateKey(memory, nil, nil, nil) else {
                throw failure("PEM_read_bio_PrivateKey")
            }
            return key
        }
    }

    static func certificateDER(_ pem: String) throws(TestServerError) -> Data {
        let certificate = try certificateFromPEM(pem)
        defer { X509_free(certificate) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &bytes)
        guard count > 0, let bytes else { throw failure("i2d_X509") }
        defer { CRYPTO_free(bytes, #file, #line) }
        return Data(bytes: bytes, count: Int(count))
    }

    static func publicKeySHA256(_ pem: String) throws(TestServerError) -> Data {
        let certificate = try certificateFromPEM(pem)
        defer { X509_free(certificate) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &bytes)
        guard count > 0, let bytes else { throw failure("i2d_X509_PUBKEY") }
        defer { CRYPTO_free(bytes, #file, #line) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, Int(count), &digest, nil, EVP_sha256(), nil) == 1 else {
            throw failure("EVP_Digest")
        }
        return Data(digest)
    }
}

/// What OpenSSL put into this thread's error queue, the first of it; empties the queue.
func openSSLErrorText() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let reason = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: reason)
}
#endif
