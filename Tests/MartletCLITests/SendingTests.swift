import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct SendingTests {
    private let folder = TemporaryFolder()

    /// The one request that a run of the tool makes.
    private func request(
        _ arguments: [String], script: String = #""$0" "$@""#
    ) async throws -> RecordedRequest {
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let arguments = arguments.map { $0.replacing("URL", with: server.url("/")) }
            let outcome = try await BuiltTool(script: script, arguments: arguments).outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try #require(server.requests.first)
        }
    }

    @Test(arguments: CommandMethod.all)
    func eachCommandSendsItsMethod(_ command: CommandMethod) async throws {
        let request = try await request([command.name, "URL"])
        #expect(request.method == command.method)
        #expect(request.body.isEmpty)
    }

    struct CommandMethod: Sendable, CustomTestStringConvertible {
        let name: String
        var method: String { name.uppercased() }
        var testDescription: String { name }
        static let all = ["get", "head", "post", "put", "patch", "delete", "options"].map(CommandMethod.init)
    }

    @Test func itemsMakeJSONQueryAndHeaders() async throws {
        let request = try await request(["post", "URL", "b=1", "a:=[1.0, 2]", "q==x y", "X-A:z"])
        #expect(request.bodyText == #"{"b": "1", "a": [1.0, 2]}"#)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "application/json, */*;q=0.5")
        #expect(request["X-A"] == "z")
        #expect(request.target == "/?q=x%20y")
    }

    @Test func itemsMakeAForm() async throws {
        let request = try await request(["post", "--form", "URL", "a=1 2", "a=ü"])
        #expect(request.bodyText == "a=1+2&a=%C3%BC")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request["Accept"] == "*/*")
    }

    @Test func jsonIsSentAsItIsWritten() async throws {
        let text = #"{"z": 1.0,  "a": 12345678901234567890}"#
        let request = try await request(["put", "--json", text, "URL"])
        #expect(request.bodyText == text)
        #expect(request["Content-Type"] == "application/json")
    }

    @Test func dataIsTextUnlessAHeaderSaysOtherwise() async throws {
        let plain = try await request(["patch", "--data", "é", "URL"])
        #expect(plain.bodyText == "é")
        #expect(plain["Content-Type"] == "text/plain; charset=utf-8")
        let other = try await request(["patch", "--data", "a,b", "-H", "Content-Type: text/csv", "URL"])
        #expect(other.values(for: "Content-Type") == ["text/csv"])
    }

    @Test(arguments: [["--data", "@PATH"], ["@PATH"]])
    func aFileIsSentWithItsLength(_ body: [String]) async throws {
        let bytes = String(repeating: "0123456789", count: 100_000)
        try folder.write(bytes, to: "file")
        let request = try await request(["put", "URL"] + body.map { $0.replacing("PATH", with: folder.path("file")) })
        #expect(request.bodyText == bytes)
        #expect(request["Content-Length"] == "1000000")
        #expect(request["Content-Type"] == "application/octet-stream")
    }

    @Test func anEmptyFileIsAnEmptyBody() async throws {
        try folder.write("", to: "file")
        let request = try await request(["put", "URL", "--json", "@" + folder.path("file")])
        #expect(request.body.isEmpty)
        #expect(request["Content-Length"] == "0")
    }

    @Test func aPipeIsSentAsItComes() async throws {
        let request = try await request(
            ["post", "URL", "--data", "@-"], script: #"{ printf one; sleep 0.1; printf two; } | "$0" "$@""#)
        #expect(request.bodyText == "onetwo")
        #expect(request["Transfer-Encoding"] == "chunked")
    }

    @Test func aFileOnStandardInputIsSentFromWhereItStands() async throws {
        try folder.write("skipped, and the rest", to: "file")
        let script = #"exec <"\#(folder.path("file"))"; read -r -d ' '; "$0" "$@""#
        let request = try await request(["post", "URL", "--json", "@-"], script: script)
        #expect(request.bodyText == "and the rest")
        #expect(request["Content-Length"] == "12")
    }

    @Test func standardInputIsLeftAloneUnlessAskedFor() async throws {
        let request = try await request(["post", "URL"], script: #"printf unasked | "$0" "$@""#)
        #expect(request.body.isEmpty)
    }

    @Test(arguments: ["/nonexistent", "/"])
    func aFileThatCannotBeReadIsFoundBeforeAnythingIsSent(_ path: String) async throws {
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let outcome = try await BuiltTool.run("put", server.url("/"), "--data", "@" + path)
            #expect(outcome.status == 8)
            #expect(outcome.errors.contains("\(path) cannot be read"))
            #expect(server.connectionCount == 0)
        }
    }

    @Test func interruptedWhileStandardInputIsSilent() async throws {
        try await TestServer.withServer(script: [.readHead, .stall]) { server in
            let script = #"mkfifo "$2"; exec 3<>"$2"; exec "$0" post "$1" --data @- <&3"#
            let tool = try BuiltTool(script: script, arguments: [server.url("/"), folder.path("pipe")])
            try await server.waitForRequests(1)
            tool.signal(2)
            #expect(try await tool.outcome().status == 130)
        }
    }
}
