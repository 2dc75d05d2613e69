// OpenSSL's failures in words that tell a user what to do. Reads and empties the thread's error queue.

#if SocketTransport && os(Linux)
import COpenSSL
import Glibc

enum TLSFailure {
    /// The queued errors in OpenSSL's words; empties the queue.
    static func queuedErrors() -> String {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if let reason = ERR_reason_error_string(code) { reasons.append(String(cString: reason)) }
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: ", ")
    }

    /// The error for a handshake that failed.
    static func handshake(_ ssl: OpaquePointer, host: String, isCut: Bool) -> MartletError {
        let verdict = SSL_get_verify_result(ssl)
        // Where nothing is verified there is a verdict too, but it did not end the handshake.
        if verdict != X509_V_OK, SSL_get_verify_mode(ssl) != SSL_VERIFY_NONE {
            ERR_clear_error()
            return untrusted(verdict, ssl, host)
        }
        if isCut {
            ERR_clear_error()
            return MartletError(
                .tlsHandshakeFailed, "The server \(host) closed the connection during the TLS handshake.")
        }
        let reasons = queuedErrors()
        var hint = ""
        if reasons.contains("wrong version number") { hint = " Does the server speak TLS on this port?" }
        if reasons.contains("protocol version") || reasons.contains("unsupported protocol") {
            hint = " The server's TLS version is too old."
        }
        return MartletError(.tlsHandshakeFailed, "The TLS handshake with \(host) failed: \(reasons).\(hint)")
    }

    private static func untrusted(_ verdict: Int, _ ssl: OpaquePointer, _ host: String) -> MartletError {
        let certificate = describe(ssl)
        let subject = certificate.map { " (\($0.subject))" } ?? ""
        switch Int32(verdict) {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            return MartletError(
                .certificateHostMismatch, "The server's certificate\(subject) is not for \(host).")
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return MartletError(.certificateExpired, "The certificate of \(host)\(subject) has expired.")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return MartletError(
                .certificateNotYetValid,
                "The certificate of \(host)\(subject) is not valid yet. Is this machine's clock right?")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return MartletError(
                .certificateSelfSigned,
                "The certificate of \(host)\(subject) is self-signed. Add it to the trusted roots if it is yours.")
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            let issuer = certificate.map { ": \($0.issuer)" } ?? ""
            return MartletError(
                .certificateIssuerUnknown,
                "The issuer of the certificate of \(host)\(subject) is not trusted\(issuer). "
                    + "Add its root, or have the server send the intermediate certificates.")
        default:
            let reason = X509_verify_cert_error_string(verdict).map { String(cString: $0) } ?? "unknown reason"
            return MartletError(
                .certificateUntrusted, "The certificate of \(host)\(subject) is not trusted: \(reason).")
        }
    }

    private static func describe(_ ssl: OpaquePointer) -> (subject: String, issuer: String)? {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        func text(_ name: OpaquePointer?) -> String {
            guard let name, let bio = BIO_new(BIO_s_mem()) else { return "unnamed" }
            defer { BIO_free(bio) }
            X509_NAME_print_ex(bio, name, 0, martlet_XN_FLAG_RFC2253())
            var pointer: UnsafeMutablePointer<CChar>?
            let count = martlet_BIO_get_mem_data(bio, &pointer)
            guard let pointer, count > 0 else { return "unnamed" }
            let bytes = UnsafeRawBufferPointer(start: pointer, count: Int(count))
            // Shown to people: a name is the peer's text, so its control characters are left out.
            return String(decoding: bytes.prefix(256).filter { $0 >= 0x20 && $0 != 0x7f }, as: UTF8.self)
        }
        return (text(X509_get_subject_name(certificate)), text(X509_get_issuer_name(certificate)))
    }
}
#endif
