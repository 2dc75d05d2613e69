// URLSession used the fastest way that is safe on Linux: data tasks with a completion handler, resumed by hand. Its async
// methods deadlock when their task is cancelled.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession for one address.
final class PlainSession: Sendable {
    let session: URLSession
    private let request: URLRequest

    init(_ job: Job, connections: Int, change: (inout URLRequest) -> Void = { _ in }) throws {
        guard let url = URL(string: job.url) else { throw Failure("\(job.url) is no URL") }
        var request = URLRequest(url: url)
        change(&request)
        self.request = request
        session = URLSession(configuration: Self.configuration(connections: connections))
    }

    /// A configuration without all that is not asked for.
    static func configuration(connections: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return configuration
    }

    /// The body of one call.
    func data() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                if let error {
                    continuation.resume(throwing: error)
                } else if (response as? HTTPURLResponse)?.statusCode != 200 {
                    continuation.resume(throwing: Failure("URLSession: the status is not 200"))
                } else {
                    continuation.resume(returning: data ?? Data())
                }
            }.resume()
        }
    }
}
