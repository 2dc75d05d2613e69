// Small calls, one at a time and 64 in flight: what the client itself costs. nginx answers a hundred bytes from its cache of
// open files.

import BenchKit
import BenchRuns
import Foundation
import Martlet

enum SmallCalls {
    static let works = [
        Work(
            name: "small-h1-c1", summary: "small GETs over HTTP/1.1, one at a time", resource: .http("/small"),
            subjects: subjects(concurrency: 1),
            budgets: [Budget("martlet", .share(0.85, of: "wrk")), Budget("martlet-loop", .share(0.85, of: "wrk"))]),
        Work(
            name: "small-h1-c64", summary: "small GETs over HTTP/1.1, 64 in flight", resource: .http("/small"),
            subjects: subjects(concurrency: 64),
            budgets: [
                Budget("martlet", .share(0.60, of: "wrk")), Budget("martlet", .times(12, of: "urlsession")),
                Budget("martlet-loop", .share(0.85, of: "wrk")), Budget("martlet-loop", .cpuAtMost(13)),
            ]),
        Work(
            name: "small-tls-c64", summary: "small GETs over HTTP/1.1 and TLS, 64 in flight",
            resource: .https("/small"), subjects: subjects(concurrency: 64).withoutURLSession),
        Work(
            name: "small-h2-c64", summary: "small GETs over HTTP/2 and TLS, 64 in flight on one connection",
            resource: .http2("/small"), subjects: martlet(concurrency: 64) + [.h2load(concurrency: 64)],
            budgets: [
                Budget("martlet", .share(0.50, of: "h2load")), Budget("martlet-loop", .share(0.80, of: "h2load")),
            ]),
    ]

    private static func martlet(concurrency: Int) -> [Subject] {
        Subject.martlet { client, job in
            try await Load.run(job, concurrency: concurrency) { _ = try await client.get(job.url).data() }
        }
    }

    private static func subjects(concurrency: Int) -> [Subject] {
        martlet(concurrency: concurrency) + [
            .urlsession,
            .wrk(concurrency: concurrency),
        ]
    }
}
