// The options of `get`. Given twice, the later one counts, so that an alias can be overridden; headers add up.

import Martlet

/// What `get` is to do.
struct GetOptions: Equatable, Sendable {
    /// How the server's certificate is judged.
    enum Trust: Equatable, Sendable {
        case system
        case adding(file: String)
        case insecure
    }

    var url: String
    var headers = HTTPHeaders()
    /// The time for the whole transfer; nil sets no limit.
    var timeout: Duration?
    /// Whether the response head is printed too.
    var includesHead = false
    /// The file to write to; nil is standard output.
    var output: String?
    var trust = Trust.system

    init(url: String) { self.url = url }

    /// Reads the arguments behind `get`; nil when help is asked for.
    static func read(_ reader: inout ArgumentReader) throws(ToolFailure) -> GetOptions? {
        var options = GetOptions(url: "")
        var url: String?
        var rootsFile: String?
        var isInsecure = false
        while let argument = try reader.next() {
            switch argument {
            case .option(let name) where name == "--help" || name == "-h":
                return nil
            case .option(let name) where name == "--header" || name == "-H":
                let field = try header(try reader.value(of: name, "'Name: value'"), option: name)
                options.headers.append(field)
            case .option(let name) where name == "--include" || name == "-i":
                options.includesHead = true
            case .option(let name) where name == "--output" || name == "-o":
                let path = try notEmpty(try reader.value(of: name, "a file"), option: name)
                options.output = path == "-" ? nil : path
            case .option(let name) where name == "--insecure" || name == "-k":
                isInsecure = true
            case .option("--timeout"):
                options.timeout = try seconds(try reader.value(of: "--timeout", "seconds, such as 2.5"))
            case .option("--cacert"):
                rootsFile = try notEmpty(
                    try reader.value(of: "--cacert", "a file of root certificates in PEM"), option: "--cacert")
            case .option(let name):
                throw .usage("get has no option \(name).")
            case .value(let value):
                guard url == nil else { throw .usage("get takes one URL, and got \(quoted(value)) too.") }
                url = value
            }
        }
        guard let url else { throw .usage("get needs a URL.") }
        options.url = url
        guard !isInsecure || rootsFile == nil else {
            throw .usage("--cacert and --insecure exclude each other.")
        }
        options.trust = isInsecure ? .insecure : rootsFile.map(Trust.adding) ?? .system
        return options
    }

    private static func notEmpty(_ value: String, option: String) throws(ToolFailure) -> String {
        guard !value.isEmpty else { throw .usage("The value of \(option) is empty.") }
        return value
    }

    /// The value is not quoted in errors, for it may be a secret.
    private static func header(_ text: String, option: String) throws(ToolFailure) -> HTTPHeaders.Field {
        guard let colon = text.firstIndex(of: ":") else {
            throw .usage("\(option) takes 'Name: value', and the one given has no colon.")
        }
        let name = String(text[..<colon])
        guard HTTPSyntax.isToken(name) else {
            throw .usage("\(option) takes 'Name: value', and \(quoted(name)) is no name of a header field.")
        }
        let value = String(text[text.index(after: colon)...])
        guard value.utf8.allSatisfy(HTTPSyntax.isValueByte) else {
            throw .usage("The value of the header \(name) holds a control character.")
        }
        return HTTPHeaders.Field(name, value)
    }

    /// Seconds in decimal, to the nanosecond and up to about 31 years.
    private static func seconds(_ text: String) throws(ToolFailure) -> Duration {
        let failure = ToolFailure.usage(
            "--timeout takes seconds above 0, such as 10 or 2.5, and got \(quoted(text)).")
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = parts.first ?? ""
        let fraction = parts.count > 1 ? parts[1] : "0"
        func isNumber(_ text: Substring) -> Bool {
            !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber(fraction), isNumber(whole) || (whole.isEmpty && parts.count > 1),
            let seconds = whole.isEmpty ? 0 : Int(whole), seconds < 1_000_000_000,
            let nanoseconds = Int(fraction.prefix(9))
        else { throw failure }
        let scale = [100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1][
            min(fraction.count, 9) - 1]
        let duration = Duration.seconds(seconds) + .nanoseconds(nanoseconds * scale)
        guard duration > .zero else { throw failure }
        return duration
    }
}
