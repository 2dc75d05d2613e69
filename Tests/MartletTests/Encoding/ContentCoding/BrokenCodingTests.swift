// Coded bodies that are cut, damaged or bombs, and consumers that leave: errors with a type, and nothing left behind.

#if Zlib && SocketTransport && os(Linux)
import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct BrokenCodingTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"

    private static func peer(_ body: Data, encoding: String = "gzip") -> Peer {
        .answers { _ in .data(body, headers: ["Content-Encoding": encoding]) }
    }

    @Test func everyPrefixOfAnAnswerIsTruncated() async throws {
        let coded = Coded.gzip(Coded.text)
        let peer = Peer.answers { request in
            .data(coded.prefix(Int(request.path.dropFirst()) ?? 0), headers: ["Content-Encoding": "gzip"])
        }
        try await withPeer(peer) { client, server in
            for count in 1..<coded.count {
                await expectFailure(.bodyTruncated) { try await client.get("/\(count)").data() }
            }
            let whole = try await client.get("/\(coded.count)").data()
            #expect(whole == Coded.text)
            // The framing was whole each time.
            #expect(server.connectionCount == 1)
        }
    }

    @Test func anErrorNamesTheCallAndTheCoding() async throws {
        try await withPeer(Self.peer(Coded.text, encoding: "deflate")) { client, _ in
            for streams in [false, true] {
                let error = await expectFailure(.invalidContentCoding) {
                    if streams {
                        for try await _ in client.get("/a?secret=1").chunks {}
                        return Data()
                    }
                    return try await client.get("/a?secret=1").data()
                }
                #expect(error?.message.contains("deflate") == true)
                #expect(
                    error?.request?.url.hasSuffix("/a?secret=…") == true || error?.request?.url.contains("1") == true)
                #expect(error?.request?.method == .get)
                #expect(error?.phase == .receiving)
                #expect(error?.mayHaveReachedServer == true)
            }
        }
    }

    @Test func aBodyThatTheConnectionCutsIsTruncatedThere() async throws {
        let coded = Coded.gzip(Coded.text)
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"),
            .sendBytes(Array(coded.dropLast(3))), .close)
        try await withPeer(peer) { client, _ in
            let error = await expectFailure(.bodyTruncated) { try await client.get("/").data() }
            #expect(error?.message.contains("gzip") == false)
        }
    }

    @Test func whatCameBeforeTheDamageStands() async throws {
        let whole = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        let coded = Coded.member(whole, sum: 1)
        try await withPeer(Self.peer(coded)) { client, _ in
            var taken = Data()
            await expectFailure(.invalidContentCoding) {
                for try await chunk in client.get("/").chunks { taken += chunk }
            }
            #expect(taken == whole)
        }
    }

    @Test func aBombEndsTheTransfer() async throws {
        let zeros = Coded.zeros
        let peer = Peer.script(
            .readRequest, .send(Self.head), .sendBytes(zeros.head), .sendRepeating(zeros.mebibyte, count: .max))
        try await withPeer(peer) { client, server in
            var taken = 0
            await expectFailure(.decompressedSizeExceeded) {
                for try await chunk in client.get("/").chunks { taken += chunk.count }
            }
            #expect(taken <= 1 << 20)
            try await server.waitUntilAllClosed()
            try await client.waitUntil { $0 == .init() }
        }
    }

    @Test func aCollectedBombMeetsTheLimitOfCollectedBytes() async throws {
        try await withPeer(Self.peer(Coded.zeros(mebibytes: 20))) { client, _ in
            await expectFailure(.bodyTooLarge) {
                try await client.get("/").maximumBytes(3 << 20).options { $0.contentDecoding.maximumRatio = nil }.data()
            }
            await expectFailure(.decompressedSizeExceeded) {
                try await client.get("/").options {
                    $0.contentDecoding.maximumRatio = nil
                    $0.contentDecoding.maximumBytes = 3 << 20
                }.data()
            }
        }
    }

    // MARK: Leaving

    private static let endless = Peer.connection { connection in
        _ = try await connection.readHead()
        try await connection.send(head)
        // Blocks that are not compressed: they come out as they go in.
        var block: [UInt8] = [0, 0, 0x80, 0xFF, 0x7F]
        block += [UInt8](repeating: 0x61, count: 0x8000 - 1) + [0x0A]
        try await connection.send([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        try await connection.sendRepeating(block, count: .max)
    }

    enum Leaving: CaseIterable, Sendable { case chunks, lines, bytes, body, stream, unread, iterator }

    @Test(arguments: Leaving.allCases) func leavingEndsTheTransfer(_ leaving: Leaving) async throws {
        try await withPeer(Self.endless) { client, server in
            let call = client.get("/")
            switch leaving {
            case .chunks: for try await _ in call.chunks { break }
            case .lines: for try await _ in call.lines { break }
            case .bytes: for try await _ in call.bytes { break }
            case .body: for try await _ in try await call.stream().body { break }
            case .stream: for try await _ in try await call.stream().body.stream { break }
            case .unread: _ = try await call.stream()
            case .iterator:
                let response = try await call.stream()
                do {
                    var iterator = response.body.makeAsyncIterator()
                    _ = try await iterator.next()
                }
                // The body itself is still held.
                try await server.waitUntilAllClosed()
                withExtendedLifetime(response) {}
            }
            try await server.waitUntilAllClosed()
            try await client.waitUntil { $0 == .init() }
        }
    }

    @Test func aSecondIterationIsRefused() async throws {
        try await withPeer(Self.peer(Coded.gzip(Coded.text))) { client, _ in
            let body = try await client.get("/").stream().body
            #expect(try await body.collect() == Coded.text)
            await expectFailure(.bodyAlreadyConsumed) { try await body.collect() }
        }
    }

    @Test func cancellingEndsTheTransferThoughThereIsMoreToDecode() async throws {
        try await withPeer(Self.endless) { client, server in
            let task = Task {
                var iterator = client.get("/").chunks.makeAsyncIterator()
                _ = try await iterator.next()
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await iterator.next()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            try await client.waitUntil { $0 == .init() }
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aConsumerThatHoldsBackHoldsTheServerBack() async throws {
        let sent = Counter()
        let peer = Peer.connection { connection in
            _ = try await connection.readHead()
            try await connection.send(Self.head)
            try await connection.send([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
            let block = [0, 0, 0x80, 0xFF, 0x7F] + [UInt8](repeating: 0x61, count: 0x8000)
            while true {
                try await connection.sendRepeating(block, count: 32)
                sent.increment()
            }
        }
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").stream()
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() != nil)
            try await client.waitUntilHeldBack()
            // The system's buffers on both sides and Martlet's own mark are below that many MiB.
            #expect(sent.value < 64)
        }
    }

    /// Pieces as they are flushed, not when a buffer is full: a feed in a coding is still a feed.
    @Test func whatIsFlushedIsGivenAtOnce() async throws {
        let gate = TestSignal()
        let block: [UInt8] = [0, 6, 0, 0xF9, 0xFF] + Array("first\n".utf8)
        let last: [UInt8] = [1, 7, 0, 0xF8, 0xFF] + Array("second\n".utf8)
        let peer = Peer.script(
            .readRequest, .send(Self.head.replacingOccurrences(of: "gzip", with: "deflate")), .sendBytes(block),
            .wait(for: gate), .sendBytes(last), .close)
        try await withPeer(peer) { client, _ in
            var lines = client.get("/").lines.makeAsyncIterator()
            let first = try await lines.next()
            #expect(first == "first")
            gate.fire()
            #expect(try await lines.next() == "second")
            #expect(try await lines.next() == nil)
        }
    }
}
#endif
