// Event streams that connect again: when, with what, and when no more.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Event sources", .timeLimit(.minutes(5))) struct EventSourceTests {
    private static func stream(_ text: String) -> TestResponse {
        TestResponse(headers: ["Content-Type": "text/event-stream"], body: .data(Data(text.utf8))).closing()
    }

    /// Plays answers one after the other, then 204; gives what came, what was asked, and the waits between.
    private func play(
        _ answers: [TestResponse], _ make: (MartletClient) -> EventSource = { $0.eventSource("/") }
    ) async throws -> (data: [String], ids: [String?], waits: [Duration], error: MartletError?) {
        let clock = TestClock(advancesItself: true)
        let rest = Lock(answers)
        let peer = Peer.answers { _ in rest.withLock { $0.isEmpty ? .status(204) : $0.removeFirst() } }
        return try await withPeer(
            peer,
            client: {
                $0.clock = clock
                $0.randomness = SeededRandom(seed: 3)
            }
        ) { client, server in
            var data: [String] = []
            var failure: MartletError?
            do {
                for try await event in make(client) { data.append(event.data) }
            } catch let error as MartletError {
                failure = error
            }
            return (data, server.requests.map { $0["Last-Event-ID"] }, clock.sleeps, failure)
        }
    }

    @Test func itConnectsAgainBehindTheLastEvent() async throws {
        let (data, ids, waits, error) = try await play([
            Self.stream("data: one\n\nid: 7\ndata: two\n\n"), Self.stream("id: 8\n\ndata: three\n\n"),
        ])
        #expect(data == ["one", "two", "three"])
        #expect(ids == [nil, "7", "8"])
        #expect(waits.allSatisfy { (.seconds(3)...(.seconds(4.5))).contains($0) })
        #expect(waits.count == 2)
        #expect(waits.first != waits.last)
        #expect(error == nil)
    }

    @Test func theServerSaysHowLongToWait() async throws {
        let (_, _, waits, _) = try await play([
            Self.stream("retry: 10000\ndata: one\n\n"), Self.stream("data: two\n\n"),
        ])
        #expect(waits.count == 2)
        #expect(waits.allSatisfy { (.seconds(10)...(.seconds(15))).contains($0) })
    }

    @Test func noContentStopsIt() async throws {
        let (data, ids, waits, error) = try await play([])
        #expect((data, ids, waits) == ([], [nil], []))
        #expect(error == nil)
    }

    @Test func itBeginsBehindAnEventOfThePast() async throws {
        let (_, ids, _, _) = try await play([]) { $0.eventSource("/").after(lastEventID: "41") }
        #expect(ids == ["41"])
    }

    @Test func aServerInTroubleIsWaitedForLongerEachTime() async throws {
        let (data, _, waits, error) = try await play(
            (0..<4).map { _ in .status(503) } + [Self.stream("data: one\n\n")])
        #expect(data == ["one"])
        #expect(error == nil)
        let least: [Duration] = [.seconds(3), .seconds(6), .seconds(12), .seconds(24), .seconds(3)]
        #expect(zip(waits, least).allSatisfy { $0 >= $1 && $0 <= $1 * 3 / 2 })
        #expect(waits.count == 5)
    }

    @Test func itGivesUpAfterTooManyFailures() async throws {
        let (_, ids, waits, error) = try await play((0..<9).map { _ in .status(503) }) {
            $0.eventSource("/").failures(upTo: 2).reconnecting(after: .seconds(1))
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(ids.count == 3)
        #expect(waits.count == 2)
    }

    @Test func theServersRetryAfterIsWaitedFor() async throws {
        let (_, _, waits, _) = try await play([.status(503, headers: ["Retry-After": "100"])])
        #expect(waits.allSatisfy { $0 >= .seconds(100) })
    }

    @Test(arguments: [(404, "text/event-stream"), (401, "text/event-stream"), (200, "text/html")])
    func whatStaysAsItIsEndsIt(status: Int, type: String) async throws {
        let (_, ids, waits, error) = try await play([
            TestResponse(status: status, headers: ["Content-Type": type], body: .data(Data("x".utf8)))
        ])
        #expect(error?.code == (status == 200 ? .unacceptableContentType : .unacceptableStatus))
        #expect(ids.count == 1)
        #expect(waits == [])
    }

    @Test func anEventThatIsTooLargeEndsIt() async throws {
        let (_, ids, _, error) = try await play([Self.stream("data: \(String(repeating: "x", count: 100))\n\n")]) {
            $0.eventSource("/").maximumEventBytes(50)
        }
        #expect(error?.code == .frameTooLarge)
        #expect(ids.count == 1)
    }

    @Test func aBrokenConnectionIsMadeAgain() async throws {
        let clock = TestClock(advancesItself: true)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"
        let peer = Peer.scripts(
            [.readRequest, .send(head + "id: 1\ndata: one\n\nid: 2\ndata: lo"), .close], [.readRequest, .reset],
            [.readRequest, .send(head + "id: 3\ndata: two\n\n"), .close],
            [.readRequest, .respond(.status(204))])
        try await withPeer(peer, client: { $0.clock = clock }) { client, server in
            var data: [String] = []
            for try await event in client.eventSource("/") { data.append(event.data) }
            #expect(data == ["one", "two"])
            #expect(server.requests.map { $0["Last-Event-ID"] } == [nil, "1", "1", "3"])
        }
    }

    @Test func silenceIsALostConnectionAndACommentIsNone() async throws {
        let clock = TestClock(advancesItself: true)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        let comments = Array(": still here\n".utf8)
        let peer = Peer.scripts(
            [
                .readRequest, .send(head), .sendPaced(comments, every: .milliseconds(100)), .send("data: one\n\n"),
                .stall,
            ],
            [.readRequest, .respond(.status(204))])
        try await withPeer(peer, client: { $0.clock = clock }) { client, server in
            var data: [String] = []
            for try await event in client.get("/").timeout(idle: .milliseconds(1_000)).eventSource() {
                data.append(event.data)
            }
            #expect(data == ["one"] || server.requests.count > 2)
            #expect(server.requests.count >= 2)
        }
    }

    @Test func aPOSTIsSentAgain() async throws {
        let (data, ids, _, error) = try await play([Self.stream("id: 1\ndata: a\n\n"), Self.stream("data: b\n\n")]) {
            $0.post("/", json: ["q": "?"]).eventSource()
        }
        #expect(data == ["a", "b"])
        #expect(ids == [nil, "1", "1"])
        #expect(error == nil)
    }

    @Test func aBodyThatCanBeReadOnceEndsIt() async throws {
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Data("a".utf8))
            continuation.finish()
        }
        let (data, ids, _, error) = try await play([Self.stream("data: a\n\n")]) {
            $0.post("/", stream: chunks).eventSource()
        }
        #expect(data == ["a"])
        #expect(ids.count == 1)
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func leavingTheLoopEndsTheConnection() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n"), .stall)
        try await withPeer(peer) { client, _ in
            for try await _ in client.eventSource("/") { break }
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }

    @Test func itIsCancelledWhileItWaits() async throws {
        let clock = TestClock()
        try await withPeer(.answers { _ in .status(503) }, client: { $0.clock = clock }) { client, _ in
            let task = Task { for try await _ in client.eventSource("/") {} }
            try await clock.waitForSleepers(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
