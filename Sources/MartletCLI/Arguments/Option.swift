// An option as data. Reading the arguments, `--help` and the completions of the shells are all made from the one table of
// these, so that an option that exists is also explained and completed.

/// An option of the commands that send a request.
struct Option: Sendable {
    /// What shells offer in the place of the value.
    enum Completion: Equatable, Sendable {
        case nothing
        case file
        /// A file behind an `@`.
        case fileAfterAt
        case words([String])
    }

    /// The value that an option takes.
    struct Value: Sendable {
        /// How help shows it.
        let placeholder: String
        /// How an error names what is missing.
        let meaning: String
        var completion = Completion.nothing
    }

    typealias Effect = @Sendable (_ plan: inout RequestPlan, _ value: ArgumentValue) throws(ToolFailure) -> Void

    /// The long name, with its dashes.
    let long: String
    /// The short name, with its dash.
    let short: String?
    /// Nil for a flag.
    let value: Value?
    let help: String
    let apply: Effect

    /// An option with a value.
    init(
        _ long: String, _ short: String? = nil, takes placeholder: String, needs meaning: String? = nil,
        completion: Completion = .nothing, help: String, apply: @escaping Effect
    ) {
        (self.long, self.short, self.help, self.apply) = (long, short, help, apply)
        value = Value(placeholder: placeholder, meaning: meaning ?? placeholder, completion: completion)
    }

    /// A flag, which sets a property.
    init(
        _ long: String, _ short: String? = nil, sets flag: any WritableKeyPath<RequestPlan, Bool> & Sendable,
        help: String
    ) {
        (self.long, self.short, self.help, value) = (long, short, help, nil)
        apply = { (plan, _) throws(ToolFailure) in plan[keyPath: flag] = true }
    }

    /// Whether an argument names this option.
    func isCalled(_ name: String) -> Bool { name == long || name == short }
}

/// Options that belong together, as help shows them.
struct OptionGroup: Sendable {
    let title: String
    let options: [Option]
}
