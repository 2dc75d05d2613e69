// For zsh: `_arguments`, with the explanation of each option.

/// Writes completions for zsh.
enum ZshCompletions {
    static var script: String {
        """
        #compdef \(Tool.name)
        # zsh completion for \(Tool.name)
        _martlet_cli_at() {
            if compset -P '@'; then _files; fi
        }
        _martlet_cli() {
            local curcontext="$curcontext" state line
            local -a commands
            commands=(
        \(CommandName.allCases.map { "        " + shellQuoted("\($0.rawValue):\($0.summary)") }.joined(separator: "\n"))
                'help:Explain a command'
            )
            _arguments -C '(- *)--help[Explain the tool]' '(- *)--version[Print the version]' '1: :->command' '*:: :->rest'
            case $state in
            command) _describe -t commands command commands ;;
            rest)
                case $line[1] in
                \(CommandName.requests.map(\.rawValue).joined(separator: "|")))
                    _arguments -S -s \\
        \(OptionTable.options.flatMap(lines).joined(separator: "\n"))
                        '(- *)--help[Explain the command]' \\
                        '1:URL:' \\
                        '*:item:_martlet_cli_at'
                    ;;
                help) _describe -t commands command commands ;;
                completions) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
                demo) _arguments '--help[Explain the command]' ;;
                esac
                ;;
            esac
        }
        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _martlet_cli "$@"
        else
            compdef _martlet_cli \(Tool.name)
        fi

        """
    }

    private static func lines(_ option: Option) -> [String] {
        ([option.long] + (option.short.map { [$0] } ?? [])).map { name in
            // A long name takes its value behind = too, a short one right behind it.
            let spelling = option.value == nil ? name : name.hasPrefix("--") ? name + "=" : name + "+"
            let text = "*\(spelling)[\(escaped(option.help))]" + (option.value.map(value) ?? "")
            return "                \(shellQuoted(text)) \\"
        }
    }

    private static func value(_ value: Option.Value) -> String {
        let meaning = escaped(value.placeholder.filter { $0 != "'" })
        return switch value.completion {
        case .nothing: ":\(meaning):"
        case .file: ":\(meaning):_files"
        case .fileAfterAt: ":\(meaning):_martlet_cli_at"
        case .words(let words): ":\(meaning):(\(words.joined(separator: " ")))"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("[", with: #"\["#).replacing("]", with: #"\]"#).replacing(":", with: #"\:"#)
    }
}
