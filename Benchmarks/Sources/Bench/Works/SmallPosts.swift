// Small POSTs, 64 in flight: the request has a body of its own, of about the size of the answer.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    static let post = Work(
        name: "small-h1-post-c64", summary: "small POSTs over HTTP/1.1, 64 in flight", resource: .http("/post"),
        subjects: Subject.martlet { client, job in
            let body = Data(Contents.postBody.utf8)
            return try await Load.run(job, concurrency: 64) {
                _ = try await client.post(job.url, data: body, contentType: "application/json").data()
            }
        } + [
            .urlsession,
            .wrk(concurrency: 64, script: Files.postScript),
        ])
}
