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

    let output = StandardOutput()
    let diagnostics = Diagnostics()
    let temporaryFiles = TemporaryFiles()

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
        tool.temporaryFiles.removeAll()
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
            case .help: try output.write(HelpText.text)
            case .version: try output.write("\(Self.name) \(MartletClient.version)\n")
            case .demo:
                let terminal = Terminal(descriptor: output.descriptor)
                return try await DemoCommand(screen: Screen(output: output, terminal: terminal)).run()
            case .get(let options):
                try await GetCommand(
                    options: options, output: output, diagnostics: diagnostics, temporaryFiles: temporaryFiles
                ).run()
            }
            return .success
        } catch is ReaderGone {
            return .success
        } catch {
            let failure = ToolFailure(error)
            diagnostics.report(failure, after: output)
            return failure.status
        }
    }
}
