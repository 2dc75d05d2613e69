// Martlet in its two ways of use: called from the default executor, and from the client's own.

import BenchKit
import BenchRuns
import Martlet

extension Subject {
    /// Both ways. The client has no limits that the job would reach, and trusts the servers' certificate.
    static func martlet(
        configure: @escaping @Sendable (inout ClientConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (MartletClient, Job) async throws -> Figures
    ) -> [Subject] {
        [
            .code("martlet") { job in try await body(try job.client(configure), job) },
            .code("martlet-loop") { job in
                let client = try job.client(configure)
                return try await withTaskExecutorPreference(client.executor) { try await body(client, job) }
            },
        ]
    }
}

extension Job {
    /// A client for this job.
    func client(_ configure: (inout ClientConfiguration) -> Void = { _ in }) throws -> MartletClient {
        MartletClient(try configuration(configure))
    }

    /// The configuration of a client for this job.
    func configuration(_ configure: (inout ClientConfiguration) -> Void = { _ in }) throws -> ClientConfiguration {
        var configuration = ClientConfiguration()
        if let authority { configuration.tls = try .adding(rootsFile: authority) }
        configure(&configuration)
        return configuration
    }
}
