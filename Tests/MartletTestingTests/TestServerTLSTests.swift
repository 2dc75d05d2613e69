#if SocketTransport && os(Linux)
// TLS, judged by another client: the curl command.

import Foundation
import MartletTesting
import Testing

@Suite struct TestServerTLSTests {
    private func options(
        _ fault: TestCertificate.Fault? = nil, _ change: (inout TestTLS) throws -> Void = { _ in }
    ) throws -> TestServer.Options {
        var options = TestServer.Options()
        var tls = try TestTLS.testCertificate(fault: fault)
        try change(&tls)
        options.tls = tls
        return options
    }

    /// Asks curl for the server's root, trusting the server's authority.
    private func curl(_ server: TestServer, _ arguments: [String] = [], host: String? = nil) async throws
        -> Command.Result
    {
        let path = try #require(try server.certificateAuthority?.writePEM())
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await Command.run(
            "curl", ["--silent", "--max-time", "10", "--cacert", path] + arguments + [server.url("/", host: host)])
    }

    @Test func servesOverTLS() async throws {
        let sessions = Box<TestTLS.Session>()
        let server = try await TestServer.start(try options()) { connection in
            sessions.value = await connection.tlsSession
            let request = try await connection.readRequest()
            try await connection.respond(.text(request.serverName ?? "-"))
        }
        let result = try await curl(server, host: "localhost")
        #expect(result.code == 0)
        #expect(result.output == "localhost")
        #expect(sessions.value?.serverName == "localhost")
        #expect(sessions.value?.applicationProtocol == "http/1.1")
        #expect(sessions.value?.version == "TLSv1.3")
        await server.stop()
        #expect(server.failures.isEmpty)
    }

    @Test(arguments: [nil, "127.0.0.1"])
    func isValidForItsAddress(host: String?) async throws {
        let server = try await TestServer.serve(try options()) { _ in .text("hi") }
        #expect(try await curl(server, host: host).output == "hi")
        await server.stop()
    }

    @Test(arguments: TestCertificate.Fault.allCases)
    func isRefusedForItsFault(fault: TestCertificate.Fault) async throws {
        let server = try await TestServer.serve(try options(fault)) { _ in .text("hi") }
        let result = try await curl(server)
        // curl: 60 the peer's certificate cannot be trusted. One who trusts a self-signed certificate by name accepts
        // it.
        #expect(result.code == (fault == .selfSigned ? 0 : 60))
        await server.stop()
    }

    @Test func sendsItsIntermediates() async throws {
        let authority = try TestCertificateAuthority()
        let certificate = try authority.intermediate().intermediate(name: "Lower").certificate(names: ["127.0.0.1"])
        #expect(certificate.authority.pem == authority.pem)
        #expect(certificate.intermediatesPEM.count == 2)
        let server = try await TestServer.serve(try options { $0.certificate = certificate }) { _ in .text("hi") }
        #expect(try await curl(server).output == "hi")
        await server.stop()
    }

    @Test func asksForAClientCertificate() async throws {
        let authority = try TestCertificateAuthority(name: "Clients")
        let pems = Box<String>()
        let server = try await TestServer.start(try options { $0.clientAuthority = authority }) { connection in
            pems.value = await connection.tlsSession?.clientCertificatePEM
            _ = try await connection.readRequest()
            try await connection.respond(.text("hi"))
        }
        #expect(try await curl(server).code != 0)
        let client = try authority.certificate(names: ["someone"])
        let files = try client.writePEM()
        defer {
            try? FileManager.default.removeItem(atPath: files.certificate)
            try? FileManager.default.removeItem(atPath: files.privateKey)
        }
        let result = try await curl(server, ["--cert", files.certificate, "--key", files.privateKey])
        #expect(result.output == "hi")
        #expect(pems.value == client.pem)
        await server.stop()
    }

    @Test func limitsTheVersion() async throws {
        let server = try await TestServer.serve(try options { $0.maximumVersion = .tls12 }) { _ in .text("hi") }
        #expect(try await curl(server).output == "hi")
        #expect(try await curl(server, ["--tlsv1.3"]).code == 35)
        await server.stop()
    }

    @Test(arguments: [(TestStep.close, true), (.closeWithoutTLSNotify, false), (.reset, false)])
    func saysGoodbyeOnlyWhenTheScriptDoes(step: TestStep, notifies: Bool) async throws {
        let server = try await TestServer.start(
            try options(), script: [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nbody"), step])
        let result = try await curl(server, ["--verbose", "--stderr", "-"])
        #expect(result.output.contains("(IN), TLS alert, close notify") == notifies)
        await server.stop()
    }

    @Test func startsTLSBehindAProxy() async throws {
        let tls = try TestTLS.testCertificate(names: ["behind.example"])
        let server = try await TestServer.start(script: [
            .readHead, .send("HTTP/1.1 200 Connected\r\n\r\n"), .startTLS(tls), .readRequest, .respond(.text("inside")),
        ])
        let path = try tls.certificate.authority.writePEM()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let result = try await Command.run(
            "curl",
            ["--silent", "--max-time", "10", "--cacert", path, "--proxy", server.baseURL, "https://behind.example/x"])
        #expect(result.output == "inside")
        #expect(server.requests.map(\.target) == ["behind.example:443", "/x"])
        #expect(server.requests.map(\.serverName) == [nil, "behind.example"])
        await server.stop()
    }

    @Test func canLeaveTheHandshakeUnanswered() async throws {
        let server = try await TestServer.serve(try options { $0.handshake = .never }) { _ in .text("hi") }
        #expect(try await curl(server, ["--max-time", "1"]).code == 28)
        try await server.waitUntilAllClosed()
        await server.stop()
    }

    @Test func stopsDuringAHandshake() async throws {
        let server = try await TestServer.serve(try options()) { _ in .text("hi") }
        let client = try RawClient(port: server.port)
        try await server.waitForConnections(1)
        await server.stop()
        #expect(client.endOfReading() == 0)
    }

    @Test func survivesClientsThatDoNotSpeakTLS() async throws {
        let server = try await TestServer.serve(try options()) { _ in .text("hi") }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.endOfReading() == 0)
        #expect(try await curl(server).output == "hi")
        #expect(server.failures.count == 1)
        await server.stop()
    }

    @Test func sendsAndReceivesMuch() async throws {
        let server = try await TestServer.serve(try options()) { .data($0.body) }
        let body = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "martlet-test-\(UUID().uuidString)")
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let copy = file.path + ".copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let result = try await curl(server, ["--data-binary", "@\(file.path)", "--output", copy])
        #expect(result.code == 0)
        #expect(FileManager.default.contents(atPath: copy) == body)
        await server.stop()
    }

    @Test func givesPinsAndForms() throws {
        let certificate = try TestCertificate.make()
        #expect(certificate.publicKeySHA256.count == 32)
        #expect(certificate.der.first == 0x30)
        #expect(certificate.chainPEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(certificate.privateKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test(arguments: ["a,b", "x:y"])
    func refusesNamesThatNoCertificateCanHave(name: String) {
        #expect(throws: TestServerError.self) { try TestCertificate.make(names: [name]) }
    }
}
#endif
