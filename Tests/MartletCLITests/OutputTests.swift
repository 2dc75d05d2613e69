import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct OutputTests {
    private let folder = TemporaryFolder()

    @Test func theFileHoldsTheBody() async throws {
        try await TestServer.serving { _ in
            .text("whole")
        } run: { server in
            let outcome = try await BuiltTool.run("get", "--output", folder.path("file"), server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
            #expect(try folder.names == ["file"])
            #expect(try folder.contents("file") == Data("whole".utf8))
        }
    }

    @Test(arguments: [nil, "1"])
    func jsonIsLaidOutOffTheTerminalWhenThatIsAskedFor(_ noColour: String?) async throws {
        try await TestServer.serving { _ in
            .json("[1]")
        } run: { server in
            let environment = noColour.map { ["NO_COLOR": $0] } ?? [:]
            let outcome = try await BuiltTool(
                "get", "--pretty", "always", server.url("/"), environment: environment
            ).outcome()
            let one = noColour == nil ? "\u{1B}[36m1\u{1B}[0m" : "1"
            #expect(outcome.text == "[\n  \(one)\n]\n")
        }
    }

    @Test func withIncludeTheHeadGoesToStandardOutput() async throws {
        try await TestServer.serving { _ in
            .text("whole")
        } run: { server in
            let outcome = try await BuiltTool.run("get", "-i", "-o", folder.path("file"), server.url("/"))
            #expect(outcome.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(outcome.text.hasSuffix("\r\n\r\n"))
            #expect(try folder.contents("file") == Data("whole".utf8))
        }
    }

    @Test(arguments: [nil, "before"])
    func aTruncatedBodyLeavesTheFileAsItWas(_ before: String?) async throws {
        if let before { try folder.write(before, to: "file") }
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
        try await TestServer.withServer(script: [.readRequest, .send(response), .close]) { server in
            let outcome = try await BuiltTool.run("get", "--output", folder.path("file"), server.url("/"))
            #expect(outcome.status == 7)
            #expect(try folder.names == (before == nil ? [] : ["file"]))
            if let before { #expect(try folder.contents("file") == Data(before.utf8)) }
        }
    }

    @Test func anErrorPageLeavesTheFileAsItWas() async throws {
        try folder.write("before", to: "file")
        try await TestServer.serving { _ in
            .text("not here", status: 404)
        } run: { server in
            let outcome = try await BuiltTool.run("get", "--output", folder.path("file"), server.url("/"))
            #expect(outcome.status == 22)
            #expect(try folder.names == ["file"])
            #expect(try folder.contents("file") == Data("before".utf8))
        }
    }

    @Test func theFileBehindALinkIsReplacedAndKeepsItsRights() async throws {
        try folder.write("before", to: "file")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("file"))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "file")
        try await TestServer.serving { _ in
            .text("after")
        } run: { server in
            let outcome = try await BuiltTool.run("get", "--output", folder.path("link"), server.url("/"))
            #expect(outcome.status == 0)
            #expect(try folder.contents("file") == Data("after".utf8))
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("file"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let link = try FileManager.default.attributesOfItem(atPath: folder.path("link"))
            #expect(link[.type] as? FileAttributeType == .typeSymbolicLink)
        }
    }

    @Test func aDeviceIsWrittenAndNotReplaced() async throws {
        try await TestServer.serving { _ in
            .text("whole")
        } run: { server in
            let outcome = try await BuiltTool.run("get", "--output", "/dev/null", server.url("/"))
            #expect(outcome.status == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
            #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
        }
    }

    @Test func aReaderThatHasEnoughEndsItQuietly() async throws {
        try await TestServer.serving { _ in
            .init(body: .infinite(Data(count: 65_536)))
        } run: { server in
            let script = #""$0" get "$1" | head -c 10; exit ${PIPESTATUS[0]}"#
            let outcome = try await BuiltTool(script: script, server.url("/")).outcome()
            #expect(outcome.status == 0)
            #expect(outcome.output.count == 10)
            #expect(outcome.errors == "")
        }
    }

    @Test func aReaderThatDoesNotReadCannotHoldUpTheTimeout() async throws {
        let head = "HTTP/1.1 200 OK\r\n\r\n"
        try await TestServer.withServer(script: [.readRequest, .send(head), .sendRepeating([0x61], count: .max)]) {
            server in
            // Both ends of the pipe stay open in the shell's descriptor 3, and nobody reads.
            let script = #"mkfifo "$2"; exec 3<>"$2"; "$0" get --timeout 0.5 "$1" >&3"#
            let outcome = try await BuiltTool(script: script, server.url("/"), folder.path("pipe")).outcome()
            #expect(outcome.status == 5)
        }
    }

    @Test func standardOutputThatCannotBeWrittenIsAFailure() async throws {
        try await TestServer.serving { _ in
            .text("whole")
        } run: { server in
            let full = try await BuiltTool(script: #""$0" get "$1" >/dev/full"#, server.url("/")).outcome()
            #expect(full.status == 8)
            #expect(full.errors.contains("Standard output cannot be written"))
            let closed = try await BuiltTool(script: #""$0" get "$1" >&-"#, server.url("/")).outcome()
            #expect(closed.status == 8)
        }
    }
}
