// The stops of the tour. Each does what its line of code says, and throws when the outcome is not the promised one.

import Foundation
import Martlet
import MartletTesting

/// What a stop of the tour found, which it should not have.
struct DemoSurprise: Error, CustomStringConvertible {
    let description: String
}

/// The tour of `demo`.
struct DemoTour: Sendable {
    struct User: Codable, Hashable, Sendable {
        var id: Int
        var name: String
        var languages: [String]
    }

    /// A stop: a title, the code that a user would write, and what it does, which returns what came of it.
    struct Stop: Sendable {
        let title: String
        let code: String
        let visit: @Sendable (DemoTour) async throws -> String
    }

    static let stops: [Stop] = [
        Stop(
            title: "JSON, decoded",
            code: #"let user: User = try await client.get("/users/1").json()"#
        ) { try await $0.decode() },
        Stop(
            title: "A value posted as JSON, and echoed",
            code: #"let echo: User = try await client.post("/echo", json: user).json()"#
        ) { try await $0.echo() },
        Stop(
            title: "\(Figures.bytes(DemoServer.blobBytes)), streamed",
            code: #"for try await chunk in client.get("/blob").chunks { count += chunk.count }"#
        ) { try await $0.download() },
        Stop(
            title: "Lines, as the server writes them",
            code: #"for try await line in client.get("/log").lines { print(line) }"#
        ) { try await $0.lines() },
        Stop(
            title: "An endless stream, cancelled",
            code: #"Task { for try await chunk in client.get("/endless").chunks { … } }.cancel()"#
        ) { try await $0.cancel() },
        Stop(
            title: "A server that never answers",
            code: #"try await client.get("/silent").timeout(.milliseconds(300)).data()"#
        ) { try await $0.timeout() },
        Stop(
            title: "A port where nobody listens",
            code: #"try await client.get("http://127.0.0.1:…").data()"#
        ) { try await $0.refused() },
    ]

    let client: MartletClient
    let server: TestServer
    /// A port on which nothing listens.
    let closedURL: String
    let screen: Screen

    private func decode() async throws -> String {
        let user: User = try await client.get("/users/1").json()
        guard user == DemoServer.user else { throw DemoSurprise(description: "It came as \(user).") }
        return "\(user)"
    }

    private func echo() async throws -> String {
        let user = User(id: 2, name: "Grace Hopper", languages: ["COBOL"])
        let response = try await client.post("/echo", json: user).response()
        let echo = try JSONDecoder().decode(User.self, from: response.body)
        guard echo == user else { throw DemoSurprise(description: "It came back as \(echo).") }
        let connection = response.metrics.reusedConnection ? "on the same connection" : "on a new connection"
        return "\(echo), \(connection)"
    }

    private func lines() async throws -> String {
        let start = ContinuousClock.now
        var lines: [String] = []
        for try await line in client.get("/log").lines {
            lines.append(line)
            let time = Figures.time(.now - start).rightAligned(to: 8)
            try screen.print("     \(screen.styled(time, .faint))  \(line)")
        }
        guard lines == DemoServer.log else { throw DemoSurprise(description: "The lines came as \(lines).") }
        return "\(lines.count) lines, each printed when it came"
    }

    private func cancel() async throws -> String {
        let enough = TestSignal()
        let counter = Lock(0)
        let reader = Task { [client] in
            defer { enough.fire() }
            for try await chunk in client.get("/endless").chunks {
                if counter.withLock({ count in
                    count += chunk.count; return count
                }) >= 32 << 20 {
                    enough.fire()
                }
            }
        }
        await enough.wait()
        let start = ContinuousClock.now
        reader.cancel()
        let result = await reader.result
        let time = ContinuousClock.now - start
        try Task.checkCancellation()
        guard case .failure(let error) = result, error is CancellationError else {
            throw DemoSurprise(description: "It ended with \(result) in place of a CancellationError.")
        }
        let count = Figures.bytes(counter.withLock { $0 })
        return "CancellationError after \(count), and the connection closed, \(Figures.time(time)) after the cancel"
    }

    private func timeout() async throws -> String {
        try await failure(.deadlineExceeded) {
            try await client.get("/silent").timeout(.milliseconds(300)).data()
        }
    }

    private func refused() async throws -> String {
        try await failure(.connectionRefused) { try await client.get(closedURL).data() }
    }

    /// The text of the error with which a call must fail.
    private func failure(_ code: MartletError.Code, of call: () async throws -> Data) async throws -> String {
        do {
            let data = try await call()
            throw DemoSurprise(description: "It succeeded, with \(Figures.bytes(data.count)).")
        } catch let error as MartletError {
            guard error.code == code else { throw error }
            return "\(error.code): \(error)"
        }
    }
}
