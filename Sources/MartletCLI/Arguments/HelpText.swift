// What `--help` prints, for the tool and for each command, at most 100 columns wide. The options come from their table.

/// The help.
enum HelpText {
    /// The help for a command; nil is the tool as a whole.
    static func text(for command: CommandName?) -> String {
        guard let command else { return overview }
        switch command {
        case .demo: return demo
        case .completions: return completions
        default: return request(command)
        }
    }

    private static var overview: String {
        """
        martlet-cli: HTTP from the command line, and a tour of the Martlet SDK.

        Usage:
          martlet-cli COMMAND [options] [arguments]
          martlet-cli COMMAND --help | --help | --version

        Commands:
        \(CommandName.allCases.map { "  " + $0.rawValue.padded(to: 14) + $0.summary }.joined(separator: "\n"))

        Examples:
          martlet-cli get example.com/report.json
          martlet-cli post localhost:8080/users name=Ada age:=36 X-Request-ID:42
          martlet-cli put https://example.com/data.csv --data @data.csv
          martlet-cli get https://example.com/big.iso --output big.iso
          martlet-cli download https://example.com/big.iso --output big.iso --parallel 4
          martlet-cli get localhost:8080/ --repeat 10000 --concurrency 64

        A failure is one line on standard error.

        Exit status:
        \(statuses)

        NO_COLOR in the environment turns colour off.

        """
    }

    private static func request(_ command: CommandName) -> String {
        """
        martlet-cli \(command.rawValue): \(lowercasedFirst(command.summary)).

        Usage:
          martlet-cli \(command.rawValue) [options] URL [items]

        A URL without a scheme is https, but http for localhost, *.localhost, 127.x.x.x and [::1];
        :8080/path is on localhost.

        Items:
          name==text    Add to the query
          Name:text     Send a header field
          name=text     A string in a JSON body; with --form a field of the form
          name:=json    A number, true, a list ... in a JSON body
          @FILE         The body from a file, as with --data; @- from standard input
          A backslash takes the meaning of = and : away. get and head take no items of a body.

        \(OptionTable.groups.map(group).joined(separator: "\n\n"))

        The body is printed as it arrives, its bytes untouched; on a terminal JSON is laid out, and what is
        not text is not shown unless --output - asks for it. With a status of 400 or more the body is
        printed all the same, but --output leaves FILE as it was. --json has the type application/json,
        --data text/plain, from a file or standard input application/octet-stream; a header of yours comes
        before that. On a terminal a transfer to a file and an upload show their progress, not so one to a
        pipe, whose reader has the screen.
        download goes on after a lost connection, and in the next run, from FILE.partial; without
        --output the server names the file. events prints the data of each event.
        With --repeat the exit status is that of the most frequent failure.

        Exit status:
        \(statuses)

        """
    }

    private static var demo: String {
        """
        martlet-cli demo: tour the SDK on a server of its own; nothing leaves the machine.

        Usage:
          martlet-cli demo

        """
    }

    private static var completions: String {
        """
        martlet-cli completions: print the completions for a shell.

        Usage:
          martlet-cli completions bash|zsh|fish

        To have them in each session:
          bash   martlet-cli completions bash > ~/.local/share/bash-completion/completions/martlet-cli
          zsh    martlet-cli completions zsh > "${fpath[1]}/_martlet-cli"
          fish   martlet-cli completions fish > ~/.config/fish/completions/martlet-cli.fish

        """
    }

    private static func group(_ group: OptionGroup) -> String {
        ([group.title + ":"] + group.options.map(line)).joined(separator: "\n")
    }

    private static func line(_ option: Option) -> String {
        let short = option.short.map { "\($0), " } ?? "    "
        let value = option.value.map { " \($0.placeholder)" } ?? ""
        return "  " + (short + option.long + value).padded(to: 31) + option.help
    }

    private static func lowercasedFirst(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    private static var statuses: String {
        ExitStatus.table.map { status, meaning in
            "  " + String(status.code).padded(to: 5) + meaning
        }.joined(separator: "\n")
    }
}
