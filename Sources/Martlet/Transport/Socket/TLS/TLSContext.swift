// What all TLS connections of one configuration share: the OpenSSL context with its root certificates. Loading the roots
// takes 30 to 50 ms, so it happens on a thread for blocking calls and once per configuration, process-wide.

#if SocketTransport && os(Linux)
import COpenSSL
import Foundation
import Glibc

/// An OpenSSL client context.
///
/// `@unchecked Sendable`: an `SSL_CTX` may be used from several threads once it is set up, and it is set up in `init`.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    // Otherwise OpenSSL frees at exit what a thread that loads roots or shakes hands still uses, and the process crashes.
    private static let isInitialised = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// Makes a context; blocks while roots are loaded. Throws `tlsConfigurationInvalid`.
    init(_ configuration: TLSConfiguration) throws(MartletError) {
        _ = Self.isInitialised
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw MartletError(
                .tlsConfigurationInvalid, "OpenSSL could not make a context: \(TLSFailure.queuedErrors()).")
        }
        pointer = context
        let verifies = !configuration.insecurelySkipsVerification
        _ = martlet_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION)
        _ = SSL_CTX_set_options(context, martlet_SSL_client_options())
        _ = martlet_SSL_CTX_set_mode(context, martlet_SSL_client_modes())
        // As many records as are there in one system call. By default each costs two: its head, then the rest.
        martlet_SSL_CTX_set_read_ahead(context)
        SSL_CTX_set_default_read_buffer_len(context, Self.readBufferLength)
        SSL_CTX_set_verify(context, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        if verifies { try Self.loadRoots(configuration.roots, into: context) }
    }

    deinit { SSL_CTX_free(pointer) }

    /// Room for two of the longest records; freed while a connection has nothing to read.
    private static let readBufferLength = 36 << 10

    private static func loadRoots(_ roots: TLSConfiguration.Roots, into context: OpaquePointer) throws(MartletError) {
        switch roots {
        case .system:
            try loadSystemRoots(context)
        case .systemAnd(let pem):
            try loadSystemRoots(context)
            try add(pem, to: context)
        case .only(let pem):
            try add(pem, to: context)
        }
    }

    // Bundles hold all roots in one file, which is read here; a directory would be read during each handshake, on the loop.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    private static func loadSystemRoots(_ context: OpaquePointer) throws(MartletError) {
        let isOverridden = getenv("SSL_CERT_FILE") != nil || getenv("SSL_CERT_DIR") != nil
        if isOverridden {
            if SSL_CTX_set_default_verify_paths(context) == 1 { return }
        } else {
            for bundle in bundles where access(bundle, R_OK) == 0 {
                if SSL_CTX_load_verify_file(context, bundle) == 1 { return }
            }
            if let directory = X509_get_default_cert_dir(), hasEntries(String(cString: directory)),
                SSL_CTX_set_default_verify_paths(context) == 1
            {
                return
            }
        }
        throw MartletError(
            .tlsConfigurationInvalid,
            "No root certificates were found on this system. Install them (ca-certificates) or name a file of roots."
        )
    }

    private static func hasEntries(_ directory: String) -> Bool {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).isEmpty == false
    }

    private static func add(_ pem: Data, to context: OpaquePointer) throws(MartletError) {
        let store = SSL_CTX_get_cert_store(context)
        var count = 0
        pem.withUnsafeBytes { bytes in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return }
            defer { BIO_free(bio) }
            while let certificate = PEM_read_bio_X509(bio, nil, nil, nil) {
                if X509_STORE_add_cert(store, certificate) == 1 { count += 1 }
                X509_free(certificate)
            }
        }
        ERR_clear_error()
        if count == 0 {
            throw MartletError(
                .tlsConfigurationInvalid, "The root certificates given hold no certificate in PEM form.")
        }
    }
}

/// The contexts in use, process-wide. The most recent eight are kept, so that fresh clients need not load roots again.
final class TLSContextStore: Sendable {
    static let shared = TLSContextStore()

    typealias Completion = @Sendable (Result<TLSContext, MartletError>) -> Void

    private struct State {
        var ready: [(configuration: TLSConfiguration, context: TLSContext)] = []
        var loading: [TLSConfiguration: [Completion]] = [:]
    }

    private let state = Lock(State())
    private static let limit = 8

    /// The context when it is loaded already.
    func loaded(_ configuration: TLSConfiguration) -> TLSContext? {
        state.withLock { state in state.ready.first { $0.configuration == configuration }?.context }
    }

    /// Loads the context off the caller's thread; `completion` is called once, on any thread. A failure is not remembered.
    func load(_ configuration: TLSConfiguration, _ completion: @escaping Completion) {
        let isFirst = state.withLock { state in
            let isFirst = state.loading[configuration] == nil
            state.loading[configuration, default: []].append(completion)
            return isFirst
        }
        guard isFirst else { return }
        let taken = FileIO.submit {
            let result = Result { () throws(MartletError) in try TLSContext(configuration) }
            self.finish(configuration, result)
        }
        if !taken {
            finish(configuration, .failure(MartletError(.other, "No thread could be started to load roots.")))
        }
    }

    private func finish(_ configuration: TLSConfiguration, _ result: Result<TLSContext, MartletError>) {
        let waiters = state.withLock { state in
            if case .success(let context) = result {
                state.ready.removeAll { $0.configuration == configuration }
                state.ready.insert((configuration, context), at: 0)
                if state.ready.count > Self.limit { state.ready.removeLast() }
            }
            return state.loading.removeValue(forKey: configuration) ?? []
        }
        waiters.forEach { $0(result) }
    }
}
#endif
