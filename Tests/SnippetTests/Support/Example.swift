// The world that documents speak of, played on loopback so that their code can be run: the server that they call
// api.example.com, and what stands around the code that they show.

import Foundation
import Martlet
import MartletTesting
import Synchronization
import Testing

/// A user, as the documents have one.
struct User: Codable, Sendable {
    var name: String
}

/// Where documents write chunks to.
final class Sink: Sendable {
    private let total = Atomic(0)

    /// How many bytes have been written.
    var count: Int { total.load(ordering: .relaxed) }

    func write(_ chunk: Data) { total.add(chunk.count, ordering: .relaxed) }
}

/// What documents print, kept for the test to look at instead of being printed.
enum Printed {
    @TaskLocal static var sink: (@Sendable (String) -> Void)?

    /// Runs `body` and returns the lines that it has printed.
    nonisolated(nonsending) static func lines(
        by body: nonisolated(nonsending) () async throws -> Void
    ) async rethrows -> [String] {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        try await $sink.withValue({ continuation.yield($0) }) { try await body() }
        continuation.finish()
        return await lines.reduce(into: []) { $0.append($1) }
    }
}

/// Stands in for the standard library's, in whose form it must therefore be, so that tests print nothing.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    Printed.sink?(items.map { "\($0)" }.joined(separator: separator))
}

/// Plays api.example.com.
enum Example {
    static let log = "info: started\nerror: disk full\ninfo: stopped\n"
    static let export = "name,year\nAda,1815\nGrace,1906\n"

    /// Runs `body` with the server, whose handlers must not fail.
    nonisolated(nonsending) static func run(
        _ body: nonisolated(nonsending) (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.serving {
            try answer($0)
        } run: { server in
            try await body(server)
            // A client that breaks off on purpose is not a failure of the server's.
            #expect(server.failures.allSatisfy { $0 is TestServerError }, "\(server.failures)")
        }
    }

    private static func answer(_ request: RecordedRequest) throws -> TestResponse {
        switch (request.method, request.path) {
        case ("GET", "/users/1"), ("GET", "/v1/users/1"), ("GET", "/user"): .json(User(name: "Ada"))
        case ("GET", "/user.json"): .json(#"{"name": "Ada", "languages": ["English", "French"]}"#)
        case ("GET", "/users"): .json([User(name: "Ada"), User(name: "Grace")])
        case ("POST", "/users"): .json(try request.json(as: User.self), status: 201)
        case ("PUT", "/users/1/photo"), ("PUT", "/users/1/name"), ("DELETE", "/users"), ("DELETE", "/users/7"):
            .status(204)
        case ("POST", "/import"), ("PUT", "/backup.csv"): .status(201)
        case ("GET", "/report"): .json(#"{"totals": {"pages": 3}, "by-country": [{"name": "Norway"}]}"#)
        case ("GET", "/search"): .json(#"{"items": [{"title": "Swift"}, {"title": "Martlet"}]}"#)
        case ("GET", "/status"): .text("fine")
        case ("GET", "/export.csv"): .data(Data(export.utf8), type: "text/csv")
        case ("GET", "/log"): .text(log)
        case ("POST", "/v1/chat"): .data(Data("data: A martlet.\n\n".utf8), type: "text/event-stream")
        case ("GET", "/slow"):
            TestResponse(
                status: 200,
                body: .stream { send in
                    try await send(Data("slow".utf8))
                    await TestSignal().wait()
                })
        default: .text("no \(request.method) \(request.path) here", status: 404)
        }
    }
}
