// The commands of the tool, as read from its arguments. A pure value: nothing is opened or sent here.

/// What the user wants done.
enum Command: Equatable, Sendable {
    case demo
    case get(GetOptions)
    case help
    case version

    /// Reads the arguments that follow the name of the program.
    init(_ arguments: [String]) throws(ToolFailure) {
        var reader = ArgumentReader(arguments)
        guard let first = try reader.next() else {
            throw .usage("A command is missing: demo or get.")
        }
        switch first {
        case .option("--help"), .option("-h"): self = .help
        case .option("--version"), .option("-V"): self = .version
        case .option(let name): throw .usage("There is no option \(name) before a command.")
        case .value("demo"): self = try Self.demo(&reader)
        case .value("get"): self = try Self.get(&reader)
        case .value(let name): throw .usage("There is no command \(quoted(name)); there are demo and get.")
        }
    }

    private static func demo(_ reader: inout ArgumentReader) throws(ToolFailure) -> Command {
        guard let argument = try reader.next() else { return .demo }
        switch argument {
        case .option("--help"), .option("-h"): return .help
        case .option(let name): throw .usage("demo has no option \(name).")
        case .value(let value): throw .usage("demo takes no arguments, and got \(quoted(value)).")
        }
    }

    private static func get(_ reader: inout ArgumentReader) throws(ToolFailure) -> Command {
        try GetOptions.read(&reader).map(Command.get) ?? .help
    }
}
