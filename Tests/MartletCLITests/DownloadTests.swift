import Foundation
import Martlet
import MartletTesting
import Testing

@testable import MartletCLI

@Suite struct DownloadTests {
    private let folder = TemporaryFolder()
    private static let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })

    @Test func aFileIsThereWhenItIsComplete() async throws {
        try await TestServer.serving { _ in
            .data(Self.content)
        } run: { server in
            let outcome = try await BuiltTool.run("download", server.url("/a"), "--output", folder.path("file"))
            #expect(outcome.status == 0)
            #expect(outcome.text == "")
            #expect(outcome.errors == "")
            #expect(try folder.contents("file") == Self.content)
            #expect(try folder.names == ["file"])
        }
    }

    @Test func theNextRunGoesOn() async throws {
        let head = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 200000\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1000-199999/200000\r\nContent-Length: 199000\r\n\r\n"
        let first: [TestStep] = [
            .readRequest, .send(head), .sendBytes(Array(Self.content.prefix(1_000))), .close,
        ]
        let refused: [TestStep] = [.readRequest, .respond(.status(404)), .close]
        let second: [TestStep] = [
            .readRequest, .send(rest), .sendBytes(Array(Self.content.dropFirst(1_000))), .waitForClose,
        ]
        try await TestServer.withServer(scripts: [first, refused, second]) { server in
            let arguments = ["download", server.url("/a"), "--output", folder.path("file")]
            let broken = try await BuiltTool.run(arguments)
            #expect(broken.status == 22)
            #expect(try folder.names == ["file.partial", "file.partial.json"])
            let outcome = try await BuiltTool.run(arguments)
            #expect(outcome.status == 0)
            #expect(server.requests.last?["Range"] == "bytes=1000-")
            #expect(try folder.contents("file") == Self.content)
        }
    }

    @Test func anotherDigestIsAFailure() async throws {
        try await TestServer.serving { _ in
            .data(Self.content)
        } run: { server in
            let digest = String(repeating: "0", count: 64)
            let outcome = try await BuiltTool.run(
                "download", server.url("/a"), "--output", folder.path("file"), "--sha256", digest)
            #expect(outcome.status == 7)
            #expect(try folder.names == [])
        }
    }

    @Test func eventsArePrintedOverManyConnections() async throws {
        try await TestServer.serving { request in
            if request["Last-Event-ID"] == "2" { return .status(204) }
            let id = request["Last-Event-ID"] == nil ? 1 : 2
            return TestResponse(
                headers: ["Content-Type": "text/event-stream"],
                body: .data(Data("retry: 1\nid: \(id)\ndata: one\ndata: line \(id)\n\n".utf8)))
        } run: { server in
            let outcome = try await BuiltTool.run("events", server.url("/"))
            #expect(outcome.status == 0)
            #expect(outcome.text == "one\nline 1\none\nline 2\n")
        }
    }

    @Test(arguments: [
        ["get", "a", "--parallel", "2"], ["post", "a", "--sha256", String(repeating: "0", count: 64)],
        ["download", "a", "--sha256", "12"], ["download", "a", "--output", "-"], ["download", "a", "--json", "1"],
        ["events", "a", "--output", "f"], ["download", "a", "--parallel", "0"], ["events", "a", "--repeat", "2"],
    ])
    func whatHasNoMeaningIsRefused(arguments: [String]) {
        #expect { try Command(arguments) } throws: { ($0 as? ToolFailure)?.status == .usage }
    }
}
