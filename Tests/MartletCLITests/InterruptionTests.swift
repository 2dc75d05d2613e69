import Foundation
import Martlet
import MartletTesting
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct InterruptionTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)])
    func aSignalCancelsTheTransfer(_ signal: Int32, status: Int) async throws {
        let script: [TestStep] = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .stall]
        try await TestServer.withServer(script: script) { server in
            let tool = try BuiltTool("get", "--output", folder.path("file"), server.url("/"))
            try await server.waitForRequests(1)
            tool.signal(signal)
            let outcome = try await tool.outcome()
            #expect(outcome.status == status)
            #expect(!outcome.wasKilled)
            #expect(outcome.errors == "martlet-cli: Interrupted.\n")
            #expect(try folder.names == [])
            try await server.waitUntilAllClosed()
        }
    }

    @Test func anIgnoredSignalStaysIgnored() async throws {
        let release = TestSignal()
        try await TestServer.withServer(script: [.readRequest, .wait(for: release), .respond(.text("whole"))]) {
            server in
            let tool = try BuiltTool(script: #"trap '' INT; exec "$0" get "$1""#, server.url("/"))
            try await server.waitForRequests(1)
            tool.signal(SIGINT)
            release.fire()
            let outcome = try await tool.outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text == "whole")
        }
    }
}
