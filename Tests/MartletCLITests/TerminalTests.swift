#if os(Linux)
import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct TerminalTests {
    private let folder = TemporaryFolder()

    private func outcome(
        _ response: TestResponse, _ arguments: String..., redirection: String = "",
        environment: [String: String] = [:]
    ) async throws -> BuiltTool.Outcome {
        try await TestServer.serving { _ in
            response
        } run: { server in
            try await BuiltTool.onTerminal(
                ["get", server.url("/")] + arguments, redirection: redirection, environment: environment
            ).outcome()
        }
    }

    @Test func jsonIsLaidOutAndColoured() async throws {
        let outcome = try await outcome(.json(#"{"a":[1]}"#))
        #expect(outcome.text == "{\n  \u{1B}[34;1m\"a\"\u{1B}[0m: [\n    \u{1B}[36m1\u{1B}[0m\n  ]\n}\n")
    }

    @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
    func colourCanBeTurnedOff(_ environment: [String: String]) async throws {
        let outcome = try await outcome(.json(#"{"a":[1]}"#), environment: environment)
        #expect(outcome.text == "{\n  \"a\": [\n    1\n  ]\n}\n")
    }

    @Test(arguments: [["--pretty", "never"], ["--stream"]])
    func jsonStaysAsItIsWhenThatIsAskedFor(_ arguments: [String]) async throws {
        try await TestServer.serving { _ in
            .json(#"{"a":[1]}"#)
        } run: { server in
            let outcome = try await BuiltTool.onTerminal(["get", server.url("/")] + arguments).outcome()
            #expect(outcome.text == #"{"a":[1]}"#)
        }
    }

    @Test(arguments: ["| cat", "> FILE; cat FILE"])
    func bytesStayUntouchedOffTheTerminal(_ redirection: String) async throws {
        let outcome = try await outcome(
            .json(#"{"a":[1]}"#), redirection: redirection.replacing("FILE", with: "'\(folder.path("file"))'"))
        #expect(outcome.text == #"{"a":[1]}"#)
    }

    @Test func whatIsNotTextIsNotShown() async throws {
        let body = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0])
        let hidden = try await outcome(.data(body, type: "image/png"))
        #expect(hidden.status == 0)
        #expect(hidden.text.hasPrefix("martlet-cli: The body is not text"))
        let asked = try await outcome(.data(body, type: "image/png"), "--output", "-")
        #expect(asked.output == body)
    }

    @Test func aHeadCannotCommandTheTerminal() async throws {
        let outcome = try await outcome(.text("x", headers: ["X-Evil": "\u{9B}31mred\u{202E}"]), "-i", "-v")
        #expect(outcome.text.contains("X-Evil"))
        #expect(!outcome.text.contains("\u{9B}"))
        #expect(!outcome.text.contains("\u{202E}"))
    }

    @Test func aMessageBeginsOnItsOwnLine() async throws {
        let outcome = try await outcome(.text("no newline", status: 404))
        #expect(outcome.text.hasPrefix("no newline\nmartlet-cli: The server answered 404"))
    }

    @Test func aDownloadOfMoreThanHalfASecondShowsItsProgress() async throws {
        let script: [TestStep] = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n"),
            .sendBytes(Array(repeating: 0x61, count: 1000)), .pause(.milliseconds(1200)),
            .sendBytes(Array(repeating: 0x61, count: 1000)), .waitForClose,
        ]
        try await TestServer.withServer(script: script) { server in
            let outcome = try await BuiltTool.onTerminal(["get", server.url("/"), "-o", folder.path("file")]).outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("50 %"))
            #expect(outcome.text.contains("100 %"))
            #expect(outcome.text.contains("1.95 KiB of 1.95 KiB"))
            #expect(outcome.text.hasSuffix("\u{1B}[K\n"))
            #expect(try folder.contents("file").count == 2000)
        }
    }

    // The reader of a pipe may be drawing on the same terminal.
    @Test func aTransferToAPipeShowsNoBar() async throws {
        let script: [TestStep] = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .pause(.milliseconds(1200)),
            .send("half"), .waitForClose,
        ]
        try await TestServer.withServer(script: script) { server in
            let outcome = try await BuiltTool.onTerminal(["get", server.url("/")], redirection: "| cat").outcome()
            #expect(outcome.text == "halfhalf")
        }
    }

    @Test func aWaitOfMoreThanHalfASecondIsShownAndTakenAway() async throws {
        let script: [TestStep] = [.readRequest, .pause(.milliseconds(1200)), .respond(.text("late"))]
        try await TestServer.withServer(script: script) { server in
            let outcome = try await BuiltTool.onTerminal(["get", server.url("/")]).outcome()
            #expect(outcome.text.contains("Waiting for the response 0:01"))
            #expect(outcome.text.hasSuffix("\r\u{1B}[Klate"))
        }
    }

    @Test func aShortTransferShowsNothing() async throws {
        let outcome = try await outcome(.text("short"), "-o", folder.path("file"))
        #expect(outcome.text == "")
    }

    @Test func anUploadOfMoreThanHalfASecondShowsItsProgress() async throws {
        try Data(count: 8 << 20).write(to: URL(filePath: folder.path("file")))
        let script: [TestStep] = [.readHead, .pause(.milliseconds(1200)), .readBody, .respond(.text("done"))]
        try await TestServer.withServer(script: script) { server in
            let outcome = try await BuiltTool.onTerminal(["put", server.url("/"), "@" + folder.path("file")]).outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("of 8.00 MiB"))
            #expect(outcome.text.hasSuffix("\ndone"))
        }
    }

    @Test func aSignalAmidTheBarLeavesNothingBehind() async throws {
        let go = TemporaryFolder()
        let script: [TestStep] = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .stall]
        try await TestServer.withServer(script: script) { server in
            let tool = try BuiltTool.onTerminal(
                ["get", server.url("/"), "-o", folder.path("file")],
                redirection: "& until [ -e '\(go.path("now"))' ]; do sleep 0.05; done; kill -TERM $!; wait $!")
            try await tool.waitForOutput("40 %")
            try go.write("", to: "now")
            let outcome = try await tool.outcome()
            #expect(outcome.status == 143)
            #expect(outcome.text.hasSuffix("\u{1B}[K\n\rmartlet-cli: Interrupted.\n"))
            #expect(try folder.names == [])
        }
    }
}
#endif
