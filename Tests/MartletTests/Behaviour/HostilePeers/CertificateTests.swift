// Row 25 of the hostile peers: certificates that must not be trusted, and peers that break TLS. RFC 9110, section 4.3.4;
// RFC 8446, section 6.1.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Row 25: TLS", .timeLimit(.minutes(5))) struct CertificateTests {
    static let faults: [(TestCertificate.Fault, MartletError.Code)] = [
        (.wrongHost, .certificateHostMismatch),
        (.expired, .certificateExpired),
        (.notYetValid, .certificateNotYetValid),
        (.selfSigned, .certificateSelfSigned),
        (.unknownAuthority, .certificateIssuerUnknown),
        (.missingIntermediate, .certificateIssuerUnknown),
    ]

    @Test(arguments: faults, ["127.0.0.1", "localhost"])
    func aCertificateThatMustNotBeTrustedEndsTheCallBeforeAByteIsSent(
        _ fault: (TestCertificate.Fault, MartletError.Code), _ host: String
    ) async throws {
        // A self-signed certificate is its own authority: trusting it is what this is not about.
        let stranger = try TestCertificateAuthority()
        try await withPeer(
            .answers { _ in .ok }, server: .tls(fault: fault.0),
            client: {
                if fault.0 == .selfSigned { $0.tls = TLSConfiguration(roots: .only(pem: Data(stranger.pem.utf8))) }
                $0.defaults.allowsOtherOrigins = true
            }
        ) { client, server in
            let url = server.url("/?secret=1", host: host)
            let error = await expectFailure(fault.1) { try await client.post(url, data: Data("x".utf8)).data() }
            #expect(error?.phase == .tls)
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.attempts.isEmpty == true)
            // Never retried, and never a request.
            #expect(server.connectionCount == 1)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"]) func aGoodCertificateIsAccepted(_ host: String) async throws {
        try await withPeer(
            .answers { .text($0.serverName ?? "no name") }, server: .tls(),
            client: { $0.defaults.allowsOtherOrigins = true }
        ) { client, server in
            let response = try await client.get(server.url("/", host: host)).response()
            #expect(String(decoding: response.body, as: UTF8.self) == (host == "localhost" ? host : "no name"))
            #expect(response.metrics.tlsVersion == "TLSv1.3")
        }
    }

    @Test func aCertificateForTheNameIsNotOneForTheAddress() async throws {
        var options = TestServer.Options()
        options.tls = try .testCertificate(names: ["localhost"])
        try await withPeer(.answers { _ in .ok }, server: options) { client, server in
            let error = await expectFailure(.certificateHostMismatch) { try await client.get("/").data() }
            #expect(error?.message.contains("127.0.0.1") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func anIPv6AddressIsCheckedAsOne() async throws {
        var options = try TestServer.Options.tls()
        options.host = .ipv6
        try await withPeer(.answers { .text($0.serverName ?? "no name") }, server: options) { client, _ in
            try await client.expectText("no name")
        }
        options.tls = try .testCertificate(names: ["localhost", "127.0.0.1", "::2"])
        try await withPeer(.answers { _ in .ok }, server: options) { client, _ in
            await expectFailure(.certificateHostMismatch) { try await client.get("/").data() }
        }
    }

    @Test func aTrailingDotIsLeftOutOfTheCheck() async throws {
        try await withPeer(
            .answers { .text($0.serverName ?? "no name") }, server: .tls(),
            client: { $0.defaults.allowsOtherOrigins = true }
        ) { client, server in
            let text = try await client.get("https://localhost.:\(server.port)/").string()
            #expect(text == "localhost")
        }
    }

    @Test func theSystemsRootsDoNotTrustATestAuthority() async throws {
        try await withPeer(.answers { _ in .ok }, server: .tls(), client: { $0.tls = TLSConfiguration() }) {
            client, _ in
            await expectFailure(.certificateIssuerUnknown) { try await client.get("/").data() }
        }
    }

    @Test(arguments: TestCertificate.Fault.allCases)
    func theInsecureConfigurationAcceptsAnything(_ fault: TestCertificate.Fault) async throws {
        try await withPeer(.answers { _ in .text("x") }, server: .tls(fault: fault), client: { $0.tls = .insecure }) {
            client, _ in
            try await client.expectText("x")
        }
    }

    @Test func rootsThatAreNoCertificatesAreAnError() async throws {
        try await withPeer(
            .answers { _ in .ok }, server: .tls(),
            client: { $0.tls = TLSConfiguration(roots: .only(pem: Data("nonsense".utf8))) }
        ) { client, _ in
            let error = await expectFailure(.tlsConfigurationInvalid) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == false)
        }
    }

    @Test func aVersionBelowTLS12IsRefused() async throws {
        let options = try TestServer.Options.tls {
            $0.minimumVersion = .tls11
            $0.maximumVersion = .tls11
        }
        try await withPeer(.answers { _ in .ok }, server: options) { client, server in
            await expectFailure(.tlsHandshakeFailed) { try await client.get("/").data() }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func aServerThatDemandsACertificateIsAnError() async throws {
        let authority = try TestCertificateAuthority()
        let options = try TestServer.Options.tls { $0.clientAuthority = authority }
        try await withPeer(.answers { _ in .ok }, server: options) { client, server in
            do {
                _ = try await client.get("/").data()
                Issue.record("A call without a certificate was answered")
            } catch let error as MartletError {
                #expect([.tlsHandshakeFailed, .connectionClosed].contains(error.code), "\(error)")
            }
            #expect(server.requests.isEmpty)
        }
    }
}
