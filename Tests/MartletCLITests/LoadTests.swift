import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct LoadTests {
    @Test func sendsAsManyAsAskedForAndNoMoreAtATime() async throws {
        try await TestServer.serving { _ in
            .text("body")
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "--repeat", "100", "--concurrency", "4")
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
            #expect(server.requests.count == 100)
            #expect(server.connectionCount <= 4)
            #expect(outcome.text.hasPrefix("100 of 100 answered in "))
            #expect(outcome.text.contains(", 4 at a time: "))
            #expect(outcome.text.contains("      100  200 OK"))
            for name in ["fastest", "mean", "slowest", "50 %", "90 %", "99 %", "99.9 %", "up to"] {
                #expect(outcome.text.contains(name))
            }
            #expect(!outcome.text.contains("\u{1B}"))
        }
    }

    @Test func aBodyFromAPipeIsSentEachTime() async throws {
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let outcome = try await BuiltTool(
                script: #"printf body | "$0" post "$1" -n 3 --data @-"#, server.url("/")
            ).outcome()
            #expect(outcome.status == 0)
            #expect(server.requests.map(\.bodyText) == ["body", "body", "body"])
        }
    }

    @Test func theMostFrequentFailureDecidesTheStatus() async throws {
        let answers = TestCounter()
        try await TestServer.serving { _ in
            answers.next() < 2 ? .status(404) : .init(status: 200, headers: ["Content-Length": "9"], body: .empty)
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "-n", "3", "--idle-timeout", "0.2")
            #expect(outcome.status == 22)
            #expect(outcome.errors.contains("3 of 3 requests failed; most often: The server answered 404 Not Found."))
            #expect(outcome.text.hasPrefix("2 of 3 answered"))
        }
    }

    @Test func whereNobodyListensEveryRequestFailsAndIsCounted() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await TestServer.withServer(options, { _ in }) { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "-n", "5")
            #expect(outcome.status == 4)
            #expect(outcome.text.contains("        5  Nothing listens"))
            #expect(!outcome.text.contains("fastest"))
        }
    }

    @Test func interruptedTellsWhatThereWasUntilThen() async throws {
        let answers = TestCounter()
        let enough = TestSignal()
        try await TestServer.withServer { connection in
            while true {
                _ = try await connection.readRequest()
                if answers.next() == 5 {
                    enough.fire()
                    try await connection.stall()
                }
                try await connection.respond(.ok)
            }
        } run: { server in
            let tool = try BuiltTool("get", server.url("/"), "--repeat", "1000")
            await enough.wait()
            tool.signal(2)
            let outcome = try await tool.outcome()
            #expect(outcome.status == 130)
            #expect(outcome.text.hasPrefix("5 of 1000 answered"))
            #expect(outcome.errors == "martlet-cli: Interrupted.\n")
        }
    }
}

/// Numbers for answers, from 0.
final class TestCounter: Sendable {
    private let value = Lock(0)

    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
