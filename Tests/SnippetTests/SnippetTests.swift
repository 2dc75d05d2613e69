import Foundation
import Testing

/// The Swift of README and Docs is compiled: each block stands, but for white space, comments and imports, between the lines
/// `// snippet` and `// end` in a source of this target.
@Suite struct SnippetTests {
    struct Block: Sendable, CustomTestStringConvertible {
        var file: String
        var text: String
        var testDescription: String { "\(file): \(text.prefix(60))" }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func files(in folder: URL, endingIn suffix: String) throws -> [URL] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { folder.appending(path: $0) }
    }

    /// The texts between a line that is `opening` and the next that is `closing`, white space aside.
    static func sections(of file: URL, from opening: String, to closing: String) throws -> [String] {
        var sections: [String] = []
        var current: [Substring]?
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            switch (current, line.trimmingCharacters(in: .whitespaces)) {
            case (nil, opening): current = []
            case (.some(let lines), closing):
                sections.append(lines.joined(separator: "\n"))
                current = nil
            case (.some, _): current?.append(line)
            default: break
            }
        }
        return sections
    }

    static func blocks() throws -> [Block] {
        let documents =
            [root.appending(path: "README.md"), root.appending(path: "CHANGELOG.md")]
            + (try files(in: root.appending(path: "Docs"), endingIn: ".md"))
        return try documents.flatMap { file in
            try sections(of: file, from: "```swift", to: "```").map { Block(file: file.lastPathComponent, text: $0) }
        }
    }

    /// The text without comments and imports, each run of white space one space.
    static func normalised(_ text: String) -> String {
        text.split(separator: "\n")
            .map { $0.replacing(#/(^|\s)//.*$/#, with: "") }
            .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("import ") }
            .joined(separator: "\n")
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    @Test(arguments: try SnippetTests.blocks())
    func blockIsCompiled(block: Block) throws {
        let sources = try Self.files(in: Self.root.appending(path: "Tests/SnippetTests"), endingIn: ".swift")
        let snippets = try sources.flatMap { try Self.sections(of: $0, from: "// snippet", to: "// end") }
        #expect(snippets.map(Self.normalised).contains(Self.normalised(block.text)))
    }

    @Test func blocksAreFound() throws {
        #expect(try Set(Self.blocks().map(\.file)).isSuperset(of: ["README.md", "Martlet.md"]))
    }
}
