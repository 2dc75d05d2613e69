import Martlet
import Testing

@testable import MartletCLI

@Suite struct CommandTests {
    private static func get(_ change: (inout GetOptions) -> Void = { _ in }) -> Command {
        var options = GetOptions(url: "http://a/")
        change(&options)
        return .get(options)
    }

    @Test(arguments: [
        (["demo"], Command.demo),
        (["--help"], .help),
        (["-h"], .help),
        (["demo", "--help"], .help),
        (["get", "--help"], .help),
        (["get", "http://a/", "-h"], .help),
        (["--version"], .version),
        (["-V"], .version),
        (["get", "http://a/"], get()),
        (["get", "--", "http://a/"], get()),
        (["get", "--", "--odd"], get { $0.url = "--odd" }),
        (["get", "-H", "A: 1", "http://a/", "-H", "a:2"], get { $0.headers = [.init("A", "1"), .init("a", "2")] }),
        (["get", "-HA: x:y", "http://a/"], get { $0.headers = [.init("A", "x:y")] }),
        (["get", "--header=A:", "http://a/"], get { $0.headers = [.init("A", "")] }),
        (["get", "--timeout", "2", "http://a/"], get { $0.timeout = .seconds(2) }),
        (["get", "--timeout=0.25", "http://a/"], get { $0.timeout = .milliseconds(250) }),
        (["get", "--timeout", ".5", "http://a/"], get { $0.timeout = .milliseconds(500) }),
        (["get", "--timeout", "1.0000000019", "http://a/"], get { $0.timeout = .nanoseconds(1_000_000_001) }),
        (["get", "--timeout", "1", "--timeout", "3", "http://a/"], get { $0.timeout = .seconds(3) }),
        (["get", "--include", "http://a/"], get { $0.includesHead = true }),
        (["get", "-i", "http://a/"], get { $0.includesHead = true }),
        (["get", "--output", "f", "http://a/"], get { $0.output = "f" }),
        (["get", "-o", "--f", "http://a/"], get { $0.output = "--f" }),
        (["get", "-o", "-", "http://a/"], get()),
        (["get", "--cacert", "f", "http://a/"], get { $0.trust = .adding(file: "f") }),
        (["get", "--insecure", "http://a/"], get { $0.trust = .insecure }),
        (["get", "-k", "http://a/"], get { $0.trust = .insecure }),
    ])
    func readsArguments(_ arguments: [String], as command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        ([], "A command is missing"),
        (["fetch"], "There is no command 'fetch'"),
        (["--verbose"], "There is no option --verbose"),
        (["demo", "now"], "demo takes no arguments"),
        (["demo", "--fast"], "demo has no option --fast"),
        (["get"], "get needs a URL"),
        (["get", "a", "b"], "one URL, and got 'b' too"),
        (["get", "--unknown", "a"], "get has no option --unknown"),
        (["get", "-x", "a"], "get has no option -x"),
        (["get", "--include=yes", "a"], "--include takes no value, and got 'yes'"),
        (["get", "-ik", "a"], "-i takes no value, and got 'k'"),
        (["get", "a", "-H"], "-H needs a value"),
        (["get", "-H", "no colon", "a"], "has no colon"),
        (["get", "-H", ": x", "a"], "'' is no name of a header field"),
        (["get", "-H", "A B: x", "a"], "'A B' is no name of a header field"),
        (["get", "-H", "A: x\r\nB: y", "a"], "The value of the header A holds a control character"),
        (["get", "a", "--timeout"], "--timeout needs a value"),
        (["get", "--output=", "a"], "The value of --output is empty"),
        (["get", "--cacert", "f", "--insecure", "a"], "exclude each other"),
    ])
    func refusesArguments(_ arguments: [String], saying part: String) throws {
        let failure = #expect(throws: ToolFailure.self) { try Command(arguments) }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
    }

    @Test(arguments: [
        "0", "0.0", "-1", "", ".", "1.", "1e3", "0x10", "inf", "nan", "1,5", "1.5s", " 1", "9999999999", "0.0000000001",
    ])
    func refusesTimeout(_ text: String) {
        let failure = #expect(throws: ToolFailure.self) { try Command(["get", "--timeout", text, "a"]) }
        #expect(failure?.status == .usage)
    }

    @Test func errorsDoNotQuoteHeaderValues() {
        let failure = #expect(throws: ToolFailure.self) { try Command(["get", "-H", "Authorization secret", "a"]) }
        #expect(failure?.message.contains("secret") == false)
    }
}
