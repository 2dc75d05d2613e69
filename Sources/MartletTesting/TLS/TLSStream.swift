#if SocketTransport && os(Linux)
// TLS over a test connection's socket. OpenSSL works on memory only and the socket does all reading and writing, so
// that one place decides how a blocked thread is woken, and OpenSSL cannot raise SIGPIPE.

import COpenSSL
import Foundation

/// The TLS state of one connection. Used by the holder of the socket's token only.
final class TLSStream {
    private let ssl: OpaquePointer
    private let received: OpaquePointer
    private let toSend: OpaquePointer
    private let context: TLSServerContext

    init(_ context: TLSServerContext, received first: Data) throws(TestServerError) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.context) else { throw CertificateMaker.failure("SSL_new") }
        guard let received = BIO_new(BIO_s_mem()), let toSend = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw CertificateMaker.failure("BIO_new")
        }
        SSL_set_bio(ssl, received, toSend)
        SSL_set_accept_state(ssl)
        _ = first.withUnsafeBytes { BIO_write(received, $0.baseAddress, Int32(clamping: $0.count)) }
        self.ssl = ssl
        self.received = received
        self.toSend = toSend
        self.context = context
    }

    deinit {
        SSL_free(ssl)
    }

    func shakeHands(over socket: TestSocket) throws(TestServerError) {
        while true {
            ERR_clear_error()
            let result = SSL_do_handshake(ssl)
            let error = SSL_get_error(ssl, result)
            let text = result == 1 || error == SSL_ERROR_WANT_READ ? "" : openSSLErrorText()
            // Also what a failed handshake has to say: the alert tells the client why.
            try flush(to: socket)
            if result == 1 { return }
            guard error == SSL_ERROR_WANT_READ else { throw .tls(text) }
            if try receiveMore(from: socket) == 0 { throw .peerClosed }
        }
    }

    /// Reads at least one byte; 0 when the client has finished, by close_notify or by FIN.
    func read(into buffer: UnsafeMutableRawBufferPointer, from socket: TestSocket) throws(TestServerError) -> Int {
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
            if count > 0 { return Int(count) }
            let error = SSL_get_error(ssl, count)
            if error == SSL_ERROR_ZERO_RETURN { return 0 }
            guard error == SSL_ERROR_WANT_READ else { throw .tls(openSSLErrorText()) }
            try flush(to: socket)
            if try receiveMore(from: socket) == 0 { return 0 }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to socket: TestSocket) throws(TestServerError) {
        var rest = bytes
        while !rest.isEmpty {
            ERR_clear_error()
            // Record by record, so that what is encrypted and not yet sent stays small.
            let count = SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, 16_384)))
            guard count > 0 else { throw .tls(openSSLErrorText()) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(Int(count)))
            try flush(to: socket)
        }
    }

    /// Whether bytes were received that nobody has read.
    var hasPending: Bool { SSL_has_pending(ssl) == 1 || BIO_ctrl_pending(received) > 0 }

    /// The bytes of close_notify; empty when it was given out before, or before the end of the handshake.
    func closeNotify() -> [UInt8] {
        ERR_clear_error()
        guard SSL_is_init_finished(ssl) == 1 else { return [] }
        SSL_shutdown(ssl)
        ERR_clear_error()
        return takeBytesToSend()
    }

    var session: TestTLS.Session {
        var length: UInt32 = 0
        var name: UnsafePointer<UInt8>?
        SSL_get0_alpn_selected(ssl, &name, &length)
        let applicationProtocol = name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
        var clientPEM: String?
        if let certificate = SSL_get1_peer_certificate(ssl) {
            clientPEM = try? CertificateMaker.pemText(certificate)
            X509_free(certificate)
        }
        return TestTLS.Session(
            serverName: SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) },
            applicationProtocol: applicationProtocol,
            version: SSL_get_version(ssl).map { String(cString: $0) } ?? "",
            isResumed: SSL_session_reused(ssl) == 1,
            clientCertificatePEM: clientPEM)
    }

    private func takeBytesToSend() -> [UInt8] {
        let count = Int(BIO_ctrl_pending(toSend))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(Int(BIO_read(toSend, buffer.baseAddress, Int32(clamping: count))), 0)
        }
    }

    private func flush(to socket: TestSocket) throws(TestServerError) {
        let bytes = takeBytesToSend()
        guard !bytes.isEmpty else { return }
        var outcome: Result<Void, TestServerError> = .success(())
        bytes.withUnsafeBytes { bytes in
            do throws(TestServerError) { try socket.send(all: bytes) } catch { outcome = .failure(error) }
        }
        try outcome.get()
    }

    private func receiveMore(from socket: TestSocket) throws(TestServerError) -> Int {
        var outcome: Result<Int, TestServerError> = .success(0)
        withUnsafeTemporaryAllocation(byteCount: 32_768, alignment: 1) { buffer in
            do throws(TestServerError) {
                let count = try socket.receive(into: buffer)
                BIO_write(received, buffer.baseAddress, Int32(count))
                outcome = .success(count)
            } catch {
                outcome = .failure(error)
            }
        }
        return try outcome.get()
    }
}
#endif
