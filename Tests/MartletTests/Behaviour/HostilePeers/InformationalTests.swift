// Row 21 of the hostile peers, and Expect: informational responses are told and change nothing else; `100 Continue` is awaited
// for a while and no longer. RFC 9110, sections 10.1.1 and 15.2.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Row 21: informational responses", .timeLimit(.minutes(5))) struct InformationalTests {
    private static let final = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"

    @Test func earlyHintsAreToldAndChangeNothing() async throws {
        let hints =
            "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=b\r\nContent-Length: 999\r\nTransfer-Encoding: cow\r\n"
            + "Connection: close\r\nLink: </style.css>\r\n\r\n"
        let peer = Peer.script(.readRequest, .send(hints + Self.final), .startAgain)
        try await withPeer(peer) { client, server in
            let told = Collected<ResponseHead>()
            let response = try await client.get("/").onInformational { told.append($0) }.response()
            #expect(told.values.map(\.status) == [103])
            #expect(told.values.first?.headers["Link"] == "</style.css>")
            #expect(response.status == 200)
            #expect(response.headers["Set-Cookie"] == nil)
            #expect(response.headers["Link"] == nil)
            #expect(response.body == Data("body".utf8))
            // "Connection: close" was said of no response.
            try await client.expectText("body")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func theyAreToldInTheirOrderAndAsTheyCome() async throws {
        let told = Collected<Int>()
        let seen = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"), .wait(for: seen),
            .send("HTTP/1.1 199 Whatever\r\n\r\n" + Self.final), .waitForClose)
        try await withPeer(peer) { client, _ in
            let response = try await client.get("/").onInformational {
                told.append($0.status.code)
                if $0.status == 102 { seen.fire() }
            }.response()
            #expect(told.values == [100, 102, 199])
            #expect(response.status == 200)
        }
    }

    @Test func anObserverMayCancelItsOwnCall() async throws {
        let peer = Peer.script(.readRequest, .send("HTTP/1.1 103 Early Hints\r\n\r\n" + Self.final), .waitForClose)
        try await withPeer(peer) { client, _ in
            let call = Collected<Task<Data, any Error>>()
            let started = TestSignal()
            let task = Task {
                await started.wait()
                return try await client.get("/").onInformational { _ in call.values.first?.cancel() }.data()
            }
            call.append(task)
            started.fire()
            // The answer comes in the same piece, so that either may win; nothing may break.
            switch await task.result {
            case .success(let data): #expect(data == Data("body".utf8))
            case .failure(let error): #expect(error is CancellationError, "\(error)")
            }
        }
    }

    @Test func aContinueNobodyAskedForIsSkipped() async throws {
        try await withPeer(.saysAndStays("HTTP/1.1 100 Continue\r\n\r\n" + Self.final)) { client, _ in
            let text = try await client.post("/", data: Data("x".utf8)).string()
            #expect(text == "body")
        }
    }

    @Test func anInformationalResponseAloneIsNoAnswer() async throws {
        try await withPeer(.says("HTTP/1.1 103 Early Hints\r\n\r\n")) { client, _ in
            await expectFailure(.connectionClosed) { try await client.get("/").data() }
        }
    }
}

@Suite("Expect: 100-continue", .timeLimit(.minutes(5))) struct ExpectContinueTests {
    private static let body = Data("the body".utf8)

    @Test func theBodyWaitsForTheAnswer() async throws {
        let answered = TestSignal()
        let peer = Peer.connection { connection in
            let head = try await connection.readHead()
            #expect(head["Expect"] == "100-continue")
            // Nothing of the body may be there before it was asked for.
            #expect(await !connection.isPeerClosed)
            answered.fire()
            try await connection.send("HTTP/1.1 100 Continue\r\n\r\n")
            let request = try await connection.readBody(of: head)
            try await connection.respond(.text(request.bodyText))
        }
        try await withPeer(peer) { client, _ in
            let text = try await client.put("/", data: Self.body).expectingContinue(.seconds(60)).string()
            #expect(text == "the body")
            #expect(answered.hasFired)
        }
    }

    @Test func aStreamIsNotPulledBeforeTheAnswer() async throws {
        let goesOn = TestSignal()
        let chunks = GatedChunks(["the ", "body"])
        let peer = Peer.script(
            .readHead, .wait(for: goesOn), .send("HTTP/1.1 100 Continue\r\n\r\n"), .readBody,
            .respond(.text("done")))
        try await withPeer(peer) { client, server in
            async let text = client.put("/", stream: chunks).expectingContinue(.seconds(60)).string()
            try await server.waitForRequests(1)
            #expect(chunks.pulled.value == 0)
            goesOn.fire()
            #expect(try await text == "done")
            #expect(server.requests.first?.bodyText == "the body")
        }
    }

    @Test func theBodyIsSentWhenNobodyAnswers() async throws {
        // A server that knows nothing of Expect reads the whole request before it says anything.
        try await withPeer(.script(.readRequest, .respond(.text("done")), .startAgain)) { client, server in
            let call = client.put("/", data: Self.body).expectingContinue(.milliseconds(100))
            for _ in 0..<2 {
                let text = try await call.string()
                #expect(text == "done")
            }
            #expect(server.requests.map(\.bodyText) == ["the body", "the body"])
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: ["417 Expectation Failed", "401 Unauthorized", "200 OK", "302 Found"])
    func aFinalAnswerInsteadKeepsTheBodyBack(_ status: String) async throws {
        let chunks = GatedChunks(["secret"])
        let peer = Peer.script(
            .readHead, .send("HTTP/1.1 \(status)\r\nContent-Length: 2\r\n\r\nno"), .waitForClose)
        try await withPeer(peer) { client, server in
            let response = try await client.put("/", stream: chunks).expectingContinue(.seconds(60)).response()
            #expect(response.status.code == Int(status.prefix(3)))
            #expect(response.body == Data("no".utf8))
            #expect(chunks.pulled.value == 0)
            #expect(response.metrics.bodyBytesSent == 0)
            // The server was promised a body, so that nothing else can follow on this connection.
            try await server.waitUntilAllClosed()
        }
    }

    @Test func anAnswerThatComesTooLateIsSkipped() async throws {
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 100 Continue\r\n\r\n"), .respond(.text("done")), .waitForClose)
        try await withPeer(peer) { client, _ in
            let text = try await client.put("/", data: Self.body).expectingContinue(.milliseconds(20)).string()
            #expect(text == "done")
        }
    }

    @Test func withoutABodyNothingIsExpected() async throws {
        try await withPeer(.answers { .text($0["Expect"] ?? "none") }) { client, _ in
            let text = try await client.get("/").expectingContinue().string()
            #expect(text == "none")
            let other = try await client.post("/", data: Data()).expectingContinue().string()
            #expect(other == "none")
        }
    }

    @Test func cancellingWhileTheAnswerIsAwaitedClosesTheConnection() async throws {
        let chunks = GatedChunks(["secret"])
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let call = Task { try await client.put("/", stream: chunks).expectingContinue(.seconds(60)).data() }
            try await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await server.waitUntilAllClosed()
            #expect(chunks.pulled.value == 0)
        }
    }
}
