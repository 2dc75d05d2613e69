// What happens inside what is happening: endings that free places for others, and writes that fail while bytes are read.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct ReentrancyTests {
    /// Each of the waiters is refused at once and frees its place for the next: one inside the other they would be too
    /// deep for any stack.
    @Test func thousandsThatWaitForAServerThatGoesAwayAllFail() async throws {
        let count = Soak.isThreadSanitized ? 2_000 : 10_000
        let server = try await TestServer.start { connection in
            _ = try await connection.readHead()
            try await connection.stall()
        }
        var configuration = ClientConfiguration()
        configuration.pool.connectionsPerHost = 1
        let client = MartletClient(configuration)
        let url = server.url("/")
        let failed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        _ = try await client.get(url).data()
                        return false
                    } catch {
                        return error is MartletError
                    }
                }
            }
            try? await client.waitUntil(atMost: .seconds(60)) { $0.waiters == count - 1 }
            await server.stop()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed == count)
        let ledger = await client.ledger
        #expect(ledger == .init())
        await expectNothingLeft(of: client)
    }

    @Test func registryGoesAwayAfterWaitersHadTheirTurn() async throws {
        let server = try await TestServer.start { connection in try await connection.stall() }
        weak let registry = try await queueAndShutDown(server.url("/"))
        // The last tasks that hold it end in their own time.
        let end = ContinuousClock.now + .seconds(60)
        while registry != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(registry == nil)
        await server.stop()
    }

    /// Makes calls wait for the one connection and fails it, so that the next may connect; the registry as it ends.
    private func queueAndShutDown(_ url: String) async throws -> SessionRegistry? {
        var configuration = ClientConfiguration()
        configuration.pool.connectionsPerHost = 1
        let client = MartletClient(configuration)
        let calls = (0..<3).map { _ in Task { try await client.get(url).data() } }
        try await client.waitUntil(atMost: .seconds(60)) { $0.waiters == 2 }
        for call in calls {
            call.cancel()
            _ = await call.result
        }
        await expectNothingLeft(of: client)
        return client.socketTransport?.registries.first
    }

    /// `100 Continue` and the answer arrive together and the peer is gone: the body cannot be written any more, and that
    /// must not disturb the answer that is being read.
    @Test func answerIsReadThoughTheBodyCannotBeWritten() async throws {
        let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
        let hasRequest = TestSignal()
        let goOn = TestSignal()
        let isReset = TestSignal()
        let peer = Peer.connection { connection in
            _ = try await connection.readHead()
            hasRequest.fire()
            await goOn.wait()
            try await connection.send("HTTP/1.1 100 Continue\r\n\r\n" + answer)
            connection.reset()
            isReset.fire()
        }
        try await withPeer(peer) { client, _ in
            let call = Task {
                try await client.post("/", data: Data(count: 100_000)).expectingContinue(.seconds(10)).response()
            }
            await hasRequest.wait()
            try await client.whileLoopIsBlocked {
                goOn.fire()
                await isReset.wait()
            }
            let response = try await call.value
            #expect(response.status == .forbidden)
            #expect(response.body == Data("no".utf8))
        }
    }
}
#endif
