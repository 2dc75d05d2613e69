// For bash: a function that looks at the word before the cursor and the one under it.

/// Writes completions for bash.
enum BashCompletions {
    static var script: String {
        """
        # bash completion for \(Tool.name)
        _martlet_cli() {
            local current=${COMP_WORDS[COMP_CWORD]} previous= command= index
            COMPREPLY=()
            if ((COMP_CWORD > 0)); then previous=${COMP_WORDS[COMP_CWORD - 1]}; fi
            for ((index = 1; index < COMP_CWORD; index++)); do
                if [[ ${COMP_WORDS[index]} != -* ]]; then
                    command=${COMP_WORDS[index]}
                    break
                fi
            done
            case $command in
            '')
                COMPREPLY=($(compgen -W '\(commands)' -- "$current"))
                return
                ;;
            help)
                COMPREPLY=($(compgen -W '\(CommandName.allCases.map(\.rawValue).joined(separator: " "))' -- "$current"))
                return
                ;;
            completions)
                COMPREPLY=($(compgen -W '\(Shell.allCases.map(\.rawValue).joined(separator: " "))' -- "$current"))
                return
                ;;
            demo)
                COMPREPLY=($(compgen -W '--help' -- "$current"))
                return
                ;;
            esac
            case $previous in
        \(OptionTable.options.compactMap(values).joined(separator: "\n"))
            esac
            if [[ $current == @* ]]; then
                compopt -o filenames 2>/dev/null
                local IFS=$'\\n'
                COMPREPLY=($(compgen -P @ -f -- "${current#@}"))
            elif [[ $current == -* ]]; then
                COMPREPLY=($(compgen -W '\(names)' -- "$current"))
            fi
        }
        complete -F _martlet_cli \(Tool.name)

        """
    }

    private static var commands: String {
        (CommandName.allCases.map(\.rawValue) + ["help", "--help", "--version"]).joined(separator: " ")
    }

    private static var names: String {
        (OptionTable.options.flatMap { [$0.long] + ($0.short.map { [$0] } ?? []) } + ["--help"])
            .joined(separator: " ")
    }

    /// The case of an option whose value is completed, or that takes one which cannot be.
    private static func values(_ option: Option) -> String? {
        guard let value = option.value else { return nil }
        let pattern = option.short.map { "\($0) | \(option.long)" } ?? option.long
        let body: String
        switch value.completion {
        case .nothing: body = "return"
        // The branch for @ below does it.
        case .fileAfterAt: body = "[[ $current == @* ]] || return"
        case .words(let words): body = "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
        case .file:
            body = """
                compopt -o filenames 2>/dev/null
                        local IFS=$'\\n'
                        COMPREPLY=($(compgen -f -- "$current"))
                """
        }
        let ends = value.completion == .nothing || value.completion == .fileAfterAt
        return "    \(pattern))\n        \(body)\(ends ? "" : "\n        return")\n        ;;"
    }
}
