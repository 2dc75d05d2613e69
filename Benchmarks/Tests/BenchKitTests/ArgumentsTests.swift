import BenchKit
import Testing

@Suite struct ArgumentsTests {
    @Test func nothingMeasuresAll() throws {
        #expect(try Arguments([]) == .measure(Arguments.Options()))
    }

    @Test func allSettingsAreRead() throws {
        var options = Arguments.Options()
        options.quick = true
        options.only = ["a", "b", "c"]
        options.json = "out.json"
        options.svg = "charts"
        let words = ["--quick", "--only", "a,b", "--json", "out.json", "--svg", "charts", "--only", "c"]
        #expect(try Arguments(words) == .measure(options))
    }

    @Test func aRunSurvivesItsOwnWords() throws {
        var single = Arguments.Single(work: "small-h1-c64", subject: "martlet")
        single.url = "http://127.0.0.1:1/small"
        single.calls = 640
        single.seconds = 0.5
        single.authority = "a.pem"
        single.folder = "www"
        single.quick = true
        #expect(try Arguments(single.words) == .runOne(single))
    }

    @Test(arguments: [
        (["--help"], Arguments.help), (["run-one", "-h"], .help), (["list"], .list), (["serve"], .serve),
    ])
    func commandsAreRead(words: [String], expected: Arguments) throws {
        #expect(try Arguments(words) == expected)
    }

    @Test(arguments: [
        ["--fast"], ["--only"], ["--only", "--quick"], ["--json"], ["run-one"], ["run-one", "work"],
        ["run-one", "work", "--calls"], ["run-one", "work", "subject", "--calls", "0"],
        ["run-one", "work", "subject", "--calls", "x"], ["run-one", "work", "subject", "--seconds", "-1"], ["sink"],
        ["sink", "x"], ["list", "all"],
    ])
    func misuseIsRefused(words: [String]) {
        #expect(throws: Arguments.Misuse.self) { try Arguments(words) }
    }
}
