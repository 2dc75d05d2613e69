// Events, JSON values and frames over a socket: what is asked for, what is refused, and when the transfer ends.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Streams of events and values", .timeLimit(.minutes(5))) struct EventStreamCallTests {
    private struct Part: Codable, Equatable { var text: String }

    private static func events(_ text: String, type: String = "text/event-stream; charset=utf-8") -> Peer {
        .answers { _ in
            TestResponse(headers: ["Content-Type": type], body: .chunked(text.utf8.map { Data([$0]) }))
        }
    }

    @Test func eventsComeAsTheyAreSent() async throws {
        let gate = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream\r\n\r\ndata: one\n\n"),
            .wait(for: gate), .send("event: last\ndata: two\n\n"), .close)
        try await withPeer(peer) { client, server in
            var events: [ServerSentEvent] = []
            for try await event in client.post("/", json: ["q": "?"]).events {
                events.append(event)
                gate.fire()
            }
            #expect(events == [ServerSentEvent(data: "one"), ServerSentEvent(type: "last", data: "two")])
            #expect(server.requests.first?["Accept"] == "text/event-stream")
            #expect(server.requests.first?.method == "POST")
        }
    }

    @Test func aBrokenOffStreamIsAnErrorAfterItsEvents() async throws {
        let peer = Peer.says(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: one\n\n")
        try await withPeer(peer) { client, _ in
            var iterator = client.get("/").events.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first == ServerSentEvent(data: "one"))
            await expectFailure(.bodyTruncated) { _ = try await iterator.next() }
        }
    }

    @Test(arguments: ["application/json", "text/event-streams", "text/plain"])
    func whatIsNoEventStreamIsRefused(type: String) async throws {
        try await withPeer(Self.events("data: one\n\n", type: type)) { client, _ in
            let error = await expectFailure(.unacceptableContentType) {
                for try await _ in client.get("/").events {}
            }
            #expect(error?.response?.head.status == .ok)
        }
    }

    @Test func noContentIsAnEmptyStream() async throws {
        try await withPeer(.answers { _ in TestResponse(status: 204) }) { client, _ in
            for try await event in client.get("/").events { Issue.record("\(event)") }
        }
    }

    @Test func aStatusThatIsNotAcceptedIsThrownAtTheFirstStep() async throws {
        try await withPeer(.answers { _ in .text("no", status: 503) }) { client, _ in
            await expectFailure(.unacceptableStatus) { for try await _ in client.get("/").events {} }
        }
    }

    @Test func dataIsDecodedUpToTheMarkOfTheEnd() async throws {
        let text =
            "data: {\"text\":\"a\"}\n\n: ping\n\nevent: empty\ndata:\n\ndata: {\"text\":\"ä\"}\n\ndata: [DONE]\n\ndata: x\n\n"
        try await withPeer(Self.events(text)) { client, _ in
            var parts: [Part] = []
            for try await part in client.post("/", json: ["a"]).events(decoding: Part.self, until: "[DONE]") {
                parts.append(part)
            }
            #expect(parts == [Part(text: "a"), Part(text: "ä")])
        }
    }

    @Test func theMarkEndsTheTransferThoughTheServerSendsOn() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: [DONE]\n\n"),
            .waitForClose)
        try await withPeer(peer) { client, server in
            for try await part in client.get("/").events(decoding: Part.self, until: "[DONE]") {
                Issue.record("\(part)")
            }
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aValueThatDoesNotDecodeEndsTheTransfer() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n{\"text\":\"a\"}\n{\"tex\":1}\n{\"text\":\"b\"}\n"),
            .waitForClose)
        try await withPeer(peer) { client, server in
            var iterator = client.get("/").jsonLines(of: Part.self).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first == Part(text: "a"))
            let error = await expectFailure(.decodingFailed) { _ = try await iterator.next() }
            #expect(error?.message.contains("Value 2") == true)
            #expect(error?.underlying is DecodingError)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func linesAndArraysAreDecodedAsTheyArrive() async throws {
        let gate = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n[{\"text\":\"a\""), .send("}"),
            .wait(for: gate), .send("]"), .startAgain)
        try await withPeer(
            .answers { request in
                .text(
                    request.path == "/array"
                        ? "[{\"text\":\"a\"},{\"text\":\"b\"}]" : "{\"text\":\"a\"}\n{\"text\":\"b\"}")
            }
        ) { client, _ in
            var array: [Part] = []
            for try await part in client.get("/array").jsonArray(of: Part.self) { array.append(part) }
            var lines: [Part] = []
            for try await part in client.get("/lines").jsonLines(of: Part.self) { lines.append(part) }
            #expect(array == lines)
            #expect(lines == [Part(text: "a"), Part(text: "b")])
        }
        try await withPeer(peer) { client, _ in
            var count = 0
            for try await part in client.get("/").jsonArray(of: Part.self) {
                #expect(part == Part(text: "a"))
                count += 1
                gate.fire()
            }
            #expect(count == 1)
        }
    }

    @Test func framesComeWithoutTheirLengths() async throws {
        let body = Data([0, 1, 65, 0, 0, 0, 2, 66, 67])
        try await withPeer(.answers { _ in TestResponse(body: .chunked(body.map { Data([$0]) })) }) { client, _ in
            var frames: [Data] = []
            for try await frame in client.get("/").frames(.bigEndian(bytes: 2)) { frames.append(frame) }
            #expect(frames == [Data("A".utf8), Data(), Data("BC".utf8)])
        }
    }

    @Test func aBodyThatIsThereCanBeReadInEachWay() async throws {
        try await withPeer(Self.events("data: {\"text\":\"a\"}\n\n")) { client, _ in
            let first = try await client.get("/").stream()
            for try await event in first.body.events { #expect(event.data == "{\"text\":\"a\"}") }
            let second = try await client.get("/").stream()
            for try await part in second.body.events(decoding: Part.self) { #expect(part == Part(text: "a")) }
        }
    }

    @Test func cancellationEndsAnEventStream() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n"), .waitForClose)
        try await withPeer(peer) { client, server in
            let began = TestSignal()
            let task = Task { for try await _ in client.get("/").events { began.fire() } }
            await began.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await server.waitUntilAllClosed()
        }
    }

    @Test func commentsKeepAStreamAlive() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
            .sendPaced(Array(String(repeating: ":\n", count: 10).utf8), every: .milliseconds(40)), .send("data: a\n\n"),
            .close)
        try await withPeer(peer, client: { $0.defaults.options.timeouts.idle = .milliseconds(500) }) { client, _ in
            var events: [ServerSentEvent] = []
            for try await event in client.get("/").events { events.append(event) }
            #expect(events == [ServerSentEvent(data: "a")])
        }
    }
}
