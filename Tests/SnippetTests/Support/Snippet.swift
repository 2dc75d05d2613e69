// The code of this target that documents may show, and what counts as the same code.

import Foundation

/// The lines between `// snippet` and `// end` in a source of this target.
enum Snippet {
    /// All of them, in normal form.
    static var all: Set<String> {
        get throws {
            Set(try sources.flatMap { sections(of: $0).map(normalised) })
        }
    }

    /// The sources of this target.
    static var sources: [String] {
        get throws {
            try Document.files(in: "Tests/SnippetTests", endingIn: ".swift").map(Document.text(of:))
        }
    }

    private static func sections(of source: String) -> [String] {
        var sections: [String] = []
        var current: [Substring]?
        for line in source.split(separator: "\n") {
            switch (current, line.trimmingCharacters(in: .whitespaces)) {
            case (nil, "// snippet"): current = []
            case (.some(let lines), "// end"):
                sections.append(lines.joined(separator: "\n"))
                current = nil
            case (.some, _): current?.append(line)
            default: break
            }
        }
        return sections
    }

    /// The text without comments and imports, each run of white space one space, and none where a line may be broken for the
    /// width of a page. The servers that documents name are played by a server of the test's own.
    static func normalised(_ text: String) -> String {
        text.split(separator: "\n")
            .map { $0.replacing(#/(^|\s)//.*$/#, with: "") }
            .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("import ") }
            .joined(separator: "\n")
            .split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
            .replacing(#/ ?([.()\[\]]) ?/#) { $0.1 }
            .replacing(#""https://api.example.com"#, with: #""\(server.baseURL)"#)
            .replacing(#""http://127.0.0.1:8000"#, with: #""\(server.baseURL)"#)
    }
}
