// URLSession doing the works that it can do, one run in a process: a program of its own, which takes the words of
// `bench run-one` and prints what that prints. `bench` is linked with the Swift runtime inside, and FoundationNetworking would
// then ask for the headers and libraries of libcurl and more.

import BenchKit
import BenchRuns
import Foundation
import Glibc

@main
enum BenchURLSession {
    static func main() {
        do {
            guard case .runOne(let single) = try Arguments(Array(CommandLine.arguments.dropFirst())),
                let url = single.url
            else { throw Arguments.Misuse("usage: bench-urlsession run-one WORK urlsession --url URL …") }
            guard let work = works[single.work] else { throw Arguments.Misuse("no work is called \(single.work)") }
            ProcessFigures.raiseDescriptorLimit()
            let job = Job(single, url: url)
            print(try Waiting.run { try await work(job) }.lines, terminator: "")
            fflush(nil)
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("bench-urlsession: \(error)\n".utf8))
            exit(error is Arguments.Misuse ? 64 : 1)
        }
    }

    private typealias Run = @Sendable (Job) async throws -> Figures

    private static let works: [String: Run] = [
        "small-h1-c1": small(connections: 1),
        "small-h1-c64": small(connections: 64),
        "small-h1-post-c64": small(connections: 64, posting: Data(Contents.postBody.utf8)),
        "download-1g": { job in
            let session = StreamedSession()
            _ = try await session.download(job.neighbour("small"))
            return try await Transfer.measure { try await session.download(job.url) }
        },
        "upload-1g": { job in
            let file = try job.file(Contents.big)
            let session = StreamedSession()
            return try await Transfer.measure { try await session.upload(file, to: job.url) }
        },
        "json-1m": { job in
            let session = try PlainSession(job, connections: 1)
            return try await Load.run(job, concurrency: 1, warmUp: 3) { try Record.decode(try await session.data()) }
        },
        "cancel-latency": { job in
            let session = StreamedSession(connections: 8)
            return try await CancelledCalls.measure(job) { began in try await session.read(job.url, began) }
        },
    ]

    private static func small(connections: Int, posting body: Data? = nil) -> Run {
        { job in
            let session = try PlainSession(job, connections: connections, posting: body)
            return try await Load.run(job, concurrency: connections) { _ = try await session.data() }
        }
    }
}
