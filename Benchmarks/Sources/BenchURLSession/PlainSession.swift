// URLSession used the fastest way that is safe on Linux: data tasks with a completion handler, resumed by hand. Its async
// methods deadlock when their task is cancelled.

import BenchRuns
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession for one address. It cannot be told to trust a certificate, so there is none over TLS.
final class PlainSession: Sendable {
    private let session: URLSession
    private let request: URLRequest

    init(_ job: Job, connections: Int, posting body: Data? = nil) throws {
        var request = try Self.request(job.url)
        if let body {
            request.httpMethod = "POST"
            request.httpBody = body
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
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

    static func request(_ url: String) throws -> URLRequest {
        guard let url = URL(string: url) else { throw Failure("\(url) is no URL") }
        return URLRequest(url: url)
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
