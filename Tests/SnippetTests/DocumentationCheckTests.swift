import Foundation
import Testing

@testable import DocumentationCheck

/// The check that `Docs/build` runs fails where it should, and only there.
@Suite struct DocumentationCheckTests {
    /// A symbol as a graph has one.
    static func symbol(
        _ path: String..., precise: String = "s:4Demo", comment: [String]? = nil, line: Int? = 6
    ) -> String {
        var parts = [
            #""identifier": {"precise": "\#(precise)", "interfaceLanguage": "swift"}"#,
            #""pathComponents": [\#(path.map { "\"\($0)\"" }.joined(separator: ", "))]"#,
        ]
        if let comment {
            let lines = comment.map { #"{"text": "\#($0)"}"# }.joined(separator: ", ")
            parts.append(#""docComment": {"module": "Demo", "lines": [\#(lines)]}"#)
        }
        if let line {
            let position = #"{"line": \#(line), "character": 4}"#
            let file = "file:///package/Sources/Demo/A%20Call.swift"
            parts.append(#""location": {"uri": "\#(file)", "position": \#(position)}"#)
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    static func graph(_ symbols: String...) -> Data {
        Data(#"{"module": {"name": "Demo"}, "symbols": [\#(symbols.joined(separator: ", "))]}"#.utf8)
    }

    @Test func symbolWithoutCommentIsFoundAtItsLine() throws {
        let graph = try SymbolGraph(reading: Self.graph(Self.symbol("Call", "send()")))
        #expect(
            graph.undocumented(relativeTo: "/package/") == [
                "Sources/Demo/A Call.swift:7: error: Call.send() is public and has no documentation comment."
            ])
    }

    @Test(arguments: [[], [""], ["  "]])
    func emptyCommentIsNone(comment: [String]) throws {
        let graph = try SymbolGraph(reading: Self.graph(Self.symbol("Call", comment: comment)))
        #expect(graph.undocumented(relativeTo: "/package").count == 1)
    }

    @Test func findingsStandInTheOrderOfTheSource() throws {
        let graph = try SymbolGraph(
            reading: Self.graph(
                Self.symbol("second", line: 20), Self.symbol("documented", comment: ["Says it."], line: 15),
                Self.symbol("first", line: 10)))
        let findings = graph.undocumented(relativeTo: "/elsewhere")
        #expect(findings.map { $0.contains("first") } == [true, false])
        #expect(findings.allSatisfy { $0.hasPrefix("/package/Sources/Demo/A Call.swift:") })
    }

    @Test func whatIsNotWrittenNeedsNoComment() throws {
        let graph = try SymbolGraph(
            reading: Self.graph(
                Self.symbol("Phase", "init(rawValue:)", line: nil),
                Self.symbol("Chunks", "map(_:)", precise: "s:Sci3map::SYNTHESIZED::s:4Demo6ChunksV", line: 3)))
        #expect(graph.undocumented(relativeTo: "/package") == [])
    }

    @Test func symbolOutsideOfAllGroupsIsFound() throws {
        let page = """
            {"topicSections": [
                {"title": "Calls", "identifiers": ["doc://demo/documentation/Demo/Call"]},
                {"title": "Structures", "generated": true, "identifiers": ["doc://demo/documentation/Demo/Stray"]}
            ]}
            """
        #expect(
            try ModulePage(reading: Data(page.utf8)).leftOver() == [
                "Docs/Martlet.docc: error: Demo/Stray stands in no Topics section; give it a place in the book."
            ])
        #expect(try ModulePage(reading: Data("{}".utf8)).leftOver() == [])
    }

    @Test func checkFailsWithTheFindingAndPassesWithout() async throws {
        let folder = TemporaryFolder()
        let missing = Self.graph(Self.symbol("Call", "send()"))
        let complete = Self.graph(Self.symbol("Call", "send()", comment: ["Sends."]))
        try folder.write(String(decoding: missing, as: UTF8.self), to: "Missing.symbols.json")
        try folder.write(String(decoding: complete, as: UTF8.self), to: "Complete.symbols.json")

        let failed = try await Command.run("DocumentationCheck Complete.symbols.json Missing.symbols.json", in: folder)
        #expect(failed.status == 1)
        #expect(failed.errors.contains("A Call.swift:7: error: Call.send() is public"))

        let passed = try await Command.run("DocumentationCheck Complete.symbols.json", in: folder)
        #expect(passed.status == 0)
        #expect(passed.errors == "")

        let empty = try await Command.run("DocumentationCheck", in: folder)
        #expect(empty.status == 1)
    }
}
