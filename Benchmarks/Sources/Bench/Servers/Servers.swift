// The servers that the subjects talk to, on free loopback ports, in a folder that goes with them: nginx for all that it can
// do, and a sink of our own for uploads.

import BenchRuns
import Foundation

/// The servers of one measurement.
final class Servers {
    /// Where a work's resource is.
    enum Resource: Sendable, Hashable {
        /// A path on nginx in plain text.
        case http(String)
        /// A path on nginx over TLS.
        case https(String)
        /// A path on nginx over TLS, where it speaks HTTP/2.
        case http2(String)
        /// The server that takes uploads.
        case sink
    }

    /// The folder of files that are served and sent.
    let files: URL
    private let folder: URL
    private let quick: Bool
    private let nginx: Nginx?
    private var sink: UploadSink?
    /// The certificate that signs nginx's, in PEM.
    let authority: String?

    /// Starts them.
    init(quick: Bool) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "martlet-bench-\(UUID().uuidString)")
        files = folder.appending(path: "www")
        self.quick = quick
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        do {
            authority = try Certificate.make(in: folder)
            nginx = try Nginx(in: folder, hasCertificate: authority != nil)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Stops them and removes the folder.
    func stop() {
        nginx?.stop()
        sink?.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The address of a resource.
    ///
    /// - Throws: `Failure` when its server is not to be had.
    func address(of resource: Resource) throws -> String {
        switch resource {
        case .http(let path):
            return "http://127.0.0.1:\(try nginx(serving: path).plainPort)\(path)"
        case .https(let path), .http2(let path):
            guard authority != nil else { throw Failure(Tools.advice("openssl")) }
            let nginx = try nginx(serving: path)
            let port = if case .http2 = resource { nginx.http2Port } else { nginx.securePort }
            return "https://127.0.0.1:\(port)\(path)"
        case .sink:
            try Files.prepare(Contents.big, in: files, quick: quick)
            let sink = try self.sink ?? UploadSink()
            self.sink = sink
            return "http://127.0.0.1:\(sink.port)/"
        }
    }

    private func nginx(serving path: String) throws -> Nginx {
        guard let nginx else { throw Failure(Tools.advice("nginx")) }
        // Every download warms up with the small one.
        for name in ["/small", path] { try Files.prepare(name, in: files, quick: quick) }
        return nginx
    }
}

/// A certificate for 127.0.0.1, which signs itself: it is the authority that clients are told to trust.
private enum Certificate {
    /// The path of its PEM; nil without openssl.
    static func make(in folder: URL) throws -> String? {
        guard Tools.path(of: "openssl") != nil else { return nil }
        let file = folder.appending(path: "server.pem").path
        let made = try ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", folder.appending(path: "server.key").path, "-out", file,
            ]
        ).wait(atMost: 30)
        guard made.status == 0 else { throw Failure("openssl made no certificate: \(made.errors)") }
        return file
    }
}
