import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: RealServers.hasNginxTLS), .timeLimit(.minutes(5)))
struct NginxTLSTests {
    @Test func certificateOfATrustedAuthorityIsAccepted() async throws {
        try await RealServers.withClient(RealServers.nginxTLS, trusting: RealServers.authority) { client in
            let response = try await client.get("/small").response()
            #expect(response.body.count == 100)
            #expect(response.metrics.tlsVersion?.hasPrefix("TLSv1.") == true)
            #expect(try await client.get("/small").response().metrics.reusedConnection)
        }
    }

    @Test func largeFileIsStreamedWhole() async throws {
        try await RealServers.withClient(RealServers.nginxTLS, trusting: RealServers.authority) { client in
            var count = 0
            for try await chunk in client.get("/64m").chunks { count += chunk.count }
            #expect(count == 64 << 20)
        }
    }

    @Test func addressInTheCertificateIsAccepted() async throws {
        let base = RealServers.nginxTLS?.replacing("localhost", with: "127.0.0.1")
        try await RealServers.withClient(base, trusting: RealServers.authority) { client in
            let data = try await client.get("/small").data()
            #expect(data.count == 100)
        }
    }

    @Test func unknownAuthorityIsRefused() async throws {
        try await RealServers.withClient(RealServers.nginxTLS) { client in
            let error = try await #require(throws: MartletError.self) { try await client.get("/small").data() }
            #expect(error.code == .certificateIssuerUnknown)
            #expect(!error.mayHaveReachedServer)
        }
    }

    @Test func hostThatIsNotInTheCertificateIsRefused() async throws {
        let base = RealServers.nginxTLS?.replacing("localhost", with: "other.localhost")
        try await RealServers.withClient(base, trusting: RealServers.authority) { client in
            let error = try await #require(throws: MartletError.self) { try await client.get("/small").data() }
            #expect(error.code == .certificateHostMismatch)
        }
    }

    @Test func plainTextToATLSPortIsAnsweredWithAnError() async throws {
        let base = RealServers.nginxTLS?.replacing("https://localhost", with: "http://127.0.0.1")
        try await RealServers.withClient(base) { client in
            let response = try await client.get("/small").response()
            #expect(response.status == .badRequest)
        }
    }

    @Test func tlsToAPlainTextPortIsAHandshakeError() async throws {
        let base = RealServers.nginx?.replacing("http:", with: "https:")
        try await RealServers.withClient(base, trusting: RealServers.authority) { client in
            let error = try await #require(throws: MartletError.self) { try await client.get("/small").data() }
            #expect(error.code == .tlsHandshakeFailed)
        }
    }
}
