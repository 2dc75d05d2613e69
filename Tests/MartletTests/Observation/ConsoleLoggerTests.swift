// Lines for people: one a call or one an event, without colours where they are not wanted, and without what a terminal would obey.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct ConsoleLoggerTests {
    private static func lines(
        _ level: ConsoleLogger.Level, colour: Bool? = nil, _ answers: MockResponse..., path: String = "/"
    ) async throws -> [String] {
        let trail = Trail()
        let client = MartletClient.mocked(MockTransport(answers: answers)) {
            $0.defaults.observers = [ConsoleLogger(level, colour: colour, to: { trail.add($0) })]
            $0.defaults.retry = .idempotent
            $0.time = TimeSource { MonotonicInstant(nanoseconds: 0) }
        }
        _ = try? await client.get(path).response()
        return trail.steps
    }

    @Test func oneLineForACall() async throws {
        let lines = try await Self.lines(.calls, .text("four"), path: "/a?b=c")
        #expect(lines == ["GET https://api.example.com/a?b=<redacted> 200 OK 0.00 µs, 4 bytes"])
    }

    @Test func attemptsAreTold() async throws {
        let lines = try await Self.lines(.calls, .status(503), .text("four"))
        #expect(lines == ["GET https://api.example.com/ 200 OK 0.00 µs, 4 bytes (2 attempts)"])
    }

    @Test func onlyFailuresWhereAsked() async throws {
        #expect(try await Self.lines(.failures, .text("four")) == [])
        #expect(try await Self.lines(.failures, .status(404)) == [])
        #expect(try await Self.lines(.failures, .status(500)).count == 1)
        let failed = try await Self.lines(.failures, .failure(MartletError(.bodyFailed, "Odd.\u{1B}[2J\nnext")))
        #expect(
            failed == ["GET https://api.example.com/ failed: bodyFailed 0.00 µs, Odd.\\u{1b}[2J\\u{a}next"])
    }

    @Test func colourOnlyWhereAsked() async throws {
        let coloured = try await Self.lines(.calls, colour: true, .text("four"))
        #expect(coloured.first?.contains("\u{1B}[32m200 OK\u{1B}[0m") == true)
        #expect(try await Self.lines(.calls, .text("four")).first?.contains("\u{1B}") == false)
    }

    @Test func traceShowsTheFieldsBothWays() async throws {
        let lines = try await Self.lines(.trace, .text("four").header("Set-Cookie", "a=b"))
        #expect(lines.contains { $0.hasSuffix("> GET https://api.example.com/") })
        #expect(lines.contains { $0.hasSuffix("> Accept: */*") })
        #expect(lines.contains { $0.hasSuffix("< HTTP/1.1 200 OK") })
        #expect(lines.contains { $0.hasSuffix("< Set-Cookie: <redacted>") })
        #expect(lines.allSatisfy { $0.hasPrefix("[") })
    }

    @Test(arguments: [
        (Duration.nanoseconds(1), "0.00 µs"), (.microseconds(12), "12.0 µs"), (.milliseconds(123), "123 ms"),
        (.milliseconds(1_500), "1.50 s"), (.seconds(100), "100 s"),
    ]) func timesHaveThreeDigits(_ time: Duration, _ text: String) { #expect(ConsoleLogger.text(time) == text) }
}
