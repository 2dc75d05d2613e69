// For fish: one `complete` for each command and option.

/// Writes completions for fish.
enum FishCompletions {
    static var script: String {
        let isRequest =
            "__fish_seen_subcommand_from " + CommandName.requests.map(\.rawValue).joined(separator: " ")
        var lines = ["# fish completion for \(Tool.name)", "complete -c \(Tool.name) -f"]
        lines += CommandName.allCases.map { name in
            "complete -c \(Tool.name) -n __fish_use_subcommand -a \(name.rawValue) -d \(quoted(name.summary))"
        }
        lines += [
            "complete -c \(Tool.name) -n __fish_use_subcommand -a help -d 'Explain a command'",
            "complete -c \(Tool.name) -n __fish_use_subcommand -l version -s V -d 'Print the version'",
            "complete -c \(Tool.name) -l help -s h -d 'Explain'",
            "complete -c \(Tool.name) -n '__fish_seen_subcommand_from help' -a "
                + quoted(CommandName.allCases.map(\.rawValue).joined(separator: " ")),
            "complete -c \(Tool.name) -n '__fish_seen_subcommand_from completions' -a "
                + quoted(Shell.allCases.map(\.rawValue).joined(separator: " ")),
        ]
        lines += OptionTable.options.map { option in
            var line = "complete -c \(Tool.name) -n \(quoted(isRequest)) -l \(option.long.dropFirst(2))"
            if let short = option.short { line += " -s \(short.dropFirst())" }
            switch option.value?.completion {
            case nil: break
            case .file: line += " -r -F"
            case .words(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
            case .fileAfterAt, .nothing: line += " -x"
            }
            return line + " -d \(quoted(option.help))"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A text in single quotes, within which fish escapes with a backslash.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
    }
}
