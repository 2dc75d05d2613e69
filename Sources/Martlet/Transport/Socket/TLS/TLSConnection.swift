// TLS over one socket, by OpenSSL. The handshake and all reads and writes are non-blocking; OpenSSL reaches the socket
// through a BIO of ours, because its own would raise SIGPIPE. Host names are always checked (RFC 9110, section 4.3.4).

#if SocketTransport && os(Linux)
import CLinux
import COpenSSL
import Glibc

/// One TLS session on a socket. Used on the loop's thread only.
final class TLSConnection {
    /// How far a handshake has come.
    enum Handshake {
        case done
        case wantsSocket
        case failed(MartletError)
    }

    private let ssl: OpaquePointer
    private let context: TLSContext
    private let host: String

    /// Prepares a session with `host` on the socket, offering the protocols by ALPN; throws `tlsHandshakeFailed` when OpenSSL has no memory for it.
    init(
        _ context: TLSContext, host: Host, fd: Int32, protocols: [String] = ["http/1.1"]
    ) throws(MartletError) {
        ERR_clear_error()
        let name = host.description
        guard let method = SocketBIO.method, let ssl = SSL_new(context.pointer) else {
            throw MartletError(
                .tlsHandshakeFailed, "OpenSSL could not start a session: \(TLSFailure.queuedErrors()).")
        }
        guard let bio = BIO_new(method) else {
            SSL_free(ssl)
            throw MartletError(
                .tlsHandshakeFailed, "OpenSSL could not start a session: \(TLSFailure.queuedErrors()).")
        }
        self.ssl = ssl
        self.context = context
        self.host = name
        // The descriptor itself, not a pointer to something that could go away.
        BIO_set_data(bio, UnsafeMutableRawPointer(bitPattern: Int(fd) + 1))
        BIO_set_init(bio, 1)
        SSL_set_bio(ssl, bio, bio)
        SSL_set_connect_state(ssl)
        let offer = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        SSL_set_alpn_protos(ssl, offer, UInt32(offer.count))
        var isNamed = false
        switch host {
        case .name(let name):
            _ = martlet_SSL_set_tlsext_host_name(ssl, name)
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            isNamed = SSL_set1_host(ssl, name) == 1
        case .ipv4, .ipv6:
            // No SNI for addresses (RFC 6066, section 3).
            let text = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
            isNamed = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), text) == 1
        }
        // Without a name to check nothing would be checked: never go on.
        if !isNamed {
            throw MartletError(.tlsHandshakeFailed, "The host \(name) cannot be checked against a certificate.")
        }
    }

    deinit { SSL_free(ssl) }

    /// Goes on with the handshake.
    func handshake() -> Handshake {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .wantsSocket
        case SSL_ERROR_SYSCALL, SSL_ERROR_ZERO_RETURN:
            return .failed(TLSFailure.handshake(ssl, host: host, isCut: true))
        default:
            return .failed(TLSFailure.handshake(ssl, host: host, isCut: Self.isCut))
        }
    }

    /// Reads as much as there is, up to the buffer's size: several records at once.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        var filled = 0
        while filled < buffer.count {
            ERR_clear_error()
            var count = 0
            let result = SSL_read_ex(ssl, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, &count)
            if result == 1 {
                filled += count
                continue
            }
            // What came before is handed over first; the next call meets the same condition again.
            if filled > 0 { return .bytes(filled) }
            return outcome(result)
        }
        return .bytes(filled)
    }

    /// Writes what the system takes. After `wouldBlock` the next call must offer the same bytes, or more that begin with them.
    func write(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        ERR_clear_error()
        var count = 0
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .bytes(count) : outcome(result)
    }

    /// Says goodbye, without waiting for an answer.
    func sendClosingAlert() {
        ERR_clear_error()
        if SSL_is_init_finished(ssl) == 1 { _ = SSL_shutdown(ssl) }
        ERR_clear_error()
    }

    /// The version spoken, such as `TLSv1.3`.
    var version: String { String(cString: SSL_get_version(ssl)) }

    /// The protocol agreed on by ALPN; nil when the server chose none.
    var applicationProtocol: String? {
        var pointer: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &pointer, &length)
        guard let pointer, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: pointer, count: Int(length)), as: UTF8.self)
    }

    /// Whether decrypted or undecrypted bytes wait inside OpenSSL: on an idle connection that is surplus.
    var hasPending: Bool { SSL_has_pending(ssl) == 1 }

    private func outcome(_ result: Int32) -> IOResult {
        let number = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE:
            return .wouldBlock
        case SSL_ERROR_ZERO_RETURN:
            return .end(clean: true)
        case SSL_ERROR_SYSCALL:
            return number == 0 ? .end(clean: false) : .failed(.system(errno: number))
        default:
            if Self.isCut {
                ERR_clear_error()
                return .end(clean: false)
            }
            let reasons = TLSFailure.queuedErrors()
            return .failed(
                .tls(MartletError(.tlsHandshakeFailed, "The TLS connection to \(host) failed: \(reasons).")))
        }
    }

    /// Whether the error at hand is that the peer ended the stream without a closing alert.
    private static var isCut: Bool {
        let code = ERR_peek_error()
        return martlet_ERR_get_lib(code) == ERR_LIB_SSL
            && martlet_ERR_get_reason(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING
    }
}

/// The BIO between OpenSSL and a socket; its data is the descriptor plus one, so that it is never nil.
private enum SocketBIO {
    /// Made once and never freed.
    nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "martlet socket") else {
            return nil
        }
        BIO_meth_set_write(method) { bio, bytes, count in
            guard let bio, let bytes, count > 0 else { return 0 }
            martlet_BIO_clear_retry_flags(bio)
            while true {
                let written = send(SocketBIO.descriptor(bio), bytes, Int(count), Int32(MSG_NOSIGNAL))
                if written >= 0 { return Int32(written) }
                if errno == EINTR { continue }
                if errno == EAGAIN || errno == EWOULDBLOCK { martlet_BIO_set_retry_write(bio) }
                return -1
            }
        }
        BIO_meth_set_read(method) { bio, bytes, count in
            guard let bio, let bytes, count > 0 else { return 0 }
            martlet_BIO_clear_retry_flags(bio)
            while true {
                let received = recv(SocketBIO.descriptor(bio), bytes, Int(count), 0)
                if received > 0 { return Int32(received) }
                if received == 0 {
                    // Tells OpenSSL that this is the end of the stream and not an error of the system.
                    BIO_set_flags(bio, BIO_FLAGS_IN_EOF)
                    errno = 0
                    return 0
                }
                if errno == EINTR { continue }
                if errno == EAGAIN || errno == EWOULDBLOCK { martlet_BIO_set_retry_read(bio) }
                return -1
            }
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            switch command {
            case BIO_CTRL_FLUSH: return 1
            case BIO_CTRL_EOF: return bio.map { BIO_test_flags($0, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0 } ?? 0
            default: return 0
            }
        }
        return method
    }()

    static func descriptor(_ bio: OpaquePointer) -> Int32 {
        Int32(truncatingIfNeeded: Int(bitPattern: BIO_get_data(bio)) - 1)
    }
}
#endif
