import Foundation
import Testing

/// The code in README, CHANGELOG, Docs and documentation comments is compiled, and run where it can be.
///
/// A `swift` block stands, but for white space, comments and imports, between the lines `// snippet` and `// end` in a source of
/// this target, inside a test; where a document says `https://api.example.com`, the test says `\(server.baseURL)`. A manifest
/// is evaluated by SwiftPM. A `text` block is the output of such code, which the test compares. Commands (`sh`) are looked at by
/// `CommandTests`. Anything else fails here.
@Suite struct SnippetTests {
    static func blocks(_ language: String) throws -> [Document.Block] {
        try Document.all.flatMap(\.blocks).filter { $0.language == language }
    }

    static func isManifest(_ block: Document.Block) -> Bool { block.text.hasPrefix("// swift-tools-version") }

    @Test(arguments: try blocks("swift").filter { !isManifest($0) })
    func swiftIsCompiled(block: Document.Block) throws {
        let isCovered = try Snippet.all.contains(Snippet.normalised(block.text))
        #expect(isCovered, "\(block.place): put it between `// snippet` and `// end` in Tests/SnippetTests/Snippets.")
    }

    @Test(arguments: try blocks("swift").filter(isManifest))
    func manifestIsEvaluated(block: Document.Block) async throws {
        let folder = TemporaryFolder()
        try folder.write(block.text, to: "Package.swift")
        let outcome = try await Command.run("swift package dump-package", in: folder)
        #expect(outcome.status == 0, "\(block.place): \(outcome.errors)")
    }

    @Test(arguments: try blocks("text"))
    func outputIsCompared(block: Document.Block) throws {
        let sources = try Snippet.sources
        for line in block.text.split(separator: "\n") {
            let text = line.trimmingCharacters(in: .whitespaces)
            #expect(sources.contains { $0.contains(text) }, "\(block.place): no test compares \"\(text)\".")
        }
    }

    @Test func everyBlockIsOfAKindThatIsLookedAt() throws {
        for block in try Document.all.flatMap(\.blocks) {
            #expect(["swift", "text", "sh"].contains(block.language), "\(block.place): \"\(block.language)\"")
        }
        #expect(try Document.all.flatMap(\.indentedCode) == [])
    }

    /// A page of the site shows so many columns of code in a window of usual width.
    @Test func codeIsNoWiderThanItsPage() throws {
        for block in try Document.all.filter({ $0.path.hasPrefix("Docs/Martlet.docc/") }).flatMap(\.blocks) {
            let widest = block.text.split(separator: "\n").map(\.count).max() ?? 0
            #expect(widest <= 88, "\(block.place)")
        }
    }

    /// The rows of the article about performance are works that the benchmarks have.
    @Test func worksOfTheArticleAreMeasured() throws {
        let article = try Document.text(of: "Docs/Martlet.docc/Articles/Performance.md")
        let works = article.matches(of: #/(?m)^\| `([a-z][a-z0-9-]+)` \|/#).map { String($0.1) }
        #expect(works.count >= 10)
        let sources = try Document.files(in: "Benchmarks/Sources", endingIn: ".swift").map(Document.text(of:))
        for work in works { #expect(sources.contains { $0.contains("\"\(work)\"") }, "\(work)") }
    }

    @Test func blocksAreFound() throws {
        let places = try Self.blocks("swift").map(\.place)
        for document in ["README.md", "Docs/Martlet.docc/Martlet.md", "Sources/Martlet/Client/MartletClient.swift"] {
            #expect(places.contains { $0.hasPrefix(document + ":") }, "\(document)")
        }
    }

    @Test func codeThatIsNowhereCompiledIsNoticed() throws {
        let isCovered = try Snippet.all.contains(Snippet.normalised("let nobody = try await client.get(\"/nowhere\")"))
        #expect(!isCovered)
    }
}
