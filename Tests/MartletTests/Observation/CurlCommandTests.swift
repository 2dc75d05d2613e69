// The command is run by `sh` with the real curl, and what arrives is compared with what the call itself sends.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct CurlCommandTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (MartletClient) -> Call

        init(_ name: String, _ make: @escaping @Sendable (MartletClient) -> Call) {
            testDescription = name
            self.make = make
        }
    }

    private static let text = "it's \"quoted\" $HOME `id` \\n\n@file %41 \u{FC} !"

    static let samples = [
        Sample("a GET") { $0.get("/a?b=c&d=%20e") },
        Sample("odd fields") { $0.get("/").header("X-Odd", text.replacing("\n", with: " ")).header("X-Empty", "") },
        Sample("no default fields") { $0.get("/[1]{2}/%2e%2e/x").header("Accept-Encoding", "identity") },
        Sample("JSON") { $0.post("/", data: Data(#"{"a": "it's"}"#.utf8), contentType: "application/json") },
        Sample("text") { $0.put("/").body(data: Data(text.utf8), contentType: "text/plain; charset=utf-8") },
        Sample("bytes") { $0.post("/").body(data: Data((0...255).map { UInt8($0) })) },
        Sample("an empty POST") { $0.post("/") },
        Sample("a DELETE") { $0.delete("/users/1") },
        Sample("a long text") { $0.post("/", data: Data(String(repeating: "it's long; ", count: 20_000).utf8)) },
        Sample("a GET with a body") { $0.get("/").body(data: Data("q".utf8)).allowingBodyWithGet() },
        Sample("a QUERY") { $0.query("/", data: Data("@a".utf8), contentType: "text/plain") },
        Sample("a file") { $0.post("/").body(file: "/etc/hostname", contentType: "text/plain") },
    ]

    @Test(arguments: samples) func theShellSendsTheSame(sample: Sample) async throws {
        try await withPeer(.answers { _ in .text("ok") }) { client, server in
            let call = sample.make(client)
            try await call.discard()
            let command = try call.curlCommand(redacting: .none)
            try await Self.run(command)
            let requests = server.requests
            try #require(requests.count == 2, "\(command)")
            #expect(Self.wire(requests[0]) == Self.wire(requests[1]), "\(command)")
            #expect(requests[0].body == requests[1].body)
        }
    }

    private static func wire(_ request: RecordedRequest) -> [String] {
        ["\(request.method) \(request.target)"]
            + request.fields.map { "\($0.name.lowercased()): \($0.value)" }
            .filter { !$0.hasPrefix("connection:") }.sorted()
    }

    private static func run(_ command: String) async throws {
        // In a file: one argument of a process may not be as long as a command with a long body.
        let script = FileManager.default.temporaryDirectory.appending(path: "martlet-curl-\(UUID().uuidString)")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [script.path(percentEncoded: false)]
        var environment = ProcessInfo.processInfo.environment
        for name in environment.keys where name.lowercased().hasSuffix("_proxy") { environment[name] = nil }
        environment["CURL_HOME"] = "/nonexistent"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in ended {}
        #expect(process.terminationStatus == 0, "\(command)")
    }

    @Test func secretsAreHiddenByDefault() throws {
        let client = MartletClient(baseURL: "https://api.example.com")
        let call = client.post("/login?key=CANARY", data: Data(#"{"password":"CANARY","n":1}"#.utf8))
            .header("Content-Type", "application/json").header("Authorization", "Bearer CANARY")
        let command = try call.curlCommand()
        #expect(!command.contains("CANARY"))
        #expect(command.contains("'https://api.example.com/login?key=<redacted>'"))
        #expect(command.contains(#"{"password":"<redacted>","n":1}"#))
        #expect(command.contains("--header 'Authorization: <redacted>'"))
    }

    @Test func bodyWithoutNamesIsNotShown() throws {
        let client = MartletClient(baseURL: "https://api.example.com")
        let command = try client.post("/", data: Data("CANARY".utf8), contentType: "text/plain").curlCommand()
        #expect(command.contains("--data-raw '<6 bytes>'"))
        let form = try client.post("/", data: Data("a=1&token=CANARY".utf8))
            .header("Content-Type", "application/x-www-form-urlencoded").curlCommand()
        #expect(form.contains("'a=1&token=<redacted>'"))
    }
}
