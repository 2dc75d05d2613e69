// From `cancel()` to the moment at which the cancelled call has thrown, while it waits for more of a body. Martlet has closed
// the connection by then.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    static let cancelLatency = Work(
        name: "cancel-latency", summary: "from cancel() to the end of the call",
        measures: [50, 90, 99].map { Measure("µs p\($0)", key: "p\($0)", higherIsBetter: false) },
        resource: .http("/trickle"),
        subjects: Subject.martlet { client, job in
            try await CancelledCalls.measure(job) { began in
                for try await _ in client.get(job.url).chunks { began() }
            }
        } + [.urlsession])
}
