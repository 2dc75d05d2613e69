import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: RealServers.hasNginx), .timeLimit(.minutes(5)))
struct NginxTests {
    @Test func smallFileIsCollected() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let response = try await client.get("/small").response()
            #expect(response.status == .ok)
            #expect(response.body.count == 100)
            #expect(response.headers.contentLength == 100)
            #expect(response.headers["server"]?.hasPrefix("nginx") == true)
            #expect(response.metrics.protocolName == "http/1.1")
        }
    }

    @Test func largeFileIsStreamedWhole() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            var count = 0
            for try await chunk in client.get("/64m").chunks { count += chunk.count }
            #expect(count == 64 << 20)
        }
    }

    @Test func sameBytesComeTwice() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let first = try await client.get("/1m").data()
            let second = try await client.get("/1m").stream().body.collect()
            #expect(first.count == 1 << 20)
            #expect(first == second)
        }
    }

    @Test func connectionIsKeptAndUsedAgain() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let first = try await client.get("/small").response()
            #expect(!first.metrics.reusedConnection)
            for _ in 0..<200 {
                let next = try await client.get("/small").response()
                #expect(next.metrics.reusedConnection)
                #expect(next.metrics.localAddress == first.metrics.localAddress)
            }
        }
    }

    @Test func manyCallsAtOnceEachGetTheirOwn() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let expected = [try await client.get("/small").data().count, try await client.get("/1m").data().count]
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<300 {
                    group.addTask {
                        let count = try await client.get(index % 10 == 0 ? "/1m" : "/small").data().count
                        return count == expected[index % 10 == 0 ? 1 : 0]
                    }
                }
                for try await isExpected in group { #expect(isExpected) }
            }
        }
    }

    @Test func headHasNoBodyAndKeepsTheConnection() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let head = try await client.head("/1m").response()
            #expect(head.status == .ok)
            #expect(head.headers.contentLength == 1 << 20)
            #expect(head.body.isEmpty)
            #expect(try await client.get("/small").response().metrics.reusedConnection)
        }
    }

    @Test func rangeIsAnswered() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let whole = try await client.get("/1m").data()
            let part = try await client.get("/1m").header("Range", "bytes=1000-1999").response()
            #expect(part.status == .partialContent)
            #expect(part.body == whole[1000..<2000])
        }
    }

    @Test func unmodifiedFileIsNotSentAgain() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let tag = try await client.get("/small").response().headers["etag"]
            let again = try await client.get("/small").header("If-None-Match", tag).response()
            #expect(again.status == .notModified)
            #expect(again.body.isEmpty)
            #expect(try await client.get("/small").response().metrics.reusedConnection)
        }
    }

    @Test func missingFileIsAnErrorWithTheServersPage() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let error = try await #require(throws: MartletError.self) { try await client.get("/missing").data() }
            #expect(error.code == .unacceptableStatus)
            #expect(error.response?.head.status == .notFound)
            let page = error.response.map { String(decoding: $0.bodyPrefix, as: UTF8.self) }
            #expect(page?.contains("404 Not Found") == true)
            #expect(try await client.get("/missing").response().status == .notFound)
        }
    }

    @Test func unreadUploadIsAnsweredAndTheNextCallGoesOn() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let refused = try await client.post("/small", data: Data(count: 4 << 20)).response()
            #expect(refused.status == .methodNotAllowed)
            #expect(try await client.get("/small").data().count == 100)
        }
    }

    @Test func bodyLeftEarlyDoesNotDisturbTheNextCall() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            for try await _ in client.get("/64m").chunks { break }
            #expect(try await client.get("/small").data().count == 100)
        }
    }

    @Test func slowBodyIsCancelled() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let (started, signal) = AsyncStream<Void>.makeStream()
            let reading = Task {
                for try await _ in client.get("/slow").chunks { signal.yield() }
            }
            for await _ in started { break }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            let data = try await client.get("/small").data()
            #expect(data.count == 100)
        }
    }

    @Test func slowBodyMeetsItsDeadline() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let error = try await #require(throws: MartletError.self) {
                try await client.get("/slow").timeout(.milliseconds(500)).discard()
            }
            #expect(error.code == .deadlineExceeded)
            #expect(error.phase == .receiving)
        }
    }
}
