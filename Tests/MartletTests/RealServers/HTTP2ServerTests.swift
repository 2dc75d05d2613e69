// HTTP/2 with servers that others wrote.

import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: !RealServers.http2.isEmpty && RealServers.authority != nil), .timeLimit(.minutes(10)))
struct HTTP2ServerTests {
    @Test(arguments: RealServers.http2)
    func smallCallsShareOneConnection(_ server: String) async throws {
        let count = Soak.count(2_000, soak: 50_000)
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            let connections = Collected<Int?>()
            try await withThrowingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask {
                        for _ in 0..<(count / 64) {
                            let response = try await client.get("/small").response()
                            #expect(response.body.count == 100)
                            #expect(response.metrics.protocolName == "h2")
                            connections.append(response.metrics.connectionID)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(connections.values).count == 1)
            #expect(connections.values.count == count / 64 * 64)
        }
    }

    @Test(arguments: RealServers.http2)
    func everyBodyIsItsOwnThoughSomeAreSlowAndSomeAreDropped(_ server: String) async throws {
        let count = Soak.count(24, soak: 400)
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            let whole = try await client.get("/1m").data()
            #expect(whole.count == 1 << 20)
            try await withThrowingTaskGroup { group in
                for index in 0..<count {
                    group.addTask {
                        var received = Data()
                        for try await chunk in client.get("/1m").chunks {
                            received.append(chunk)
                            if index % 4 == 1 { try await Task.sleep(for: .milliseconds(2)) }
                            if index % 4 == 2, received.count > 100_000 { break }
                        }
                        let isBegin = received == whole.prefix(received.count)
                        #expect(isBegin)
                        if index % 4 != 2 { #expect(received.count == whole.count) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: RealServers.http2)
    func largeFileIsStreamedWhole(_ server: String) async throws {
        try await RealServers.withClient(server, trusting: RealServers.authority) { client in
            var count = 0
            for try await chunk in client.get("/64m").chunks { count += chunk.count }
            #expect(count == 64 << 20)
        }
    }
}
