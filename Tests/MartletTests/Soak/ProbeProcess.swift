// Runs a scenario of MartletProbe, which the build puts beside the test bundle, and reads the figures that it prints.

import Foundation
import Martlet

enum ProbeProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a scenario; throws when it fails or does not end within `limit`.
    static func run(
        _ scenario: String, _ settings: KeyValuePairs<String, any CustomStringConvertible & Sendable>,
        within limit: Duration
    ) async throws -> [String: Int] {
        let process = try make(scenario, settings)
        let output = Pipe()
        process.standardOutput = output
        let status = try await end(of: process, within: limit)
        guard status == 0 else { throw Failure(description: "The probe \(scenario) ended with \(status).") }
        return figures(try output.fileHandleForReading.readToEnd() ?? Data())
    }

    /// A process for a scenario, not yet started.
    static func make(
        _ scenario: String, _ settings: KeyValuePairs<String, any CustomStringConvertible & Sendable>
    ) throws -> Process {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = [scenario] + settings.map { "\($0.key)=\($0.value.description)" }
        // Its memory is measured, so that it has the heaps that every program has, and not those that `Tests/run` asks for.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "MALLOC_ARENA_MAX" }
        return process
    }

    private static func executable() throws -> URL {
        let bundle = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return bundle.deletingLastPathComponent().appending(path: "MartletProbe")
    }

    /// Starts the process and waits for its end; its output is far smaller than what a pipe holds.
    private static func end(of process: Process, within limit: Duration) async throws -> Int32 {
        let (ended, signal) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in signal.finish() }
        try process.run()
        let id = process.processIdentifier
        let watchdog = Task {
            try await Task.sleep(for: limit)
            kill(id, SIGKILL)
        }
        for await _ in ended {}
        watchdog.cancel()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private static func figures(_ output: Data) -> [String: Int] {
        var figures: [String: Int] = [:]
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=")
            if parts.count == 2, let value = Int(parts[1]) { figures[String(parts[0])] = value }
        }
        return figures
    }
}
