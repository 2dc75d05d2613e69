// One test over both versions of HTTP.

import MartletTesting
import Testing

@testable import Martlet

/// How the client of a test and its server speak to each other.
enum Wire: String, CaseIterable, CustomTestStringConvertible {
    case http1 = "HTTP/1.1"
    case http2 = "HTTP/2"
    case http2TLS = "HTTP/2 over TLS"

    var testDescription: String { rawValue }

    var version: HTTPVersion { self == .http1 ? .http1_1 : .http2 }
}

/// `withPeer` over one of the versions; the peer must answer requests and not write bytes.
@discardableResult
nonisolated(nonsending) func withPeer<Result>(
    _ peer: Peer, over wire: Wire, client change: (inout ClientConfiguration) -> Void = { _ in },
    run body: nonisolated(nonsending) (MartletClient, TestServer) async throws -> Result
) async throws -> Result {
    try await withPeer(
        peer, server: wire == .http2TLS ? .http2() : TestServer.Options(),
        client: {
            if wire == .http2 { $0.httpVersion = .http2PriorKnowledge }
            change(&$0)
        }, run: body)
}
