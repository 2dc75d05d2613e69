import Martlet
import Testing

@testable import MartletCLI

@Suite struct CommandTests {
    private static func get(_ change: (inout RequestPlan) -> Void = { _ in }) -> Command { plan(.get, change) }

    private static func plan(_ method: HTTPMethod, _ change: (inout RequestPlan) -> Void = { _ in }) -> Command {
        var plan = RequestPlan(method)
        plan.url = "http://a/"
        change(&plan)
        return .request(plan)
    }

    @Test(arguments: [
        (["demo"], Command.demo),
        (["--help"], .help(nil)),
        (["-h"], .help(nil)),
        (["help"], .help(nil)),
        (["help", "put"], .help(.put)),
        (["demo", "--help"], .help(.demo)),
        (["completions", "-h"], .help(.completions)),
        (["completions", "zsh"], .completions(.zsh)),
        (["get", "--help"], .help(.get)),
        (["get", "http://a/", "-h"], .help(.get)),
        (["get", "-ih"], .help(.get)),
        (["--version"], .version),
        (["-V"], .version),
        (["get", "http://a/"], get()),
        (["head", "http://a/"], plan(.head)),
        (["options", "http://a/"], plan(.options)),
        (["delete", "http://a/"], plan(.delete)),
        (["get", "--", "http://a/"], get()),
        (["get", "--", "--odd"], get { $0.url = "https://--odd" }),
        (["get", "-H", "A: 1", "http://a/", "-H", "a:2"], get { $0.headers = [.init("A", "1"), .init("a", "2")] }),
        (["get", "-HA: x:y", "http://a/"], get { $0.headers = [.init("A", "x:y")] }),
        (["get", "--header=A:", "http://a/"], get { $0.headers = [.init("A", "")] }),
        (["get", "-q", "a=b=c", "http://a/", "d==e"], get { $0.query = [.init("a", "b=c"), .init("d", "e")] }),
        (["get", "--timeout", "2", "http://a/"], get { $0.timeout = .seconds(2) }),
        (["get", "--timeout=0.25", "http://a/"], get { $0.timeout = .milliseconds(250) }),
        (["get", "--timeout", ".5", "http://a/"], get { $0.timeout = .milliseconds(500) }),
        (["get", "--timeout", "1.0000000019", "http://a/"], get { $0.timeout = .nanoseconds(1_000_000_001) }),
        (["get", "--timeout", "1", "--timeout", "3", "http://a/"], get { $0.timeout = .seconds(3) }),
        (["get", "--connect-timeout", "1", "http://a/"], get { $0.connectTimeout = .seconds(1) }),
        (["get", "--idle-timeout", "1", "http://a/"], get { $0.idleTimeout = .seconds(1) }),
        (["get", "--include", "http://a/"], get { $0.includesHead = true }),
        (["get", "-iv", "http://a/"], get { ($0.includesHead, $0.isVerbose) = (true, true) }),
        (["get", "-iof", "http://a/"], get { ($0.includesHead, $0.output) = (true, .file("f")) }),
        (["get", "--output", "f", "http://a/"], get { $0.output = .file("f") }),
        (["get", "-o", "--f", "http://a/"], get { $0.output = .file("--f") }),
        (["get", "-o", "-", "http://a/"], get { $0.output = .standardOutput }),
        (["get", "--pretty", "never", "http://a/"], get { $0.pretty = .never }),
        (["get", "-S", "http://a/"], get { $0.streams = true }),
        (["get", "--raw", "http://a/"], get { $0.isRaw = true }),
        (["get", "--cacert", "f", "http://a/"], get { $0.rootsFile = "f" }),
        (["get", "-k", "http://a/"], get { $0.isInsecure = true }),
        (["get", "-n", "9", "-c2", "http://a/"], get { ($0.repetitions, $0.concurrency) = (9, 2) }),
        (["post", "--json", "[1]", "http://a/"], plan(.post) { $0.json = .text("[1]") }),
        (["post", "--json", "@f", "http://a/"], plan(.post) { $0.json = .file("f") }),
        (["put", "-d", "x", "http://a/"], plan(.put) { $0.data = .text("x") }),
        (["put", "-d@-", "http://a/"], plan(.put) { $0.data = .standardInput }),
        (["put", "http://a/", "@f"], plan(.put) { $0.data = .file("f") }),
        (
            ["patch", "-f", "http://a/", "b=c"],
            plan(.patch) { ($0.isForm, $0.members) = (true, [.init(name: "b", text: "c")]) }
        ),
        (["get", "--json", "{}", "http://a/"], get { $0.json = .text("{}") }),
    ])
    func readsArguments(_ arguments: [String], as command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        ([], "A command is missing"),
        (["fetch"], "There is no command 'fetch'; there are get, head"),
        (["gte"], "There is no command 'gte'; did you mean get?"),
        (["GET", "a"], "did you mean get?"),
        (["example.com/x"], "did you mean 'martlet-cli get example.com/x'?"),
        (["help", "me"], "There is no command 'me'"),
        (["--verbose"], "There is no option --verbose before a command"),
        (["demo", "now"], "demo takes no arguments"),
        (["demo", "--fast"], "demo has no option --fast"),
        (["completions"], "completions needs the name of a shell"),
        (["completions", "csh"], "not for 'csh'"),
        (["get"], "get needs a URL"),
        (["get", "a", "b"], "'b' is no item"),
        (["get", "--unknown", "a"], "get has no option --unknown."),
        (["get", "--timout", "3", "a"], "get has no option --timout; did you mean --timeout?"),
        (["get", "--conect-timeout", "3", "a"], "did you mean --connect-timeout?"),
        (["get", "--verb", "a"], "did you mean --verbose?"),
        (["get", "-X", "PUT", "a"], "the command is the method"),
        (["get", "--location", "a"], "write --follow"),
        (["get", "--max-redirects", "0", "a"], "takes a number from 1 to 1000"),
        (["get", "--retry", "many", "a"], "takes a number from 1 to 1000"),
        (["get", "-x", "a"], "get has no option -x."),
        (["get", "--include=yes", "a"], "--include takes no value, and got 'yes'"),
        (["get", "-i=yes", "a"], "-i takes no value, and got '=yes'"),
        (["get", "-iz", "a"], "get has no option -z"),
        (["get", "a", "-H"], "-H needs a value"),
        (["get", "-H", "no colon", "a"], "has no colon"),
        (["get", "-H", ": x", "a"], "'' is no name of a header field"),
        (["get", "-H", "A B: x", "a"], "'A B' is no name of a header field"),
        (["get", "-H", "A: x\r\nB: y", "a"], "The value of the header A holds a control character"),
        (["get", "-q", "a", "a"], "-q takes name=value"),
        (["get", "a", "--timeout"], "--timeout needs a value"),
        (["get", "--output=", "a"], "The value of --output is empty"),
        (["get", "--pretty", "maybe", "a"], "--pretty takes one of auto, always, never, and got 'maybe'"),
        (["get", "--cacert", "f", "--insecure", "a"], "exclude each other"),
        (["get", "a", "b=c"], "for the query write 'b==value'"),
        (["post", "--json", "{", "a"], "The value of --json is not JSON, at character 2"),
        (["post", "--json", "1", "--data", "x", "a"], "from --json and from --data"),
        (["post", "--json", "1", "a", "b=c"], "from --json and from items"),
        (["post", "--form", "--data", "x", "a"], "--form is for items"),
        (["post", "--form", "a", "b:=1"], "A form has text only"),
        (["post", "--data", "@", "a"], "--data has no file behind its @"),
        (["get", "-n", "0", "a"], "-n takes a number from 1"),
        (["get", "-n", "1e3", "a"], "-n takes a number from 1"),
        (["get", "-c", "2", "a"], "--concurrency goes with --repeat"),
        (["get", "-n", "2", "-v", "a"], "--verbose cannot go with it"),
        (["get", "-n", "2", "-o", "f", "a"], "--output cannot go with it"),
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

    @Test func noTwoOptionsShareAName() {
        let names = OptionTable.options.flatMap { [$0.long] + ($0.short.map { [$0] } ?? []) } + ["--help", "-h"]
        #expect(Set(names).count == names.count)
    }
}
