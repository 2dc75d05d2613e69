// The server of the soak tests: each path is a way in which a peer keeps its client waiting.

import Foundation
import MartletTesting

enum SoakPeer {
    /// `ok` answers, `wait` never does, `body` stops in the middle of one, `endless` does not, `upload` reads no body,
    /// `slow` reads one at 1 MiB a second, `all` reads a whole one and `size/N` sends N bytes.
    static func start() async throws -> TestServer {
        var options = TestServer.Options()
        options.recordedBodyLimit = 0
        return try await TestServer.start(options) { connection in
            while true {
                let request = try await connection.readHead()
                switch request.path {
                case "/ok": try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                case "/body":
                    try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                    try await connection.send([UInt8](repeating: 0x62, count: 9_000))
                    try await connection.stall()
                case "/endless":
                    try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
                    try await connection.sendRepeating(block, count: .max)
                case "/slow": _ = try await connection.readPaced(bytesPerSecond: 1 << 20)
                case "/all":
                    _ = try await connection.readBody(of: request)
                    try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                case let path where path.hasPrefix("/size/"):
                    let size = Int(path.dropFirst(6)) ?? 0
                    try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    try await connection.sendRepeating(block, count: size / block.count)
                case let path where path.hasPrefix("/strings/"):
                    let blocks = Int(path.dropFirst(9)) ?? 0
                    try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(blocks << 16 + 4)\r\n\r\n[")
                    try await connection.sendRepeating(string, count: blocks)
                    try await connection.send("\"\"]")
                default: try await connection.stall()
                }
            }
        }
    }

    /// An element of a JSON array, as long as a block.
    private static let string = Array("\"\(String(repeating: "b", count: 65_533))\",".utf8)
    private static let block = [UInt8](repeating: 0x62, count: 64 << 10)

    /// A port on which no connection is ever made: nobody accepts, and the queue is full after the first.
    static func startHung() async throws -> TestServer {
        var options = TestServer.Options()
        options.accepts = false
        options.backlog = 0
        return try await TestServer.start(options) { _ in }
    }

    /// A server that accepts, and never answers a TLS handshake.
    static func startSilentTLS() async throws -> TestServer {
        var options = TestServer.Options()
        options.tls = try .testCertificate()
        options.tls?.handshake = .never
        return try await TestServer.start(options) { _ in }
    }
}
