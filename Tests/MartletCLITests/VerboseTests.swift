import Foundation
import Martlet
import MartletTesting
import Testing

@testable import MartletCLI

@Suite struct VerboseTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        ["get", "URL"], ["post", "URL"], ["post", "URL", "a=1"], ["delete", "URL", "--data", ""],
        ["put", "URL", "@FILE"], ["put", "URL", "@EMPTY"], ["get", "URL", "@EMPTY"],
        ["get", "URL", "Host:elsewhere", "TE:trailers", "q==a b"], ["post", "URL", "--data", "@-"],
    ])
    func theHeadShownIsTheHeadSent(_ arguments: [String]) async throws {
        try folder.write("content", to: "file")
        try folder.write("", to: "empty")
        try await TestServer.serving { _ in
            .text("body")
        } run: { server in
            let arguments = arguments.map {
                $0.replacing("URL", with: server.url("/p?x=1")).replacing("FILE", with: folder.path("file"))
                    .replacing("EMPTY", with: folder.path("empty"))
            }
            let outcome = try await BuiltTool(script: #": | "$0" "$@""#, arguments: arguments + ["-v"]).outcome()
            #expect(outcome.status == 0)
            #expect(outcome.text == "body")
            let shown = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("> ") }.map {
                $0.dropFirst(2) + "\r\n"
            }
            let request = try #require(server.requests.first)
            #expect(shown.joined() + "\r\n" == request.headText)
        }
    }

    @Test func tellsWhatWasReceivedAndWhereTheTimeWent() async throws {
        try await TestServer.serving { _ in
            TestResponse.text("body", headers: ["X-A": "b"]).informational(103, headers: ["Link": "c"])
        } run: { server in
            let outcome = try await BuiltTool.run("get", server.url("/"), "--verbose")
            let lines = outcome.errors.split(separator: "\n").map(String.init)
            let early = try #require(lines.firstIndex { $0.hasPrefix("< HTTP/1.1 103") })
            let final = try #require(lines.firstIndex(of: "< HTTP/1.1 200 OK"))
            #expect(early < final)
            #expect(lines.contains("< Link: c"))
            #expect(lines.contains("< X-A: b"))
            #expect(lines.contains { $0.hasPrefix("* Connected to 127.0.0.1:") })
            #expect(lines.contains { $0.hasPrefix("* Total ") && $0.hasSuffix(" received") })
        }
    }

    @Test func tellsWhereItFailed() async throws {
        try await TestServer.withServer(script: [.readRequest, .close]) { server in
            let outcome = try await BuiltTool.run("post", server.url("/"), "-v")
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("* Failed after "))
            #expect(outcome.errors.contains("(waiting for the response)"))
            #expect(outcome.errors.contains("The request may have reached the server."))
        }
    }

    @Test func thePhasesAddUpToTheTotal() {
        var metrics = ResponseMetrics()
        (metrics.queued, metrics.lookUp, metrics.connect) = (.milliseconds(1), .milliseconds(2), .milliseconds(3))
        (metrics.tls, metrics.requestSent) = (.milliseconds(4), .milliseconds(15))
        (metrics.firstByte, metrics.total) = (.milliseconds(35), .milliseconds(135))
        let times = Trace.phases(metrics).map { $0.dropFirst(26).prefix(8).filter { $0 != " " } }
        #expect(times == ["1.00ms", "2.00ms", "3.00ms", "4.00ms", "5.00ms", "20.0ms", "100ms", "135ms"])
    }

    @Test func anAnswerBeforeTheEndOfTheRequestLeavesNoTimeBelowZero() {
        var metrics = ResponseMetrics()
        (metrics.connect, metrics.requestSent) = (.milliseconds(1), .milliseconds(90))
        (metrics.firstByte, metrics.total) = (.milliseconds(5), .milliseconds(100))
        #expect(Trace.phases(metrics).allSatisfy { !$0.contains("-") })
    }
}
