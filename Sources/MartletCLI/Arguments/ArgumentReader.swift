// Takes arguments apart by the usual rules (POSIX utility conventions and the GNU long options): `-H value`, `-Hvalue`,
// `--name value`, `--name=value`, `-iv` for `-i -v`; `--` ends the options; `-` alone is a value. Options and values may be
// mixed.

/// Reads arguments one by one.
struct ArgumentReader {
    /// An argument.
    enum Argument: Equatable {
        /// An option with its dashes: `-H`, `--timeout`.
        case option(String)
        /// Anything else.
        case value(String)
    }

    private var rest: ArraySlice<String>
    /// The value that came in the same argument as the option read last.
    private var attached: (option: String, value: String)?
    private var optionsHaveEnded = false

    init(_ arguments: [String]) { rest = arguments[...] }

    /// The next argument; nil at the end.
    ///
    /// Throws when the option read last was given a value that nobody took.
    mutating func next() throws(ToolFailure) -> Argument? {
        if let attached {
            // Behind a flag of one letter stand further ones: -iv.
            guard !attached.option.hasPrefix("--"), attached.value.first?.isLetter == true else {
                throw .usage("\(attached.option) takes no value, and got \(quoted(attached.value)).")
            }
            self.attached = nil
            return .option(split("-" + attached.value))
        }
        guard let text = rest.popFirst() else { return nil }
        guard !optionsHaveEnded, text.hasPrefix("-"), text != "-" else { return .value(text) }
        if text == "--" {
            optionsHaveEnded = true
            return try next()
        }
        return .option(split(text))
    }

    /// The value of the option read last: what is attached to it, or the argument behind it.
    mutating func value(of option: String, _ meaning: String) throws(ToolFailure) -> String {
        if let value = attached?.value {
            attached = nil
            return value
        }
        guard let value = rest.popFirst() else { throw .usage("\(option) needs a value: \(meaning).") }
        return value
    }

    private mutating func split(_ text: String) -> String {
        if text.hasPrefix("--") {
            guard let sign = text.firstIndex(of: "=") else { return text }
            let option = String(text[..<sign])
            attached = (option, String(text[text.index(after: sign)...]))
            return option
        }
        let option = String(text.prefix(2))
        if text.count > 2 { attached = (option, String(text.dropFirst(2))) }
        return option
    }
}

/// A text as a message shows it.
func quoted(_ text: String) -> String { "'\(text)'" }
