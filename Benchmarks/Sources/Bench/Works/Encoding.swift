// Values on their way into requests: a form encoded, and a form with a big file sent to a server that throws it away.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    /// The form encoder beside the JSON encoder, which has the same value to walk through.
    static let encodeForm = Work(
        name: "encode-form", summary: "a thousand records encoded as a form, one at a time", resource: .sink,
        subjects: [
            .code("martlet") { job in
                let records = ["records": Record.some(1_000)]
                var encoder = URLEncodedFormEncoder()
                encoder.arrays = .indexInBrackets
                return try await Load.run(job, concurrency: 1, warmUp: 3) { [encoder] in
                    guard try encoder.encode(records).count > 100_000 else { throw Failure("the form is too short") }
                }
            },
            .code("json-encoder") { job in
                let records = ["records": Record.some(1_000)]
                return try await Load.run(job, concurrency: 1, warmUp: 3) {
                    guard try JSONEncoder().encode(records).count > 100_000 else {
                        throw Failure("the JSON is too short")
                    }
                }
            },
        ])

    /// A form of a field and a file of 1 GiB; curl makes the same one.
    static let encodeMultipart = Work(
        name: "encode-multipart-1g", summary: "a form with a file of 1 GiB, sent", measures: [.megabytesPerSecond],
        resource: .sink,
        subjects: Subject.martlet { client, job in
            try await client.put(job.url, data: Data([0])).discard()
            let form: MultipartForm = ["title": "big", "file": .file(try job.file(Contents.big))]
            return try await Transfer.measure {
                try await client.post(job.url, multipart: form).response().metrics.bodyBytesSent
            }
        } + [.curl { job in ["-F", "title=big", "-F", "file=@\(try job.file(Contents.big))"] }],
        budgets: Transfers.budgets)
}
