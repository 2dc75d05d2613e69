// Row 1 of the hostile peers: a body that ends early is never taken for a whole one. RFC 9112, section 8.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Row 1: truncated bodies", .timeLimit(.minutes(5))) struct TruncatedBodyTests {
    static let cases = [
        WireCase("shorter than Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
        WireCase("nothing of Content-Length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"),
        WireCase("one byte missing", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf"),
        WireCase("chunked without final chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
        WireCase("cut inside a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf"),
        WireCase("cut inside a chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n1"),
        WireCase(
            "final chunk without the last line",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n"),
        WireCase(
            "cut inside the trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\nDigest: x\r\n"),
    ]

    @Test(arguments: cases) func collectingThrowsWhenThePeerClosesEarly(_ wire: WireCase) async throws {
        try await withPeer(.says(wire.bytes)) { client, _ in
            let error = await expectFailure(.bodyTruncated) { try await client.get("/").data() }
            #expect(error?.mayHaveReachedServer == true)
            #expect(error?.phase == .receiving)
        }
    }

    @Test(arguments: cases) func whatCameIsDeliveredBeforeTheSequenceThrows(_ wire: WireCase) async throws {
        try await withPeer(.says(wire.bytes)) { client, _ in
            var received = Data()
            await expectFailure(.bodyTruncated) {
                for try await chunk in client.get("/").chunks { received.append(chunk) }
            }
            #expect(received == Data(wire.bytes.contains("half") ? "half".utf8 : "".utf8))
        }
    }

    @Test func aResetInTheMiddleIsATruncation() async throws {
        let taken = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .wait(for: taken), .reset)
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").stream()
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("half".utf8))
            taken.fire()
            let error = await expectFailure(.bodyTruncated) { try await iterator.next() }
            #expect(error?.mayHaveReachedServer == true)
        }
    }

    @Test func aResetOfABodyThatEndsWithTheConnectionIsATruncation() async throws {
        let taken = TestSignal()
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 200 OK\r\n\r\nhalf"), .wait(for: taken), .reset)
        try await withPeer(peer) { client, _ in
            var iterator = try await client.get("/").stream().body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("half".utf8))
            taken.fire()
            await expectFailure(.bodyTruncated) { try await iterator.next() }
        }
    }

    @Test func aTruncatedBodyIsNotFetchedAgain() async throws {
        try await withPeer(.says(Self.cases[0].bytes)) { client, server in
            await expectFailure(.bodyTruncated) { try await client.get("/").data() }
            #expect(server.requests.count == 1)
        }
    }

    @Test func theConnectionIsNotUsedAgain() async throws {
        let peer = Peer.scripts(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close],
            [.readRequest, .respond(.text("whole"))])
        try await withPeer(peer) { client, server in
            await expectFailure(.bodyTruncated) { try await client.get("/").data() }
            try await client.expectText("whole")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func anErrorlessBodyIsComplete() async throws {
        let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n5\r\n-done\r\n0\r\n\r\n"
        try await withPeer(.says(whole)) { client, _ in
            try await client.expectText("half-done")
        }
    }
}
