// A big body, read chunk by chunk as it arrives, on a connection that is there already.

import BenchKit
import Foundation
import Martlet

enum Transfers {
    static let works = [
        Work(
            name: "download-1g", summary: "a body of 1 GiB, read in chunks", measures: [.megabytesPerSecond],
            resource: .http("/big"), subjects: subjects(curl: []), budgets: budgets),
        Work(
            name: "download-1g-tls", summary: "a body of 1 GiB over TLS, read in chunks",
            measures: [.megabytesPerSecond], resource: .https("/big"),
            subjects: subjects(curl: ["-k"]).withoutURLSession,
            budgets: budgets),
    ]

    static let budgets = ["martlet", "martlet-loop"].flatMap {
        [Budget($0, .share(0.85, of: "curl")), Budget($0, .peakAtMost(mebibytes: 40))]
    }

    private static func subjects(curl: [String]) -> [Subject] {
        Subject.martlet { client, job in
            // The connection, and with it the certificates, before the clock starts, as curl's own figure has it.
            _ = try await client.get(job.neighbour("small")).data()
            return try await Transfer.measure {
                let response = try await client.get(job.url).stream()
                var bytes = 0
                for try await chunk in response.body { bytes += chunk.count }
                guard response.headers["Content-Length"] == String(bytes) else { throw Failure("the body is cut") }
                return bytes
            }
        } + [
            .code("urlsession") { job in
                let session = StreamedSession()
                _ = try await session.download(job.neighbour("small"))
                return try await Transfer.measure { try await session.download(job.url) }
            },
            .curl { _ in curl },
        ]
    }
}

/// One transfer that is timed.
enum Transfer {
    /// - Parameters:
    ///   - unit: how many of what `body` returns make one of the value; a million by default.
    ///   - body: makes the transfer and returns its bytes.
    static func measure(unit: Double = 1e6, _ body: () async throws -> Int) async throws -> Figures {
        let cpu = ProcessFigures.cpuSeconds
        let start = Clock.seconds()
        let count = try await body()
        let seconds = Clock.seconds() - start
        return Figures(
            value: Double(count) / seconds / unit, cpuMicrosecondsPerCall: (ProcessFigures.cpuSeconds - cpu) * 1e6,
            peakResidentKiB: ProcessFigures.peakResidentKiB)
    }
}

extension Job {
    /// The address of another file on the same server.
    func neighbour(_ name: String) -> String {
        let end = url.lastIndex(of: "/") ?? url.endIndex
        return "\(url[..<end])/\(name)"
    }
}
