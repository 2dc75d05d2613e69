// One way to write a behaviour test: a scripted peer, a client for it, and afterwards books in which nothing is left.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

/// What the server of a test does.
struct Peer: Sendable {
    let start: @Sendable (TestServer.Options) async throws -> TestServer

    /// The same steps on every connection.
    static func script(_ steps: TestStep...) -> Peer { .scripts(steps) }

    /// Steps for each connection in the order of acceptance; the last list is repeated.
    static func scripts(_ scripts: [TestStep]...) -> Peer {
        Peer { try await TestServer.start($0, scripts: scripts) }
    }

    /// Reads a request, sends the text as it is and closes.
    static func says(_ text: String) -> Peer { .script(.readRequest, .send(text), .close) }

    /// Reads a request, sends the text as it is and keeps the connection open.
    static func saysAndStays(_ text: String) -> Peer { .script(.readRequest, .send(text), .waitForClose) }

    /// An answer for each request.
    static func answers(_ answer: @escaping @Sendable (RecordedRequest) async throws -> TestResponse) -> Peer {
        Peer { try await TestServer.serve($0, answer: answer) }
    }

    /// Code for each connection.
    static func connection(_ handler: @escaping @Sendable (TestConnection) async throws -> Void) -> Peer {
        Peer { try await TestServer.start($0, handler: handler) }
    }
}

/// Starts the peer, gives `body` a client whose base URL is the peer's, shuts both down, and expects that nothing of the
/// client is left: no exchange, connection, socket, timer or waiter.
///
/// Over TLS the client trusts the authority of the server's certificate and nobody else.
@discardableResult
nonisolated(nonsending) func withPeer<Result>(
    _ peer: Peer, server options: TestServer.Options = TestServer.Options(),
    client change: (inout ClientConfiguration) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation,
    run body: nonisolated(nonsending) (MartletClient, TestServer) async throws -> Result
) async throws -> Result {
    let server = try await peer.start(options)
    var configuration = ClientConfiguration()
    configuration.defaults.baseURL = server.baseURL
    if let authority = server.certificateAuthority {
        configuration.tls = TLSConfiguration(roots: .only(pem: Data(authority.pem.utf8)))
    }
    change(&configuration)
    let client = MartletClient(configuration)
    do {
        let result = try await body(client, server)
        await expectNothingLeft(of: client, sourceLocation: sourceLocation)
        await server.stop()
        return result
    } catch {
        await client.shutdown()
        await server.stop()
        throw error
    }
}

/// Shuts the client down and expects its books to be empty.
nonisolated(nonsending) func expectNothingLeft(
    of client: MartletClient, sourceLocation: SourceLocation = #_sourceLocation
) async {
    await client.shutdown()
    let ledger = await client.socketTransport?.ledger()
    #expect(ledger == .init(), sourceLocation: sourceLocation)
}

extension MartletClient {
    /// The engine behind the client.
    var socketTransport: SocketTransport? { core.transport as? SocketTransport }
}

extension TestServer.Options {
    /// A server that speaks TLS with a certificate made for it.
    static func tls(fault: TestCertificate.Fault? = nil, _ change: (inout TestTLS) -> Void = { _ in }) throws -> Self {
        var options = TestServer.Options()
        var tls = try TestTLS.testCertificate(fault: fault)
        change(&tls)
        options.tls = tls
        return options
    }
}
