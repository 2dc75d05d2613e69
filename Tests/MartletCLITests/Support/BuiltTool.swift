// The built executable, run as a user runs it: in a process of its own, its output in files, so that no test waits on a pipe.

import Foundation
import Martlet
import Testing

/// Runs `martlet-cli`.
struct BuiltTool: Sendable {
    /// What a run came to.
    struct Outcome: Sendable {
        var status: Int
        /// Whether a signal ended it.
        var wasKilled: Bool
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The executable, which lies beside the test bundle.
    static var executable: URL {
        get throws {
            #if os(Linux)
            let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            #else
            let tests =
                Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
            #endif
            let executable = tests.deletingLastPathComponent().appending(path: "martlet-cli")
            try #require(FileManager.default.isExecutableFile(atPath: executable.path), "\(executable.path) is missing")
            return executable
        }
    }

    private let process = Process()
    private let folder = TemporaryFolder()
    private let ended: AsyncStream<Void>

    /// Starts the tool.
    init(_ arguments: String..., environment: [String: String] = [:]) throws {
        try self.init(executable: try Self.executable, arguments, environment: environment)
    }

    /// Starts a script of bash, in which `$0` is the tool.
    init(script: String, _ arguments: String...) throws { try self.init(script: script, arguments: arguments) }

    /// Starts a script of bash, in which `$0` is the tool.
    init(script: String, arguments: [String]) throws {
        let tool = try Self.executable.path
        try self.init(executable: URL(filePath: "/bin/bash"), ["-c", script, tool] + arguments, environment: [:])
    }

    private init(executable: URL, _ arguments: [String], environment: [String: String]) throws {
        process.executableURL = executable
        process.arguments = arguments
        var all = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        // What the thread sanitizer is to pass over holds for the tool too, when it is built with it.
        all["TSAN_OPTIONS"] = ProcessInfo.processInfo.environment["TSAN_OPTIONS"]
        process.environment = all.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try folder.newFile("output")
        process.standardError = try folder.newFile("errors")
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        ended = stream
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
    }

    /// Starts the tool.
    init(arguments: [String]) throws {
        try self.init(executable: try Self.executable, arguments, environment: [:])
    }

    #if os(Linux)
    /// Starts the tool on a terminal of its own, of 80 columns, to which standard output and standard error go alike.
    ///
    /// - Parameter redirection: what follows the arguments in the shell's command.
    static func onTerminal(
        _ arguments: [String], redirection: String = "", environment: [String: String] = [:]
    ) throws -> BuiltTool {
        let quoted = ([try executable.path] + arguments).map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }
        let command = "stty cols 80 -opost; " + quoted.joined(separator: " ") + " " + redirection
        return try BuiltTool(
            executable: URL(filePath: "/usr/bin/script"), ["-qefc", command, "/dev/null"],
            environment: ["TERM": "xterm"].merging(environment) { $1 })
    }
    #endif

    /// Sends the process a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until standard output holds a text, for a minute at most.
    func waitForOutput(_ text: String) async throws {
        for _ in 0..<3_000 {
            if String(decoding: try folder.contents("output"), as: UTF8.self).contains(text) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("\(text) was not written within a minute.")
    }

    /// Waits for its end.
    func outcome() async throws -> Outcome {
        for await _ in ended {}
        return Outcome(
            status: Int(process.terminationStatus), wasKilled: process.terminationReason == .uncaughtSignal,
            output: try folder.contents("output"),
            errors: String(decoding: try folder.contents("errors"), as: UTF8.self)
        )
    }

    /// Runs the tool to its end.
    static func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

    /// Runs the tool with these arguments.
    static func run(_ arguments: [String]) async throws -> Outcome {
        try await BuiltTool(executable: try executable, arguments, environment: [:]).outcome()
    }
}
