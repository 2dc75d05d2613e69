// All faults at once, over few connections and with calls cancelled in between: whatever happens to one call, no other gets a byte
// of it, and each ends in its own answer or in an error that its own peer has earned.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Faults all at once", .timeLimit(.minutes(5))) struct ChaosTests {
    /// What the server does with a request; the path says which.
    enum Fault: Int, CaseIterable, Sendable {
        case none, chunked, pieces, informational, closing, surplus, lateClose, noBody
        case truncated, cutChunk, closedBefore, resetBefore, resetWithin, garbage, badLength, drop

        /// What the call may come to; empty when it has to succeed.
        var codes: [MartletError.Code] {
            switch self {
            case .none, .chunked, .pieces, .informational, .closing, .surplus, .lateClose, .noBody: []
            case .truncated, .cutChunk: [.bodyTruncated]
            case .resetWithin: [.bodyTruncated, .connectionClosed]
            case .closedBefore, .resetBefore, .drop: [.connectionClosed]
            case .garbage, .badLength: [.invalidResponse]
            }
        }
    }

    private static func body(_ path: String) -> String { String(repeating: path + " ", count: 40) }

    private static func answer(_ path: String, _ fault: Fault, on connection: TestConnection) async throws {
        let body = body(path)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        switch fault {
        case .none: try await connection.send(head + body)
        case .chunked:
            let parts = [Data(body.utf8.prefix(7)), Data(body.utf8.dropFirst(7))]
            try await connection.respond(.init(body: .chunked(parts)))
        case .pieces: try await connection.sendPaced(Array((head + body).utf8), every: .zero, size: 11)
        case .informational: try await connection.respond(.text(body).informational(103))
        case .closing: try await connection.respond(.text(body).closing())
        case .surplus: try await connection.send(head + body + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
        case .lateClose:
            try await connection.send(head + body)
            connection.close()
        case .noBody: try await connection.respond(.status(204))
        case .truncated:
            try await connection.send(head + body.dropLast())
            connection.close()
        case .cutChunk:
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n\(body.prefix(20))")
            connection.close()
        case .closedBefore, .drop: connection.close()
        case .resetBefore: connection.reset()
        case .resetWithin:
            try await connection.send(head + body.prefix(20))
            connection.reset()
        case .garbage: try await connection.send("garbage\r\n\r\n" + head + body)
        case .badLength: try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n" + head + body)
        }
    }

    private static let peer = Peer.connection { connection in
        while !connection.isClosed {
            let request = try await connection.readRequest()
            let number = request.path.split(separator: "/").first.flatMap { Int($0) } ?? 0
            try await answer(request.path, Fault(rawValue: number) ?? .none, on: connection)
        }
    }

    @Test(arguments: [1, 3, 16]) func eachCallEndsInItsOwnAnswerOrInAnErrorOfItsOwn(_ width: Int) async throws {
        try await withPeer(Self.peer, client: { $0.pool.connectionsPerHost = width }) { client, _ in
            await withTaskGroup { group in
                for index in 0..<320 {
                    let fault = Fault.allCases[(index * 7) % Fault.allCases.count]
                    let path = "/\(fault.rawValue)/\(index)"
                    let isPost = index.isMultiple(of: 5)
                    let isCancelled = index % 11 == 3
                    group.addTask {
                        let call = Task { try await client.request(isPost ? .post : .get, path).response() }
                        if isCancelled {
                            for _ in 0..<(index % 40) { await Task.yield() }
                            call.cancel()
                        }
                        Self.check(await call.result, path, fault, isPost: isPost, isCancelled: isCancelled)
                    }
                }
            }
            let ledger = await client.ledger
            #expect(ledger.exchanges == 0 && ledger.waiters == 0)
            #expect(ledger.connections == ledger.idleConnections && ledger.connections <= width)
        }
    }

    private static func check(
        _ result: Result<Response<Data>, any Error>, _ path: String, _ fault: Fault, isPost: Bool, isCancelled: Bool
    ) {
        switch result {
        case .success(let response):
            #expect(fault.codes.isEmpty, "\(path)")
            #expect(response.body == (fault == .noBody ? Data() : Data(body(path).utf8)), "\(path)")
        case .failure(let error as MartletError):
            // A POST may be caught by a connection that another call's fault is about to close, and is not repeated then.
            let isCaught = isPost && error.code == .connectionClosed && error.reusedConnection
            #expect(fault.codes.contains(error.code) || isCaught, "\(path): \(error)")
        case .failure(let error):
            #expect(isCancelled && error is CancellationError, "\(path): \(error)")
        }
    }
}
