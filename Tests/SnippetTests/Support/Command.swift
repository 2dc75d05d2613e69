// Commands of the documents, run as a reader would run them: by a shell, in a folder of their own.

import Foundation

/// Runs lines of shell.
enum Command {
    /// What a run came to.
    struct Outcome: Sendable {
        var status: Int
        var output: String
        var errors: String
    }

    /// The folder of the built executables, in which the test bundle lies.
    static var products: String {
        get throws {
            #if os(Linux)
            let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            #else
            let tests =
                Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
            #endif
            return tests.deletingLastPathComponent().path(percentEncoded: false)
        }
    }

    /// Runs `script` to its end, with the built executables on the path.
    static func run(_ script: String, in folder: TemporaryFolder) async throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "set -e; " + script]
        process.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment
        environment["PATH"] = "\(try products):\(environment["PATH"] ?? "/usr/bin:/bin")"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try folder.newFile(".output")
        process.standardError = try folder.newFile(".errors")
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in ended {}
        return Outcome(
            status: Int(process.terminationStatus), output: try folder.contents(".output"),
            errors: try folder.contents(".errors"))
    }
}

/// A folder for one test, gone with its last reference.
final class TemporaryFolder: Sendable {
    let url: URL

    init() {
        url = FileManager.default.temporaryDirectory.appending(path: "martlet-snippets-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Makes an empty file, open for writing.
    func newFile(_ name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: url.appending(path: name))
    }

    /// Writes a file, making the folders above it.
    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func contents(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
    }
}
