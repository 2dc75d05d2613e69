// A big body, read chunk by chunk as it arrives, on a connection that is there already.

import BenchKit
import BenchRuns
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
        Work(
            name: "download-1g-h2", summary: "a body of 1 GiB over HTTP/2 and TLS, read in chunks",
            measures: [.megabytesPerSecond], resource: .http2("/big"),
            subjects: subjects(curl: ["-k", "--http2"]).withoutURLSession, budgets: budgets),
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
            .urlsession,
            .curl { _ in curl },
        ]
    }
}
