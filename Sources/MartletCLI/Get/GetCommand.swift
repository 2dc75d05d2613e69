// `get`: one request, its body passed on as it arrives.

import Foundation
import Martlet

/// Fetches a URL.
struct GetCommand: Sendable {
    let options: GetOptions
    let output: StandardOutput
    let diagnostics: Diagnostics
    let temporaryFiles: TemporaryFiles

    /// Throws when the response is not complete, or its status is 400 or more.
    func run() async throws {
        guard options.url.contains("://") else {
            throw ToolFailure(.name, "The URL \(quoted(options.url)) needs http:// or https:// before it.")
        }
        let configuration = try configuration()
        let file: OutputFile?
        if let path = options.output {
            file = try OutputFile(path, temporaryFiles: temporaryFiles)
        } else {
            file = nil
        }
        do {
            try await MartletClient.withClient(configuration) { client in try await transfer(client, to: file) }
        } catch {
            file?.discard()
            throw error
        }
        try file?.commit()
    }

    private func configuration() throws(ToolFailure) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        switch options.trust {
        case .system: break
        case .adding(let file):
            do {
                configuration.tls = try .adding(rootsFile: file)
            } catch {
                // Unreadable, and not unusable: that is found when a connection is made.
                throw ToolFailure(.file, error.message)
            }
        case .insecure:
            configuration.tls = .insecure
            diagnostics.note("Warning: --insecure accepts any certificate; whoever answers may be an impostor.")
        }
        return configuration
    }

    private func transfer(_ client: MartletClient, to file: OutputFile?) async throws {
        let deadline = options.timeout.map(Deadline.init(after:))
        var call = client.get(options.url).headers(options.headers)
        if let timeout = options.timeout { call = call.timeout(timeout) }
        let response = try await call.stream()
        let isRefused = response.status.code >= 400
        if options.includesHead { try write(response.head, until: deadline) }
        // An error page is not what the file was meant for.
        if !(isRefused && file != nil) {
            do {
                for try await chunk in response.body {
                    try chunk.withUnsafeBytes { bytes in
                        if let file {
                            try file.write(bytes, until: deadline)
                        } else {
                            try output.write(bytes, until: deadline)
                        }
                    }
                }
            } catch is ReaderGone where isRefused {}
        }
        if isRefused {
            let request = MartletError.RequestSummary(method: .get, url: response.url.redactedDescription)
            throw ToolFailure(.status, "The server answered \(response.status). [\(request)]")
        }
        if response.status.isRedirection, let location = response.headers.location {
            diagnostics.note("Note: the server redirects to \(location); redirects are not followed.")
        }
    }

    /// The head as it was on the wire, apart from the space around the values.
    private func write(_ head: ResponseHead, until deadline: Deadline?) throws {
        var bytes = Array("\(head.version) \(head.status.code) \(head.reason)\r\n".utf8)
        for index in head.headers.indices {
            head.headers.withFieldBytes(at: index) { name, value in
                bytes += name
                bytes += Array(": ".utf8)
                bytes += value
                bytes += [0x0D, 0x0A]
            }
        }
        bytes += [0x0D, 0x0A]
        try bytes.withUnsafeBytes { try output.write($0, until: deadline) }
    }
}
