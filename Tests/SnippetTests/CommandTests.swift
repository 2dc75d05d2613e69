import Foundation
import Martlet
import MartletTesting
import Testing

/// The commands in the documents: those of the tool are run against a server of the test's own; of the others it is looked at
/// that what they name is there.
@Suite struct CommandTests {
    /// One command, over as many lines as it takes.
    struct Line: Sendable, CustomTestStringConvertible {
        var place: String
        var text: String

        var testDescription: String { "\(place): \(text)" }

        /// The status that it ends with: what a comment behind it says, else 0.
        var status: Int {
            text.firstMatch(of: #/# exit status (\d+)$/#).flatMap { Int($0.1) } ?? 0
        }
    }

    static func lines(where isWanted: (Line) -> Bool) throws -> [Line] {
        try SnippetTests.blocks("sh").flatMap { block in
            block.text.replacing(#/\\\n\s*/#, with: "").split(separator: "\n").map {
                Line(place: block.place, text: $0.trimmingCharacters(in: .whitespaces))
            }
        }.filter { !$0.text.hasPrefix("#") && isWanted($0) }
    }

    static func isOfTheTool(_ line: Line) -> Bool {
        line.text.contains(#/\bmartlet-cli\b/#) && !line.text.contains(#/\bswift (run|build)\b/#)
    }

    /// The command with the test's server for all that it names, and fewer repetitions.
    static func played(_ command: String, by server: TestServer) -> String {
        command.replacing(#/(https?:\/\/)?(api\.)?(example\.com|localhost:8080)(?=[\/\s]|$)/#, with: server.baseURL)
            .replacing(#/(--repeat|-n) \d+/#) { "\($0.1) 100" }
    }

    @Test(arguments: try lines(where: isOfTheTool))
    func commandOfTheToolEndsAsItShould(line: Line) async throws {
        try await TestServer.serving { request in
            request.path.contains("missing") ? .notFound : .json(#"{"name": "Ada", "method": "\#(request.method)"}"#)
        } run: { server in
            let folder = TemporaryFolder()
            try folder.write(#"{"name": "Grace"}"#, to: "user.json")
            try folder.write("a photo", to: "photo.jpg")
            try folder.write("a,b\n1,2\n", to: "data.csv")
            for completions in [".local/share/bash-completion/completions", ".config/fish/completions"] {
                try folder.write("", to: "\(completions)/.keep")
            }
            let script = "export HOME=\"$PWD\"; \(Self.played(line.text, by: server))"
            let outcome = try await Command.run(script, in: folder)
            #expect(outcome.status == line.status, "\(line.place): \(outcome.errors)")
            let isOffline = line.text.contains("completions") || line.text.contains("demo")
            #expect(server.requests.isEmpty == isOffline)
        }
    }

    /// The article about the tool names options and statuses that the tool has, and all statuses.
    @Test func articleAgreesWithTheHelp() async throws {
        let article = try Document.text(of: "Docs/Martlet.docc/Articles/CommandLineTool.md")
        let help = try await Command.run("martlet-cli get --help", in: TemporaryFolder()).output
        let options = Set(article.matches(of: #/[ `(](--[a-z][a-z-]+)/#).map { String($0.1) })
        #expect(options.count >= 10)
        for option in options.subtracting(["--product", "--help"]) { #expect(help.contains(option), "\(option)") }
        let told = article.matches(of: #/(?m)^\| (\d+) \|/#).map { String($0.1) }
        let known = help.matches(of: #/(?m)^ {2}(\d+) /#).map { String($0.1) }
        #expect(told == known)
    }

    /// What the other commands begin with, and the file of the package that they need.
    static let others: [(start: String, file: String)] = [
        ("apt-get update && apt-get install -y libssl-dev libnghttp2-dev zlib1g-dev pkg-config", "Tests/install"),
        ("apt-get install -y libssl-dev libnghttp2-dev zlib1g-dev pkg-config", "Tests/install"),
        ("swift run -c release martlet-cli", "Sources/MartletCLI/Tool.swift"),
        ("swift build -c release --product martlet-cli", "Sources/MartletCLI/Tool.swift"),
        ("swift run -c release --package-path Benchmarks bench", "Benchmarks/Package.swift"),
        ("valgrind --tool=callgrind .build/release/bench run-one", "Benchmarks/Package.swift"),
        ("Tests/run", "Tests/run"),
        ("Docs/build", "Docs/build"),
        // Of the first program, which `firstProgramIsBuiltAndRun` builds and runs.
        ("mkdir -p served", "Docs/Martlet.docc/Articles/GettingStarted.md"),
        ("echo '{", "Docs/Martlet.docc/Articles/GettingStarted.md"),
        ("python3 -m http.server 8000 --bind 127.0.0.1 --directory served &", "Tests/install"),
        ("swift run first", "Docs/Martlet.docc/Articles/GettingStarted.md"),
    ]

    @Test(arguments: try lines { !isOfTheTool($0) })
    func otherCommandIsKnown(line: Line) throws {
        let known = Self.others.first { line.text.hasPrefix($0.start) }
        let file = try #require(known?.file, "\(line.place): nothing looks at \"\(line.text)\".")
        let path = Document.root.appending(path: file).path(percentEncoded: false)
        #expect(FileManager.default.fileExists(atPath: path), "\(line.place): \(file) is missing")
    }

    /// The way of a newcomer: the program of the first article, built outside of this package and run. Takes minutes.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_SOAK"] != nil))
    func firstProgramIsBuiltAndRun() async throws {
        let article = try #require(try Document.all.first { $0.path.hasSuffix("GettingStarted.md") })
        let manifest = try #require(article.blocks.first(where: SnippetTests.isManifest))
        let program = try #require(article.blocks.first { $0.text.contains("import Martlet") })
        let output = try #require(article.blocks.first { $0.language == "text" })
        try await Example.run { server in
            let folder = TemporaryFolder()
            let root = Document.root.path(percentEncoded: false)
            try folder.write(manifest.text.replacing("../martlet", with: root), to: "Package.swift")
            try folder.write(
                program.text.replacing("http://127.0.0.1:8000", with: server.baseURL), to: "Sources/first/main.swift")
            let outcome = try await Command.run("swift run first", in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output == output.text + "\n")
        }
    }
}
