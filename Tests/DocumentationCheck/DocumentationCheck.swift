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
        let paths = CommandLine.arguments.dropFirst()
        var findings = paths.isEmpty ? ["error: No file was given."] : []
        for path in paths {
            let data = try Data(contentsOf: URL(filePath: path))
            if path.hasSuffix(".symbols.json") {
                findings += try SymbolGraph(reading: data).undocumented(relativeTo: folder)
            } else {
                findings += try ModulePage(reading: data).leftOver()
            }
        }
        for finding in findings { FileHandle.standardError.write(Data("\(finding)\n".utf8)) }
        if !findings.isEmpty { exit(1) }
    }
}
