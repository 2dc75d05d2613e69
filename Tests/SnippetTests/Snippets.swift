// What README and Docs show, compiled but never run. `SnippetTests` holds the documents to it.

import Foundation
import Martlet

private struct User: Codable {
    var name: String
}

private struct Sink {
    func write(_ chunk: Data) {}
}

private func firstScreen(draft: User, sink: Sink) async throws {
    // snippet
    let client = MartletClient(baseURL: "https://api.example.com")

    let user: User = try await client.get("/users/1").json()
    let made: User = try await client.post("/users", json: draft).json()

    for try await chunk in client.get("/export.csv").chunks { sink.write(chunk) }
    for try await line in client.get("/log").lines { print(line) }
    // end
    _ = (user, made)
}

private func landingPage() async throws {
    // snippet
    let client = MartletClient(baseURL: "https://api.example.com")

    let user: User = try await client.get("/users/1").json()
    for try await line in client.get("/log").lines { print(line) }
    // end
    _ = user
}

private func untypedValue(client: MartletClient) async throws {
    // snippet
    let report = try await client.get("/report").json()
    print(report.totals?.pages?.int ?? 0, report["by-country"]?[0]?.name?.string ?? "none")
    // end
}

private func unacceptableStatus(client: MartletClient) async throws {
    // snippet
    do {
        let user: User = try await client.get("/users/404").json()
        print(user)
    } catch let error as MartletError where error.code == .unacceptableStatus {
        print(error.response?.head.status ?? 0, error)
    }
    // end
}
