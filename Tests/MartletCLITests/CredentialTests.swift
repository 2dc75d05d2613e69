import Foundation
import Martlet
import MartletTesting
import Testing

@testable import MartletCLI

@Suite struct CredentialTests {
    private static func authorizations(_ arguments: String...) async throws -> (Int32, [String?], String) {
        let other = try await TestServer.serve { _ in .text("there") }
        let place = other.url("/there")
        let server = try await TestServer.serve { _ in .text("", status: 302, headers: ["Location": place]) }
        let outcome = try await BuiltTool.run(["get", "--follow"] + arguments + [server.url("/")])
        let seen = server.requests.map { $0["Authorization"] } + other.requests.map { $0["Authorization"] }
        await server.stop()
        await other.stop()
        return (Int32(outcome.status), seen, outcome.errors)
    }

    @Test func aPasswordOrTokenGoesToItsServerAlone() async throws {
        let basic = try await Self.authorizations("--user", "ada:p:q")
        #expect(basic.0 == 0)
        #expect(basic.1 == ["Basic " + Data("ada:p:q".utf8).base64EncodedString(), nil])
        let bearer = try await Self.authorizations("--bearer", "s3cr3t")
        #expect(bearer.1 == ["Bearer s3cr3t", nil])
        #expect(bearer.2.isEmpty)
    }

    @Test func aPasswordIsProved() async throws {
        let peer = try await TestServer.serve { request in
            request["Authorization"]?.hasPrefix("Digest username=\"ada\"") == true
                ? .text("in")
                : .text("", status: 401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=y, qop=auth"])
        }
        let outcome = try await BuiltTool.run("get", "-u", "ada:s3cr3t", "--digest", peer.url("/"))
        #expect(outcome.text == "in")
        await peer.stop()
    }

    @Test func plainHTTPIsWarnedOf() {
        for url in ["http://a.example/", "HTTP://10.0.0.1/"] { #expect(!Address.isProtected(url)) }
        for url in ["https://a.example/", "http://localhost:1/", "http://127.0.0.1/"] {
            #expect(Address.isProtected(url))
        }
    }

    @Test(arguments: [
        ["--user", "canary"], ["--digest"], ["--user", "a:canary", "--bearer", "canary"],
        ["--netrc", "--user", "a:canary"], ["--bearer", ""],
    ])
    func whatDoesNotGoTogetherIsSaidWithoutTheSecret(arguments: [String]) async throws {
        let outcome = try await BuiltTool.run(["get"] + arguments + ["http://127.0.0.1:1/"])
        #expect(outcome.status == 2)
        #expect(!outcome.errors.contains("canary"))
    }
}
