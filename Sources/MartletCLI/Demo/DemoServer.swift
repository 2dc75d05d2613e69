// The server that the tour of `demo` talks to: a `TestServer`, in this process and on loopback.

import Foundation
import MartletTesting

/// What the demo's server answers.
enum DemoServer {
    /// The bytes of `/blob`.
    static let blobBytes = 256 << 20

    /// The lines of `/log`, one every `lineInterval`.
    static let log = ["the nest is empty", "wings out", "airborne", "still airborne", "it never lands"]
    static let lineInterval = Duration.milliseconds(80)

    static let user = DemoTour.User(id: 1, name: "Ada Lovelace", languages: ["English", "French"])

    /// Starts it.
    static func start() async throws(TestServerError) -> TestServer {
        // Large, and sent again and again, so that the server costs little beside the client.
        let block = [UInt8](repeating: UInt8(ascii: "m"), count: 1 << 20)
        return try await TestServer.start { connection in
            while true {
                let request = try await connection.readRequest()
                try await answer(request, on: connection, block: block)
            }
        }
    }

    private static func answer(
        _ request: RecordedRequest, on connection: TestConnection, block: [UInt8]
    ) async throws {
        switch (request.method, request.path) {
        case ("GET", "/users/1"):
            try await connection.respond(.json(user))
        case ("POST", "/echo"):
            try await connection.respond(.data(request.body, type: request["Content-Type"] ?? "text/plain"))
        case ("GET", "/blob"):
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(blobBytes)\r\n\r\n")
            try await connection.sendRepeating(block, count: blobBytes / block.count)
        case ("GET", "/endless"):
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Int.max)\r\n\r\n")
            try await connection.sendRepeating(block, count: .max)
        case ("GET", "/log"):
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for line in log {
                try await connection.pause(lineInterval)
                try await connection.sendChunk(line + "\n")
            }
            try await connection.sendLastChunk()
        case ("GET", "/silent"):
            try await connection.stall()
        default:
            try await connection.respond(.notFound)
        }
    }
}
