// A server that takes leave again and again under load: what it has not processed goes again, and nothing is processed twice.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("HTTP/2: a server that takes leave", .timeLimit(.minutes(5)))
struct HTTP2RestartTests {
    /// GOAWAY is a promise about every request, so that not even those that are not idempotent may fail.
    @Test(arguments: [HTTPMethod.get, .post])
    func noCallFailsThoughEachConnectionEndsAfterAHundred(_ method: HTTPMethod) async throws {
        let count = Soak.count(1_500, soak: 20_000)
        let peer = Peer.answers { request in
            let answer = TestResponse.text(request.path)
            return request.indexOnConnection == 99 ? answer.closing() : answer
        }
        var options = TestServer.Options()
        options.recordedBodyLimit = 0
        try await withPeer(peer, server: options, client: { $0.httpVersion = .http2PriorKnowledge }) { client, server in
            let again = Counter()
            try await withThrowingTaskGroup { group in
                for lane in 0..<64 {
                    group.addTask {
                        for number in stride(from: lane, to: count, by: 64) {
                            let path = "/\(number)"
                            let call = method == .get ? client.get(path) : client.post(path, data: Data([1]))
                            let response = try await call.response()
                            #expect(response.body == Data(path.utf8))
                            for _ in response.attempts { again.increment() }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let paths = server.requests.map(\.path)
            #expect(Set(paths).count == count)
            #expect(paths.count == count, "some were processed twice")
            #expect(server.connectionCount >= count / 170)
            Soak.tell(
                "goaway-\(method.rawValue)",
                ["calls": count, "connections": server.connectionCount, "went again": again.value])
        }
    }
}
