// Row 61 of the hostile peers, where the slow or careless side is the consumer: it holds the sender back, and whatever way it goes
// away ends the transfer.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 61: consumers", .timeLimit(.minutes(5))) struct ConsumerTests {
    private static let endless = Peer.script(
        .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeating(Array("0123456789abcdef".utf8), count: .max))

    @Test func aSlowConsumerHoldsTheSenderBack() async throws {
        let sent = Counter()
        let peer = Peer.connection { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
            let block = [UInt8](repeating: 0x61, count: 65_536)
            while true {
                try await connection.send(block)
                sent.increment()
            }
        }
        var options = TestServer.Options()
        options.sendBufferBytes = 65_536
        try await withPeer(peer, server: options) { client, server in
            let response = try await client.get("/").stream()
            try await client.waitUntilHeldBack()
            // 64 blocks are 4 MiB: the system's buffers on both sides and Martlet's mark are below that.
            #expect(sent.value < 64)
            withExtendedLifetime(response) {}
            _ = consume response
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aBodyThatIsDroppedUnreadEndsTheTransfer() async throws {
        try await withPeer(Self.endless) { client, server in
            do {
                let response = try await client.get("/").stream()
                #expect(response.status == 200)
            }
            try await server.waitUntilAllClosed()
            try await client.waitUntil { $0 == .init() }
        }
    }

    @Test func anIteratorThatIsDroppedEndsTheTransfer() async throws {
        try await withPeer(Self.endless) { client, server in
            do {
                let body = try await client.get("/").stream().body
                var iterator = body.makeAsyncIterator()
                #expect(try await iterator.next()?.isEmpty == false)
            }
            try await server.waitUntilAllClosed()
            try await client.waitUntil { $0 == .init() }
        }
    }

    @Test func anIteratorEndsTheTransferEvenWhileTheBodyIsHeld() async throws {
        try await withPeer(Self.endless) { client, server in
            let response = try await client.get("/").stream()
            do {
                var iterator = response.body.makeAsyncIterator()
                #expect(try await iterator.next()?.isEmpty == false)
            }
            try await server.waitUntilAllClosed()
            withExtendedLifetime(response) {}
        }
    }

    enum Leaving: CaseIterable, Sendable { case chunks, lines, bytes, body, stream }

    @Test(arguments: Leaving.allCases) func leavingALoopEndsTheTransfer(_ leaving: Leaving) async throws {
        let lines = Array("a line\n".utf8)
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendRepeating(lines, count: .max))
        try await withPeer(peer) { client, server in
            let call = client.get("/")
            switch leaving {
            case .chunks: for try await _ in call.chunks { break }
            case .lines: for try await line in call.lines where line == "a line" { break }
            case .bytes: for try await byte in call.bytes where byte == 10 { break }
            case .body: for try await _ in try await call.stream().body { break }
            case .stream: for try await _ in try await call.stream().body.stream { break }
            }
            try await server.waitUntilAllClosed()
            try await client.waitUntil { $0 == .init() }
        }
    }

    @Test func anErrorInTheLoopEndsTheTransfer() async throws {
        struct Refusal: Error {}
        try await withPeer(Self.endless) { client, server in
            await #expect(throws: Refusal.self) {
                for try await _ in client.get("/").chunks { throw Refusal() }
            }
            try await server.waitUntilAllClosed()
        }
    }

    @Test(arguments: Wire.allCases) func aSecondIterationIsATypedError(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("whole") }, over: wire) { client, _ in
            let body = try await client.get("/").stream().body
            let whole = try await body.collect()
            #expect(whole == Data("whole".utf8))
            await expectFailure(.bodyAlreadyConsumed) { try await body.collect() }
            await expectFailure(.bodyAlreadyConsumed) { for try await _ in body {} }
            await expectFailure(.bodyAlreadyConsumed) { for try await _ in body.lines {} }
        }
    }

    @Test(arguments: Wire.allCases) func aSecondIteratorDisturbsNotTheFirst(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .init(body: .chunked([Data("a".utf8), Data("b".utf8)])) }, over: wire) {
            client, _ in
            let body = try await client.get("/").stream().body
            var first = body.makeAsyncIterator()
            var whole = try await first.next() ?? Data()
            await expectFailure(.bodyAlreadyConsumed) {
                var second = body.makeAsyncIterator()
                return try await second.next()
            }
            while let chunk = try await first.next() { whole.append(chunk) }
            #expect(whole == Data("ab".utf8))
        }
    }

    @Test(arguments: Wire.allCases) func anIteratorAsksNoMoreAfterTheEnd(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .init(body: .chunked([Data("a".utf8)])) }, over: wire) { client, _ in
            var iterator = client.get("/").chunks.makeAsyncIterator()
            while try await iterator.next() != nil {}
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test(arguments: Wire.allCases) func awaitingTwoTerminalsSendsTwice(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("x") }, over: wire) { client, server in
            let call = client.get("/")
            _ = try await call.data()
            _ = try await call.data()
            for try await _ in call.chunks {}
            for try await _ in call.chunks {}
            #expect(server.requests.count == 4)
        }
    }

    @Test(arguments: Wire.allCases) func aCallThatNobodyAwaitsIsNotSent(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .text("x") }, over: wire) { client, server in
            _ = client.get("/")
            _ = client.get("/").chunks.makeAsyncIterator()
            #expect(server.connectionCount == 0)
        }
    }

    @Test func theLimitOfCollectedBodiesEndsTheTransfer() async throws {
        try await withPeer(Self.endless) { client, server in
            let error = await expectFailure(.bodyTooLarge) { try await client.get("/").maximumBytes(1 << 20).data() }
            #expect(error?.message.contains("1048576") == true)
            try await server.waitUntilAllClosed()
        }
    }

    @Test(arguments: [true, false]) func theLimitOfCollectedBodiesIsExact(_ isChunked: Bool) async throws {
        let body = Data(repeating: 0x61, count: 1_000)
        try await withPeer(.answers { _ in .init(body: isChunked ? .chunked([body]) : .data(body)) }) { client, _ in
            let whole = try await client.get("/").maximumBytes(1_000).data()
            #expect(whole == body)
            await expectFailure(.bodyTooLarge) { try await client.get("/").maximumBytes(999).data() }
        }
    }

    @Test func streamedBodiesHaveNoLimit() async throws {
        let size = 3 << 20
        try await withPeer(.answers { _ in .data(Data(repeating: 0x61, count: size)) }) { client, _ in
            var received = 0
            for try await chunk in client.get("/").maximumBytes(10).chunks { received += chunk.count }
            #expect(received == size)
        }
    }
}
