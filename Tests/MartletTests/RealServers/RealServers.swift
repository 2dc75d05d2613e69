import Foundation

@testable import Martlet

/// The servers that `Tests/run` starts; tests that need one that is not there are skipped.
enum RealServers {
    static let nginx = address("MARTLET_TEST_NGINX")
    static let nginxTLS = address("MARTLET_TEST_NGINX_TLS")
    static let nginxHTTP2 = address("MARTLET_TEST_NGINX_HTTP2")
    static let nghttpd = address("MARTLET_TEST_NGHTTPD")
    static let authority = address("MARTLET_TEST_CA")
    static let httpbin = address("MARTLET_TEST_HTTPBIN")

    static var hasNginx: Bool { nginx != nil }
    static var hasNginxTLS: Bool { nginxTLS != nil && authority != nil }
    static var http2: [String] { [nginxHTTP2, nghttpd].compactMap(\.self) }
    static var hasHTTPBin: Bool { httpbin != nil }

    private static func address(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    /// Runs `body` with a client of its own.
    nonisolated(nonsending) static func withClient(
        _ base: String?, trusting authority: String? = nil,
        _ body: nonisolated(nonsending) (MartletClient) async throws -> Void
    ) async throws {
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = base
        if let authority { configuration.tls = try .adding(rootsFile: authority) }
        try await MartletClient.withClient(configuration, body)
    }
}
