// What a command that sends a request is to do: one model for all methods. Given twice, the later value of an option counts,
// so that an alias can be overridden; headers, query items and body items add up.

import Martlet

/// A request, and what becomes of its response.
struct RequestPlan: Equatable, Sendable {
    /// When JSON is laid out and coloured.
    enum Pretty: String, CaseIterable, Sendable {
        case auto, always, never

        static let words = allCases.map(\.rawValue)
    }

    /// A user and a password.
    struct Login: Equatable, Sendable {
        var name: String
        var password: Secret
    }

    /// Where the body of the response goes.
    enum Output: Equatable, Sendable {
        /// Standard output, unless that would harm a terminal.
        case automatic
        /// Standard output, whatever comes.
        case standardOutput
        case file(String)
    }

    /// What becomes of the response.
    enum Purpose: Equatable, Sendable {
        case print, download, events
    }

    let method: HTTPMethod
    var purpose = Purpose.print
    /// The URL in full.
    var url = ""

    var headers = HTTPHeaders()
    var query: [NamedText] = []
    /// The value of `--json`.
    var json: BodySource?
    /// The value of `--data`, or of an item `@FILE`.
    var data: BodySource?
    /// The items of the body, as they were written.
    var members: [BodyMember] = []
    var isForm = false

    /// The value of `--user`.
    var user: Login?
    /// Whether the password is proved and not sent.
    var provesPassword = false
    /// The value of `--bearer`.
    var token: Secret?
    /// Whether passwords come from the user's netrc file.
    var readsNetrc = false

    var includesHead = false
    var isVerbose = false
    var output = Output.automatic
    var pretty = Pretty.auto
    var streams = false
    /// Whether the body is to come as the server sends it to those who ask for no coding.
    var isRaw = false

    /// The time for the whole transfer; nil sets no limit.
    var timeout: Duration?
    /// Nil leaves the SDK's default.
    var connectTimeout: Duration?
    /// Nil leaves the SDK's default.
    var idleTimeout: Duration?
    var rootsFile: String?
    var isInsecure = false

    /// Whether redirects are followed, whatever the limit.
    var follows = false
    /// The value of `--max-redirects`.
    var maximumRedirects: Int?
    /// The most redirects that are followed; nil follows none.
    var followed: Int? { maximumRedirects ?? (follows ? RedirectPolicy.follow.maximum : nil) }
    /// How often a request that failed is sent again; nil is never.
    var retries: Int?

    /// How many connections a download uses at once.
    var segments: Int?
    /// What the file of a download must come to, in hexadecimal digits.
    var sha256: String?

    /// How often the request is sent; nil is once, with its response printed.
    var repetitions: Int?
    var concurrency: Int?

    init(_ method: HTTPMethod) { self.method = method }

    /// Reads the arguments behind the command called `name`; nil when help is asked for.
    static func read(
        _ method: HTTPMethod, named command: CommandName, _ reader: inout ArgumentReader
    ) throws(ToolFailure) -> RequestPlan? {
        let name = command.rawValue
        var plan = RequestPlan(method)
        switch command {
        case .download: plan.purpose = .download
        case .events: plan.purpose = .events
        default: break
        }
        var url: String?
        while let argument = try reader.next() {
            switch argument {
            case .option("--help"), .option("-h"):
                return nil
            case .option(let written):
                guard let option = OptionTable.option(called: written) else {
                    throw .usage("\(name) has no option \(written)\(Suggestion.afterOption(written))")
                }
                var text = ""
                if let value = option.value { text = try reader.value(of: written, value.meaning) }
                try option.apply(&plan, ArgumentValue(option: written, text: text))
            case .value(let value):
                if url == nil { url = value } else { try plan.add(try RequestItem(value)) }
            }
        }
        guard let url else { throw .usage("\(name) needs a URL.") }
        plan.url = Address.complete(url)
        try plan.check(name)
        return plan
    }

    private mutating func add(_ item: RequestItem) throws(ToolFailure) {
        switch item {
        case .member(let member): members.append(member)
        case .query(let pair): query.append(pair)
        case .header(let field): headers.append(field)
        case .body(let source): data = source
        }
    }

    private func check(_ name: String) throws(ToolFailure) {
        guard !isInsecure || rootsFile == nil else { throw .usage("--cacert and --insecure exclude each other.") }
        let credentials = [user != nil ? "--user" : nil, token != nil ? "--bearer" : nil, readsNetrc ? "--netrc" : nil]
            .compactMap(\.self)
        guard credentials.count <= 1 else {
            throw .usage("\(credentials[0]) and \(credentials[1]) exclude each other.")
        }
        guard !provesPassword || user != nil else { throw .usage("--digest goes with --user.") }
        let bodies = [json != nil ? "--json" : nil, data != nil ? "--data" : nil, members.isEmpty ? nil : "items"]
            .compactMap(\.self)
        guard bodies.count <= 1 else {
            throw .usage("A request has one body, and this one gets it from \(bodies.joined(separator: " and from ")).")
        }
        if let member = members.first {
            guard method != .get, method != .head else {
                throw .usage(
                    "\(name) sends no body made of items; for the query write \(quoted(member.name + "==value")).")
            }
            guard !isForm || members.allSatisfy({ !$0.isJSON }) else {
                throw .usage("A form has text only: write name=text in place of name:=json.")
            }
        } else if isForm {
            guard bodies.isEmpty else { throw .usage("--form is for items, and the body comes from \(bodies[0]).") }
        }
        if case .text(let text) = json, let place = JSONGrammar.fault(in: text) {
            throw .usage("The value of --json is not JSON, at character \(place).")
        }
        try checkPurpose(name)
        try checkRepetition()
    }

    private func checkPurpose(_ name: String) throws(ToolFailure) {
        if purpose != .download, segments != nil || sha256 != nil {
            throw .usage("\(segments != nil ? "--parallel" : "--sha256") goes with download, and not with \(name).")
        }
        guard purpose != .print else { return }
        let others = [
            json != nil ? "--json" : nil, data != nil ? "--data" : nil, includesHead ? "--include" : nil,
            isVerbose ? "--verbose" : nil, repetitions != nil ? "--repeat" : nil,
            purpose == .events && output != .automatic || output == .standardOutput ? "--output" : nil,
        ].compactMap(\.self)
        guard others.isEmpty else { throw .usage("\(name) has no use for \(others[0]) as it was given.") }
    }

    private func checkRepetition() throws(ToolFailure) {
        guard repetitions != nil else {
            guard concurrency == nil else { throw .usage("--concurrency goes with --repeat.") }
            return
        }
        let others = [
            output == .automatic ? nil : "--output", includesHead ? "--include" : nil, isVerbose ? "--verbose" : nil,
            streams ? "--stream" : nil,
        ].compactMap(\.self)
        guard others.isEmpty else {
            throw .usage("--repeat prints figures and no responses, so \(others[0]) cannot go with it.")
        }
    }
}
