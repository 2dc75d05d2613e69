#if SocketTransport && os(Linux)
import Foundation
import MartletTesting
import Testing

@Suite struct TrustTests {
    private let folder = TemporaryFolder()

    private func serving(_ body: (TestServer) async throws -> Void) async throws {
        var options = TestServer.Options()
        options.tls = try .testCertificate()
        try await TestServer.serving(options) { _ in
            .text("secure")
        } run: { server in
            try await body(server)
        }
    }

    // While the roots are still being loaded on another thread: what OpenSSL did at exit took them from under its hands.
    @Test func aFailureAmidTheLoadingOfRootsEndsWell() async throws {
        let script = #"for n in $(seq 40); do "$0" get "$1" 2>/dev/null; [ $? = 4 ] || exit 1; done"#
        var options = TestServer.Options()
        options.listens = false
        try await TestServer.withServer(options, { _ in }) { server in
            let tool = try BuiltTool(script: script, "https://127.0.0.1:\(server.port)/")
            #expect(try await tool.outcome().status == 0)
        }
    }

    @Test func anUnknownAuthorityIsRefused() async throws {
        try await serving { server in
            let outcome = try await BuiltTool.run("get", server.url("/"))
            #expect(outcome.status == 6)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func anAuthorityOfTheUsersIsTrusted() async throws {
        try await serving { server in
            try folder.write(server.certificateAuthority?.pem ?? "", to: "roots.pem")
            let outcome = try await BuiltTool.run("get", "--cacert", folder.path("roots.pem"), server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.text == "secure")
            #expect(outcome.errors == "")
        }
    }

    @Test func insecureAcceptsAndWarns() async throws {
        try await serving { server in
            let outcome = try await BuiltTool.run("get", "--insecure", server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.text == "secure")
            #expect(outcome.errors.hasPrefix("martlet-cli: Warning: --insecure"))
        }
    }

    @Test func aFileWithoutRootsIsATLSFailure() async throws {
        try await serving { server in
            try folder.write("nothing", to: "roots.pem")
            let outcome = try await BuiltTool.run("get", "--cacert", folder.path("roots.pem"), server.url("/"))
            #expect(outcome.status == 6)
        }
    }
}
#endif
