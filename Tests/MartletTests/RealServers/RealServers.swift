import Foundation

@testable import Martlet

/// The servers that `Tests/run` starts; tests that need one that is not there are skipped.
enum RealServers {
    static let nginx = address("MARTLET_TEST_NGINX")
    static let nginxTLS = address("MARTLET_TEST_NGINX_TLS")
    static let nginxHTTP2 = address("MARTLET_TEST_NGINX_HTTP2")
    static let nghttpd = address("MARTLET_TEST_NGHTTPD")
    static let apache = address("MARTLET_TEST_APACHE")
    static let authority = address("MARTLET_TEST_CA")
    static let httpbin = address("MARTLET_TEST_HTTPBIN")
    static let digest = address("MARTLET_TEST_DIGEST")

    static var hasNginx: Bool { nginx != nil }
    static var hasNginxTLS: Bool { nginxTLS != nil && authority != nil }
    static var http2: [String] { [nginxHTTP2, nghttpd, apache].compactMap(\.self) }
    static var hasHTTPBin: Bool { httpbin != nil }
    static var hasDigestServer: Bool { digest != nil }

    private static func address(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// The bodies that the servers of HTTP/2 have as `body0` to `body3`, from the files that they serve: 1 MiB each, or 10 MiB.
    static func bodies() throws -> [Data] {
        let folder = URL(filePath: address("MARTLET_TEST_FILES") ?? "")
        return try (0..<4).map { try Data(contentsOf: folder.appending(path: "body\($0)")) }
    }

    /// Runs `body` with a client of its own.
    nonisolated(nonsending) static func withClient(
        _ base: String?, trusting authority: String? = nil, configure: (inout ClientConfiguration) -> Void = { _ in },
        _ body: nonisolated(nonsending) (MartletClient) async throws -> Void
    ) async throws {
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = base
        if let authority { configuration.tls = try .adding(rootsFile: authority) }
        configure(&configuration)
        try await MartletClient.withClient(configuration, body)
    }
}
