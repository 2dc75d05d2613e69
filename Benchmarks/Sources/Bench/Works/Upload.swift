// A big body made by an AsyncSequence, taken by a server that throws it away. curl sends the same file.

import BenchKit
import BenchRuns
import Foundation
import Martlet

extension Work {
    static let uploadBig = Work(
        name: "upload-1g", summary: "a body of 1 GiB, sent from an AsyncSequence", measures: [.megabytesPerSecond],
        resource: .sink,
        subjects: Subject.martlet { client, job in
            try await client.put(job.url, data: Data([0])).discard()
            let bytes = Files.bigBytes(quick: job.quick)
            let chunks = FileChunks(path: try job.file(Contents.big))
            return try await Transfer.measure {
                try await client.put(job.url, stream: chunks, length: bytes).discard()
                return bytes
            }
        } + [
            .urlsession,
            .curl { job in ["-T", try job.file(Contents.big)] },
        ], budgets: Transfers.budgets)
}

/// A file's bytes in chunks of 256 KiB, each in memory of its own: what a program does that has no file to name.
private struct FileChunks: AsyncSequence, Sendable {
    let path: String

    func makeAsyncIterator() -> Iterator { Iterator(file: FileHandle(forReadingAtPath: path)) }

    struct Iterator: AsyncIteratorProtocol {
        let file: FileHandle?

        mutating func next() async throws -> Data? {
            let chunk = try file?.read(upToCount: 256 << 10)
            return chunk?.isEmpty == true ? nil : chunk
        }
    }
}
