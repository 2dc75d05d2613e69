// A server that answers 503 to everything, and clients that retry: the budget keeps the load near what it would be without.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
extension SoakTests {
    @Suite struct RetryStorm {
        @Test func aServerInTroubleIsNotMetWithAMultipleOfItsLoad() async throws {
            let calls = Soak.count(1_000, soak: 10_000)
            try await withPeer(.answers { _ in .text("busy", status: 503) }) { client, server in
                let start = ContinuousClock.now
                try await withThrowingTaskGroup { group in
                    for worker in 0..<64 {
                        group.addTask {
                            for _ in stride(from: worker, to: calls, by: 64) {
                                _ = try await client.get("/").retry(.idempotent).response()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let seconds = Int(((ContinuousClock.now - start) / .seconds(1)).rounded(.up))
                let requests = server.requests.count
                // The floor of the budget: ten at once, and ten more each second.
                let floor = 10 * (seconds + 1)
                #expect(requests <= calls * 5 / 4 + floor)
                #expect(requests > calls)
                Soak.tell("retry storm", ["calls": calls, "requests": requests, "floor": floor, "seconds": seconds])
            }
        }
    }
}
#endif
