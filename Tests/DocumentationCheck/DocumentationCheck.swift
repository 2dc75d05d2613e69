// What `Docs/build` asks about the documentation beyond `docc`'s own warnings: that each public symbol has a comment, and that
// each public type stands in a chapter of the book rather than in one of the groups that `docc` makes of what is left over.

import Foundation

/// Prints a line for each finding, as compilers do, and fails when there is one.
///
///     DocumentationCheck FILE…
///
/// A file is a symbol graph (`.symbols.json`) or the page of a module in the built site.
@main
struct DocumentationCheck {
    static func main() throws {
        let folder = URL(filePath: FileManager.default.currentDirectoryPath).path(percentEncoded: false)
        var findings: [String] = []
        var graphs = 0
        for path in CommandLine.arguments.dropFirst() {
            let data = try Data(contentsOf: URL(filePath: path))
            if path.hasSuffix(".symbols.json") {
                findings += try SymbolGraph(reading: data).undocumented(relativeTo: folder)
                graphs += 1
            } else {
                findings += try ModulePage(reading: data).leftOver()
            }
        }
        if graphs == 0 { findings.append("error: No symbol graph was given.") }
        for finding in findings { FileHandle.standardError.write(Data("\(finding)\n".utf8)) }
        if !findings.isEmpty { exit(1) }
    }
}
