// Every way in which a call can be given up: afterwards the engine's books hold nothing of it, before any shutdown.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct AbandonedCallTests {
    enum Way: CaseIterable, Sendable {
        case neverIterated, iteratorDropped, loopLeft, streamDropped, cancelledWaiting, cancelledInBody
        case cancelledFromInside, deadline, idleTimeout, uploadThrows, uploadNeverEnds, answeredEarly, bodyTooLarge
        case lineTooLong, bodyCut, refused, badStatus, undecodable, groupFailed
    }

    @Test(.timeLimit(.minutes(5)), arguments: Way.allCases) func abandonedCallLeavesNothing(_ way: Way) async throws {
        let server = try await SoakPeer.start()
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = server.baseURL
        // So that a call which only a timeout would end is found by the time limit.
        configuration.defaults.options.timeouts.idle = .seconds(3_600)
        let client = MartletClient(configuration)
        do {
            try await Self.abandon(way, client, server)
        } catch is MartletError {
        } catch is CancellationError {
        } catch is Broken {
        }
        // Soon, and not at once: the loop's own thread may be the last to let go of a response.
        try await client.waitUntil { books in
            let isQuiet = books.exchanges == 0 && books.waiters == 0 && books.timers == min(1, books.idleConnections)
            return isQuiet && books.connections == books.idleConnections && books.sockets == books.idleConnections
        }
        await expectNothingLeft(of: client)
        await server.stop()
    }

    private struct Broken: Error {}

    private static func abandon(_ way: Way, _ client: MartletClient, _ server: TestServer) async throws {
        switch way {
        case .neverIterated: _ = try await client.get("/endless").stream()
        case .iteratorDropped:
            var iterator = try await client.get("/endless").stream().body.makeAsyncIterator()
            _ = try await iterator.next()
        case .loopLeft: for try await _ in client.get("/endless").chunks { break }
        case .streamDropped: for try await _ in try await client.get("/endless").stream().body.stream { break }
        case .cancelledWaiting:
            let call = Task { try await client.get("/wait").data() }
            try await server.waitForRequests(1, timeout: .seconds(60))
            call.cancel()
            _ = try await call.value
        case .cancelledInBody:
            let call = Task { try await client.get("/body").data() }
            try await server.waitForRequests(1, timeout: .seconds(60))
            // At the head, or in the body: both are past the request.
            call.cancel()
            _ = try await call.value
        case .cancelledFromInside:
            try await Task {
                for try await _ in client.get("/endless").chunks { withUnsafeCurrentTask { $0?.cancel() } }
            }.value
        case .deadline: _ = try await client.get("/body").timeout(.milliseconds(50)).data()
        case .idleTimeout: _ = try await client.get("/wait").timeout(idle: .milliseconds(50)).data()
        case .uploadThrows:
            let chunks = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data([1]))
                continuation.finish(throwing: Broken())
            }
            try await client.post("/upload", stream: chunks).discard()
        case .uploadNeverEnds:
            let chunks = AsyncStream<Data> { $0.yield(Data([1])) }
            try await client.post("/upload", stream: chunks).timeout(.milliseconds(50)).discard()
        case .answeredEarly:
            _ = try await client.post("/body", data: Data(count: 8 << 20)).maximumBytes(10).data()
        case .bodyTooLarge: _ = try await client.get("/endless").maximumBytes(1_000).data()
        case .lineTooLong: for try await _ in client.get("/endless").lines {}
        case .bodyCut: try await cutBody(client, server)
        case .refused:
            await server.stop()
            try await client.get("/ok").discard()
        case .badStatus: try await client.get("/ok").accepting(.only(.notFound)).discard()
        case .undecodable: _ = try await client.get("/ok").json(as: [Int].self)
        case .groupFailed:
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await client.get("/body").discard() } }
                group.addTask { throw Broken() }
                while try await group.next() != nil {}
            }
        }
    }

    private static func cutBody(_ client: MartletClient, _ server: TestServer) async throws {
        for try await _ in client.get("/body").chunks { server.resetConnections() }
    }
}
#endif
