import Foundation
import Testing

@Suite struct DemoTests {
    @Test func theTourEndsWellAndInPlainText() async throws {
        let outcome = try await BuiltTool.run("demo")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.text.contains("All 7 went as they should"))
        #expect(!outcome.text.contains("\u{1B}"))
        #expect(!outcome.text.contains("\r"))
    }

    @Test func withoutUTF8TheTourIsASCII() async throws {
        let outcome = try await BuiltTool("demo", environment: ["LC_ALL": "C"]).outcome()
        #expect(outcome.status == 0)
        #expect(outcome.output.allSatisfy { $0 < 128 })
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        let help = try await BuiltTool.run("--help")
        #expect(help.status == 0)
        #expect(help.text.contains("Exit status:"))
        let version = try await BuiltTool.run("--version")
        #expect(version.status == 0)
        #expect(version.text.hasPrefix("martlet-cli "))
    }
}
