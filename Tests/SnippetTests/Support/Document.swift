// What is read: README, CHANGELOG, all of Docs, and the documentation comments of both libraries.

import Foundation
import Testing

/// A text with code in it.
struct Document: Sendable {
    /// A block of code between fences.
    struct Block: Sendable, CustomTestStringConvertible {
        /// The file and the line of the opening fence.
        var place: String
        /// What stands behind the opening fence.
        var language: String
        var text: String

        var testDescription: String { "\(place): \(text.prefix(60))" }
    }

    /// A line, and its number in the file.
    typealias Line = (number: Int, text: Substring)

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The path from the package's folder.
    var path: String
    private var lines: [Line]

    /// All documents.
    static var all: [Document] {
        get throws {
            let texts = ["README.md", "CHANGELOG.md"] + (try files(in: "Docs", endingIn: ".md"))
            let sources =
                try files(in: "Sources/Martlet", endingIn: ".swift")
                + files(in: "Sources/MartletTesting", endingIn: ".swift")
            return try texts.map { try Document(path: $0, lines: read($0)) }
                + sources.map { try Document(path: $0, lines: comments(read($0))) }
        }
    }

    /// The paths of the files below a folder of the package.
    static func files(in folder: String, endingIn suffix: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: root.appending(path: folder).path(percentEncoded: false))
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }

    /// The text of a file.
    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func read(_ path: String) throws -> [Line] {
        try text(of: path).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
    }

    /// The lines of documentation comments, without what makes them comments.
    private static func comments(_ lines: [Line]) -> [Line] {
        lines.compactMap { number, text in
            let text = text.drop(while: \.isWhitespace)
            guard text.hasPrefix("///") else { return nil }
            return (number, text.dropFirst(text.hasPrefix("/// ") ? 4 : 3))
        }
    }

    /// The blocks between fences.
    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (fence: String, block: Block, lines: [Substring])?
        for (number, text) in lines {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            if var current = open {
                if trimmed == current.fence {
                    current.block.text = current.lines.joined(separator: "\n")
                    blocks.append(current.block)
                    open = nil
                } else {
                    current.lines.append(text)
                    open = current
                }
            } else if let mark = trimmed.first, mark == "`" || mark == "~" {
                let fence = String(trimmed.prefix { $0 == mark })
                guard fence.count >= 3 else { continue }
                let language = trimmed.dropFirst(fence.count).trimmingCharacters(in: .whitespaces)
                open = (fence, Block(place: "\(path):\(number)", language: language, text: ""), [])
            }
        }
        if let open { blocks.append(Block(place: open.block.place, language: "an open fence", text: "")) }
        return blocks
    }

    /// Code that is set off by four spaces or a tab rather than by fences, which nothing here would look at.
    var indentedCode: [String] {
        var found: [String] = []
        var isInBlock = false
        var isAfterEmpty = true
        for (number, text) in lines {
            let trimmed = text.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("```") || trimmed.hasPrefix("~~~") { isInBlock.toggle() }
            if !isInBlock, isAfterEmpty, !trimmed.isEmpty, text.hasPrefix("    ") || text.hasPrefix("\t") {
                found.append("\(path):\(number)")
            }
            isAfterEmpty = trimmed.isEmpty
        }
        return found
    }
}
