// The options of `get`, `post` and the other methods. A new one is an entry here and what it means to `RequestPlan`.

import Martlet

/// All options, in the order of `--help`.
enum OptionTable {
    static let groups = [sending, authenticating, printing, connecting, again, downloading, repeating]

    static let options = groups.flatMap(\.options)

    /// The option that an argument names.
    static func option(called name: String) -> Option? { options.first { $0.isCalled(name) } }

    private static let sending = OptionGroup(
        title: "What is sent",
        options: [
            Option("--header", "-H", takes: "'Name: value'", help: "Send a header field; may be repeated") {
                (plan, value) throws(ToolFailure) in plan.headers.append(try value.header())
            },
            Option("--query", "-q", takes: "name=value", help: "Add to the query of the URL; may be repeated") {
                (plan, value) throws(ToolFailure) in plan.query.append(try value.pair())
            },
            Option(
                "--json", "-j", takes: "JSON", needs: "JSON, or @FILE, or @- for standard input",
                completion: .fileAfterAt,
                help: "A JSON body as it is written; @FILE from a file, @- standard input"
            ) { (plan, value) throws(ToolFailure) in plan.json = try value.bodySource() },
            Option(
                "--data", "-d", takes: "TEXT", needs: "text, or @FILE, or @- for standard input",
                completion: .fileAfterAt,
                help: "A body of any kind; @FILE from a file, @- standard input"
            ) { (plan, value) throws(ToolFailure) in plan.data = try value.bodySource() },
            Option("--form", "-f", sets: \.isForm, help: "Send the items as a form in place of JSON"),
        ])

    private static let authenticating = OptionGroup(
        title: "Who sends it",
        options: [
            Option(
                "--user", "-u", takes: "NAME:PASSWORD", needs: "NAME:PASSWORD",
                help: "Authenticate with a password, at this origin alone"
            ) { (plan, value) throws(ToolFailure) in plan.user = try value.login() },
            Option("--digest", sets: \.provesPassword, help: "Prove the password of --user instead of sending it"),
            Option("--bearer", takes: "TOKEN", needs: "a token", help: "Authenticate with a token") {
                (plan, value) throws(ToolFailure) in plan.token = Secret(try value.notEmpty())
            },
            Option("--netrc", sets: \.readsNetrc, help: "Take the password for the host from ~/.netrc, or $NETRC"),
        ])

    private static let printing = OptionGroup(
        title: "What is printed",
        options: [
            Option(
                "--include", "-i", sets: \.includesHead,
                help: "Print the response head too, as head and options always do"
            ),
            Option(
                "--verbose", "-v", sets: \.isVerbose,
                help: "Both heads (secrets too) and the times, on standard error"),
            Option(
                "--output", "-o", takes: "FILE", needs: "a file", completion: .file,
                help: "Write to FILE, which appears or is replaced once it is complete"
            ) { (plan, value) throws(ToolFailure) in plan.output = try value.output() },
            Option(
                "--pretty", takes: "WHEN", needs: "auto, always or never", completion: .words(RequestPlan.Pretty.words),
                help: "Lay out and colour JSON: auto (on a terminal), always or never"
            ) { (plan, value) throws(ToolFailure) in plan.pretty = try value.word() },
            Option("--raw", sets: \.isRaw, help: "Ask for no compression, and print bytes as they came"),
            Option("--stream", "-S", sets: \.streams, help: "For endless bodies: print as it comes, wait without end"),
        ])

    private static let connecting = OptionGroup(
        title: "The connection",
        options: [
            Option(
                "--timeout", takes: "SECONDS", needs: "seconds, such as 2.5",
                help: "End the whole transfer after this time"
            ) {
                (plan, value) throws(ToolFailure) in plan.timeout = try value.seconds()
            },
            Option(
                "--connect-timeout", takes: "SECONDS", needs: "seconds, such as 2.5",
                help: "Give up connecting, look-up and TLS included, after this (10)"
            ) { (plan, value) throws(ToolFailure) in plan.connectTimeout = try value.seconds() },
            Option(
                "--idle-timeout", takes: "SECONDS", needs: "seconds, such as 2.5",
                help: "Give up when nothing comes or goes for this long (60)"
            ) { (plan, value) throws(ToolFailure) in plan.idleTimeout = try value.seconds() },
            Option(
                "--cacert", takes: "FILE", needs: "a file of root certificates in PEM", completion: .file,
                help: "Trust the root certificates in FILE (PEM) besides the system's"
            ) { (plan, value) throws(ToolFailure) in plan.rootsFile = try value.notEmpty() },
            Option(
                "--insecure", "-k", sets: \.isInsecure,
                help: "Accept any certificate: nothing protects against an impostor"),
        ])

    private static let again = OptionGroup(
        title: "Redirects and retries",
        options: [
            Option(
                "--follow", "-L", sets: \.follows,
                help: "Follow redirects, up to 10; another origin gets no header of yours"),
            Option(
                "--max-redirects", takes: "N", needs: "how many redirects to follow",
                help: "Follow redirects, up to N"
            ) { (plan, value) throws(ToolFailure) in plan.maximumRedirects = try value.count(upTo: 1_000) },
            Option(
                "--retry", takes: "N", needs: "how often to try again",
                help: "Try again up to N times after 408, 429, 5xx and lost connections"
            ) { (plan, value) throws(ToolFailure) in plan.retries = try value.count(upTo: 1_000) },
        ])

    private static let downloading = OptionGroup(
        title: "A download",
        options: [
            Option(
                "--parallel", takes: "N", needs: "how many connections",
                help: "With download: use N connections at once, where the server can"
            ) { (plan, value) throws(ToolFailure) in plan.segments = try value.count(upTo: 64) },
            Option(
                "--sha256", takes: "DIGEST", needs: "64 hexadecimal digits",
                help: "With download: the file must have this SHA-256"
            ) { (plan, value) throws(ToolFailure) in plan.sha256 = try value.sha256() },
        ])

    private static let repeating = OptionGroup(
        title: "A small load test",
        options: [
            Option(
                "--repeat", "-n", takes: "N", needs: "how many requests",
                help: "Send the request N times and print rate, latencies and statuses"
            ) { (plan, value) throws(ToolFailure) in plan.repetitions = try value.count(upTo: 10_000_000) },
            Option(
                "--concurrency", "-c", takes: "C", needs: "how many at a time", help: "So many requests at a time (1)"
            ) {
                (plan, value) throws(ToolFailure) in plan.concurrency = try value.count(upTo: 10_000)
            },
        ])
}
