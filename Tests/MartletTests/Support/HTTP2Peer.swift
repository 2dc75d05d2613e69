// Peers that speak HTTP/2 by script, in plain text unless a test wants TLS, and what came of a call in one line.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension Peer {
    /// Takes a client's preface, reads a request, sends the frames; from then on, and on later connections, answers with "next".
    static func frames(_ frames: [HTTP2Frame], settings: HTTP2Frame = .settings()) -> Peer {
        .connection { connection in
            try await connection.acceptHTTP2(settings)
            if connection.number == 0 {
                try await connection.readHTTP2Request()
                try await connection.send(frames)
            }
            try await connection.answerHTTP2 { _ in "next" }
        }
    }

    /// Takes a client's preface, then runs the code.
    static func http2(
        _ settings: HTTP2Frame = .settings(), _ handler: @escaping @Sendable (TestConnection) async throws -> Void
    ) -> Peer {
        .connection { connection in
            try await connection.acceptHTTP2(settings)
            try await handler(connection)
        }
    }
}

extension TestConnection {
    /// Answers requests one after the other with a text, until the client leaves.
    func answerHTTP2(_ text: (RecordedRequest) -> String) throws {
        while true {
            let request = try readHTTP2Request()
            try send(
                .headers(request.stream ?? 1, [":status": "200"]), .data(request.stream ?? 1, text(request), ends: true)
            )
        }
    }

    /// Answers requests, the number of them given.
    func answerHTTP2(count: Int, _ text: String = "next") throws {
        for _ in 0..<count {
            let stream = try readHTTP2Request().stream ?? 1
            try send(.headers(stream, [":status": "200"]), .data(stream, text, ends: true))
        }
    }
}

/// `withPeer` for a client that speaks HTTP/2 without asking.
@discardableResult
nonisolated(nonsending) func withHTTP2Peer<Result>(
    _ peer: Peer, client change: (inout ClientConfiguration) -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation,
    run body: nonisolated(nonsending) (MartletClient, TestServer) async throws -> Result
) async throws -> Result {
    try await withPeer(
        peer,
        client: {
            $0.httpVersion = .http2PriorKnowledge
            change(&$0)
        }, sourceLocation: sourceLocation, run: body)
}

extension MartletClient {
    /// What comes of a call: `200 "body" t(names)`, with what had come before an error and the error's code.
    nonisolated(nonsending) func outcome(_ path: String = "/") async -> String {
        var words: [String] = []
        do {
            let response = try await get(path).stream()
            words.append(String(response.status.code))
            var bytes = Data()
            do {
                for try await chunk in response.body { bytes.append(chunk) }
                words.append("\"\(String(decoding: bytes, as: UTF8.self))\"")
            } catch {
                words.append("\"\(String(decoding: bytes, as: UTF8.self))\"")
                throw error
            }
            if let trailers = response.body.trailers { words.append("t(\(trailers.names.joined(separator: ",")))") }
        } catch let error as MartletError {
            words.append(error.code.name)
        } catch {
            words.append("\(error)")
        }
        return words.joined(separator: " ")
    }
}
