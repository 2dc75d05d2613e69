// The commands of the tool, as read from its arguments. A pure value: nothing is opened or sent here.

import Martlet

/// What a command is called.
enum CommandName: String, CaseIterable, Sendable {
    case get, head, post, put, patch, delete, options, download, events, demo, completions

    /// The method that the command sends; nil when it sends no request.
    var method: HTTPMethod? {
        switch self {
        case .get, .head, .post, .put, .patch, .delete, .options: HTTPMethod(rawValue.uppercased())
        case .download, .events: .get
        case .demo, .completions: nil
        }
    }

    /// What it does, for lists of commands.
    var summary: String {
        switch self {
        case .get: "Fetch a URL; the body goes to standard output as it arrives"
        case .head: "Ask for the response head alone"
        case .post: "Send a body: JSON from items, a form, text, a file"
        case .put: "Replace what is at a URL"
        case .patch: "Change what is at a URL"
        case .delete: "Remove what is at a URL"
        case .options: "Ask what a URL supports"
        case .download: "Fetch a URL into a file; goes on where an earlier run has ended"
        case .events: "Print server-sent events as they come; connects again when it must"
        case .demo: "Tour the SDK on a server of its own; nothing leaves the machine"
        case .completions: "Print the completions for bash, zsh or fish"
        }
    }
}

/// A shell that completions are made for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// What the user wants done.
enum Command: Equatable, Sendable {
    case demo
    case request(RequestPlan)
    case completions(Shell)
    /// Help for a command, or for all.
    case help(CommandName?)
    case version

    /// Reads the arguments that follow the name of the program.
    init(_ arguments: [String]) throws(ToolFailure) {
        var reader = ArgumentReader(arguments)
        guard let first = try reader.next() else {
            throw .usage("A command is missing, such as get or demo.")
        }
        switch first {
        case .option("--help"), .option("-h"): self = .help(nil)
        case .option("--version"), .option("-V"): self = .version
        case .option(let name): throw .usage("There is no option \(name) before a command.")
        case .value("help"): self = .help(try Self.command(&reader))
        case .value(let text):
            guard let name = CommandName(rawValue: text) else {
                throw .usage("There is no command \(quoted(text))\(Suggestion.afterCommand(text))")
            }
            self = try Self.read(name, &reader)
        }
    }

    private static func read(_ name: CommandName, _ reader: inout ArgumentReader) throws(ToolFailure) -> Command {
        if let method = name.method {
            return try RequestPlan.read(method, named: name, &reader).map(Command.request) ?? .help(name)
        }
        guard let argument = try reader.next() else {
            if name == .demo { return .demo }
            throw .usage("completions needs the name of a shell: bash, zsh or fish.")
        }
        switch argument {
        case .option("--help"), .option("-h"): return .help(name)
        case .option(let option): throw .usage("\(name.rawValue) has no option \(option).")
        case .value(let value) where name == .demo:
            throw .usage("demo takes no arguments, and got \(quoted(value)).")
        case .value(let value):
            guard let shell = Shell(rawValue: value) else {
                throw .usage("There are completions for bash, zsh and fish, and not for \(quoted(value)).")
            }
            return .completions(shell)
        }
    }

    private static func command(_ reader: inout ArgumentReader) throws(ToolFailure) -> CommandName? {
        guard case .value(let text) = try reader.next() else { return nil }
        guard let name = CommandName(rawValue: text) else {
            throw .usage("There is no command \(quoted(text))\(Suggestion.afterCommand(text))")
        }
        return name
    }
}
