// The completions of the shells, made from the tables of commands and options.

extension Shell {
    /// The script that a shell reads.
    var completions: String {
        switch self {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        }
    }
}

extension CommandName {
    /// The commands that send a request, which take the options.
    static var requests: [CommandName] { allCases.filter { $0.method != nil } }
}

/// A text in single quotes, as bash and zsh read it.
func shellQuoted(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }
