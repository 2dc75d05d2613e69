// A process of its own, for figures that belong to a whole process: descriptors, threads, resident memory. A test starts it
// with the name of a scenario and settings (`name=value`); it prints one line `name=value` for each figure and ends with 0.

import Martlet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum Probe {
    typealias Scenario = @Sendable (Settings) async throws -> [String: Int]

    private static let scenarios: [String: Scenario] = {
        var scenarios: [String: Scenario] = [
            "drop-clients": DropClients.run,
            "consume": PacedTransfer.consume,
            "upload": PacedTransfer.upload,
            "whole-download": WholeTransfer.download,
            "file-download": WholeTransfer.downloadFile,
            "whole-upload": WholeTransfer.upload,
            "whole-file": WholeTransfer.uploadFile,
            "whole-form": WholeTransfer.uploadForm,
            "decode-bomb": DecodeBomb.run,
            "decode": DecodedDocument.fetch,
            "decode-bare": DecodedDocument.bare,
        ]
        #if DEBUG && SocketTransport && os(Linux)
        scenarios["cancel-calls"] = CancelCalls.run
        #endif
        return scenarios
    }()

    // Not async: the main thread takes no part, as in a program whose work is elsewhere. Hence no task on its actor.
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let scenario = arguments.first.flatMap({ scenarios[$0] }) else {
            complain("usage: MartletProbe \(scenarios.keys.sorted().joined(separator: "|")) name=value ...")
            exit(64)
        }
        let settings = Settings(arguments.dropFirst())
        Task { @concurrent in
            do {
                for (name, value) in try await scenario(settings).sorted(by: { $0.key < $1.key }) {
                    print("\(name)=\(value)")
                }
                fflush(nil)
                exit(0)
            } catch {
                complain("\(error)")
                exit(1)
            }
        }
        while true { pause() }
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) {
        let line = Array("MartletProbe: \(text)\n".utf8)
        _ = write(2, line, line.count)
    }
}

/// What a scenario is run with.
struct Settings: Sendable {
    struct Missing: Error { let name: String }

    private var values: [String: String] = [:]

    init(_ arguments: some Sequence<String>) {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    func text(_ name: String) throws(Missing) -> String {
        guard let value = values[name] else { throw Missing(name: name) }
        return value
    }

    func number(_ name: String) throws(Missing) -> Int {
        guard let value = values[name].flatMap({ Int($0) }) else { throw Missing(name: name) }
        return value
    }
}
