// Row 18 of the hostile peers: a final response that comes before the request's body is all sent. A refusal ends the upload and
// the connection; a success may go on beside it. RFC 9112, section 9.5.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 18: early responses", .timeLimit(.minutes(5))) struct EarlyResponseTests {
    static let refusals = [
        "401 Unauthorized", "413 Content Too Large", "417 Expectation Failed", "500 Oops", "303 See Other",
    ]

    /// What a server does after it has refused.
    enum Afterwards: CaseIterable, Sendable { case closes, keepsReading, readsNothing }

    private static func refusal(_ status: String, _ afterwards: Afterwards) -> [TestStep] {
        let answer = "HTTP/1.1 \(status)\r\nContent-Length: 7\r\n\r\nrefused"
        let last: TestStep =
            switch afterwards {
            case .closes: .close
            case .keepsReading: .waitForClose
            case .readsNothing: .stall
            }
        // The first bytes of the body are there: the upload has begun.
        return [.readHead, .read(16), .send(answer), last]
    }

    @Test(arguments: refusals, Afterwards.allCases)
    func aRefusalDuringAStreamedUploadIsDelivered(_ status: String, _ afterwards: Afterwards) async throws {
        let body = EndlessChunks()
        try await withPeer(.scripts(Self.refusal(status, afterwards))) { client, server in
            let response = try await client.post("/", stream: body).response()
            #expect(response.status.code == Int(status.prefix(3)))
            #expect(response.body == Data("refused".utf8))
            // The upload is over, and so is the connection, whose peer cannot know where the next request begins.
            try await body.ended.wait(timeout: .seconds(60))
            try await server.waitUntilAllClosed()
            #expect(await client.ledger == .init())
        }
    }

    @Test(arguments: Afterwards.allCases)
    func aRefusalDuringAnUploadFromMemoryIsDelivered(_ afterwards: Afterwards) async throws {
        let body = Data(repeating: 0x61, count: 32 << 20)
        try await withPeer(.scripts(Self.refusal(Self.refusals[1], afterwards))) { client, server in
            let response = try await client.post("/", data: body).response()
            #expect(response.status == 413)
            #expect(response.metrics.bodyBytesSent < body.count)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aRefusalOverTLSIsDelivered() async throws {
        let body = EndlessChunks()
        try await withPeer(.scripts(Self.refusal(Self.refusals[1], .keepsReading)), server: .tls()) { client, server in
            let response = try await client.post("/", stream: body).response()
            #expect(response.status == 413)
            #expect(response.body == Data("refused".utf8))
            try await body.ended.wait(timeout: .seconds(60))
            try await server.waitUntilAllClosed()
        }
    }

    @Test func theNextCallGoesOnAnotherConnection() async throws {
        let peer = Peer.scripts(
            Self.refusal(Self.refusals[1], .keepsReading), [.readRequest, .respond(.text("second"))])
        try await withPeer(peer) { client, server in
            let response = try await client.post("/", stream: EndlessChunks()).response()
            #expect(response.status == 413)
            try await client.expectText("second", at: "/second")
            #expect(server.connectionCount == 2)
        }
    }

    @Test func aRefusalWithAnEndlessBodyEndsWithItsConsumer() async throws {
        let peer = Peer.script(
            .readHead, .read(16), .send("HTTP/1.1 413 No\r\n\r\n"), .sendRepeating(Array("no".utf8), count: .max))
        let body = EndlessChunks()
        try await withPeer(peer) { client, server in
            let error = await expectFailure(.unacceptableStatus) { try await client.post("/", stream: body).data() }
            #expect(error?.response?.head.status == 413)
            #expect(error?.response?.bodyPrefix.count == 16 << 10)
            try await body.ended.wait(timeout: .seconds(60))
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aRefusalEndsTheUploadBeforeItsOwnBodyIsThere() async throws {
        let body = EndlessChunks()
        let stopped = TestSignal()
        let peer = Peer.script(
            .readHead, .read(16), .send("HTTP/1.1 413 No\r\nContent-Length: 7\r\n\r\nref"), .wait(for: stopped),
            .send("used"), .stall)
        try await withPeer(peer) { client, _ in
            let response = try await client.post("/", stream: body).stream()
            try await body.ended.wait(timeout: .seconds(60))
            stopped.fire()
            let refusal = try await response.body.collect()
            #expect(refusal == Data("refused".utf8))
        }
    }

    @Test func aSuccessLetsTheUploadGoOn() async throws {
        let gate = TestSignal()
        let body = GatedChunks(["ping", "pong"], gates: [1: gate])
        let peer = Peer.connection { connection in
            let head = try await connection.readHead()
            try await connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Echoed chunk by chunk, each before the next can be there.
            for word in ["ping", "pong"] {
                _ = try await connection.readExactly("4\r\n\(word)\r\n".utf8.count)
                try await connection.sendChunk(word)
            }
            _ = try await connection.readExactly("0\r\n\r\n".utf8.count)
            try await connection.sendLastChunk()
            _ = head
            _ = try await connection.readRequest()
            try await connection.respond(.text("again"))
        }
        try await withPeer(peer) { client, server in
            let response = try await client.post("/", stream: body).stream()
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("ping".utf8))
            gate.fire()
            #expect(try await iterator.next() == Data("pong".utf8))
            #expect(try await iterator.next() == nil)
            // Both sides came to their end in order, so that the connection is as good as new.
            try await client.expectText("again")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aSuccessThatEndsBeforeTheUploadEndsTheUpload() async throws {
        let body = EndlessChunks()
        let peer = Peer.script(
            .readHead, .read(16), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .waitForClose)
        try await withPeer(peer) { client, server in
            let text = try await client.post("/", stream: body).string()
            #expect(text == "done")
            try await body.ended.wait(timeout: .seconds(60))
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aServerThatResetsATLSConnectionDuringTheUploadIsAnErrorAndRaisesNoSignal() async throws {
        let body = EndlessChunks()
        try await withPeer(.script(.readHead, .read(16), .reset), server: .tls()) { client, _ in
            let error = await expectFailure(.connectionClosed) { try await client.post("/", stream: body).data() }
            #expect(error?.mayHaveReachedServer == true)
            try await body.ended.wait(timeout: .seconds(60))
        }
    }

    @Test func aServerThatClosesWithoutAnAnswerDuringTheUploadIsAnError() async throws {
        let body = EndlessChunks()
        try await withPeer(.script(.readHead, .read(16), .reset)) { client, _ in
            let error = await expectFailure(.connectionClosed) { try await client.post("/", stream: body).data() }
            #expect(error?.mayHaveReachedServer == true)
            try await body.ended.wait(timeout: .seconds(60))
        }
    }
}
