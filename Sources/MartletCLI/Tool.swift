// The command `martlet-cli`: reads the arguments, runs one command and ends with its exit status.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Martlet

/// The tool.
@main
struct Tool {
    static let name = "martlet-cli"

    let console = Console()

    static func main() {
        // First of all, while there is one thread.
        fillStandardDescriptors()
        var signals = Signals()
        let received = ReceivedSignal()
        let tool = Tool()
        let work = tool.start(received)
        received.record(signals.wait())
        work.cancel()
        _ = signals.wait(atMost: 3)
        tool.console.temporaryFiles.removeAll()
        _exit(received.exitStatus.code)
    }

    /// Begins the work, on another thread than the main one, which waits for signals and runs no tasks.
    private nonisolated func start(_ received: ReceivedSignal) -> Task<Void, Never> {
        Task { @concurrent in
            let status = await run(Array(CommandLine.arguments.dropFirst()))
            exit((status == .interrupted ? received.exitStatus : status).code)
        }
    }

    /// Runs the command that the arguments name. What goes wrong is one line on standard error.
    func run(_ arguments: [String]) async -> ExitStatus {
        do {
            switch try Command(arguments) {
            case .help(let command): try console.output.write(HelpText.text(for: command))
            case .version: try console.output.write("\(Self.name) \(MartletClient.version)\n")
            case .completions(let shell): try console.output.write(shell.completions)
            case .demo:
                return try await DemoCommand(screen: Screen(output: console.output, terminal: console.terminal)).run()
            case .request(let plan) where plan.repetitions != nil:
                try await LoadCommand(plan: plan, console: console).run()
            case .request(let plan) where plan.purpose == .download:
                try await DownloadCommand(plan: plan, console: console).run()
            case .request(let plan) where plan.purpose == .events:
                try await EventsCommand(plan: plan, console: console).run()
            case .request(let plan): try await RequestCommand(plan: plan, console: console).run()
            }
            return .success
        } catch is ReaderGone {
            return .success
        } catch {
            let failure = ToolFailure(error)
            let command = arguments.first.flatMap(CommandName.init)
            console.diagnostics.report(failure, after: console.output, of: command)
            return failure.status
        }
    }
}
