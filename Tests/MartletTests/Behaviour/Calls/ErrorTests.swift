// What errors tell and what they must not: the phase, whether the request may have reached the server, and never a secret.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("What errors tell", .timeLimit(.minutes(5))) struct ErrorTests {
    static let canary = "c4n4ry"

    struct Failing: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [TestStep]
        var code: MartletError.Code
        var change: @Sendable (Call) -> Call = { $0 }
    }

    static let failing = [
        Failing(testDescription: "closed", steps: [.readRequest, .close], code: .connectionClosed),
        Failing(testDescription: "reset", steps: [.readRequest, .reset], code: .connectionClosed),
        Failing(testDescription: "no HTTP", steps: [.readRequest, .send("nonsense"), .close], code: .invalidResponse),
        Failing(
            testDescription: "truncated",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .close],
            code: .bodyTruncated),
        Failing(
            testDescription: "head too large",
            steps: [.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendRepeating(Array("A: b\r\n".utf8), count: .max)],
            code: .headTooLarge),
        Failing(
            testDescription: "status", steps: [.readRequest, .respond(.status(404)), .close],
            code: .unacceptableStatus),
        Failing(
            testDescription: "idle", steps: [.readRequest, .stall], code: .idleTimeout,
            change: { $0.timeout(idle: .milliseconds(50)) }),
        Failing(
            testDescription: "deadline", steps: [.readRequest, .stall], code: .deadlineExceeded,
            change: { $0.timeout(.milliseconds(50)) }),
        Failing(
            testDescription: "illegal header", steps: [], code: .invalidRequest,
            change: { $0.header("X-Token", "\(canary)\r\n") }),
        Failing(
            testDescription: "head too long to send", steps: [], code: .invalidRequest,
            change: { $0.header("X-Token", String(repeating: canary, count: 20_000)) }),
        Failing(
            testDescription: "too large", steps: [.readRequest, .respond(.text("too large")), .close],
            code: .bodyTooLarge, change: { $0.maximumBytes(1) }),
        Failing(
            testDescription: "unreadable file", steps: [], code: .fileUnreadable,
            change: { $0.body(file: "/nowhere/at/all").allowingBodyWithGet() }),
        Failing(
            testDescription: "a body with GET", steps: [], code: .invalidRequest,
            change: { $0.body(text: canary) }),
    ]

    @Test(arguments: failing) func noErrorShowsASecretOfItsRequest(_ failing: Failing) async throws {
        try await withPeer(.scripts(failing.steps)) { client, _ in
            let call = failing.change(
                client.get("/path?token=\(Self.canary)&\(Self.canary)#\(Self.canary)")
                    .query("key", Self.canary).header("Authorization", "Bearer \(Self.canary)")
                    .header("Cookie", "session=\(Self.canary)").header("X-Api-Key", Self.canary))
            let error = await expectFailure(failing.code) { try await call.string() }
            for text in Self.renderings(of: error) { #expect(!text.contains(Self.canary)) }
            #expect(error?.request?.method == .get)
            #expect(error?.request?.url.contains("/path?token=<redacted>") == true)
            #expect(error?.request?.url.contains("key=<redacted>") == true)
            #expect(error?.description.contains("GET http://127.0.0.1") == true)
        }
    }

    @Test func aRecoveredCallThatFailsShowsNoSecretOfItsAttempts() async throws {
        let peer = Peer.scripts(
            [.readRequest, .respond(.text("first")), .readRequest, .close], [.readRequest, .close])
        try await withPeer(peer) { client, _ in
            try await client.expectText("first")
            let error = await expectFailure(.connectionClosed) {
                try await client.get("/?token=\(Self.canary)").header("Authorization", Self.canary).data()
            }
            for text in Self.renderings(of: error) { #expect(!text.contains(Self.canary)) }
            #expect(error?.attempts.count == 1)
        }
    }

    @Test(arguments: ["http://user:c4n4ry@127.0.0.1/", "http://c4n4ry@127.0.0.1/", "http://a@b:c4n4ry@127.0.0.1/"])
    func aURLWithUserInformationIsRefusedWithoutShowingIt(_ url: String) async throws {
        let client = MartletClient()
        let error = await expectFailure(.invalidURL) { try await client.get(url).data() }
        for text in Self.renderings(of: error) { #expect(!text.contains(Self.canary)) }
        await expectNothingLeft(of: client)
    }

    private static func renderings(of error: MartletError?) -> [String] {
        guard let error else { return [] }
        var dumped = ""
        dump(error, to: &dumped)
        return [
            error.description, error.debugDescription, error.localizedDescription, "\(error)",
            String(reflecting: error),
            dumped, error.attempts.map { "\($0)" }.joined(), error.request.map { "\($0)" } ?? "",
        ]
    }

    @Test func aRefusedConnectionTellsThatNothingWasSent() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await withPeer(.script(), server: options) { client, server in
            let error = await expectFailure(.connectionRefused) { try await client.post("/").data() }
            #expect(error?.mayHaveReachedServer == false)
            #expect(error?.phase == .connecting)
            #expect(error?.message.contains("\(server.port)") == true)
        }
    }

    @Test func aNameThatDoesNotExistTellsThatNothingWasSent() async throws {
        let client = MartletClient(transport: Self.transport(.failure(MartletError(.nameNotFound, "No such name."))))
        let error = await expectFailure(.nameNotFound) { try await client.get("http://nowhere.invalid/").data() }
        #expect(error?.mayHaveReachedServer == false)
        #expect(error?.phase == .lookUp)
        await expectNothingLeft(of: client)
    }

    @Test func aNameWithoutAddressesIsNotFound() async throws {
        let client = MartletClient(transport: Self.transport(.success([])))
        let error = await expectFailure(.nameNotFound) { try await client.get("http://empty.example/").data() }
        #expect(error?.mayHaveReachedServer == false)
        await expectNothingLeft(of: client)
    }

    @Test func anUnacceptableStatusCarriesTheHeadAndTheFirstBytes() async throws {
        let body = Data(repeating: 0x61, count: 100_000)
        try await withPeer(.answers { _ in .data(body, status: 422, headers: ["X-Reason": "why"]) }) { client, server in
            let error = await expectFailure(.unacceptableStatus) { try await client.get("/").data() }
            #expect(error?.response?.head.status == 422)
            #expect(error?.response?.head.headers["X-Reason"] == "why")
            #expect(error?.response?.bodyPrefix == body.prefix(16 << 10))
            #expect(error?.mayHaveReachedServer == true)
            // The rest of the body is nobody's.
            try await client.waitUntil { $0.exchanges == 0 }
            #expect(server.requests.count == 1)
        }
    }

    private static func transport(_ answer: Result<[SocketAddress], MartletError>) -> SocketTransport {
        var settings = RegistrySettings()
        settings.resolver = ScriptedResolver(answer)
        return SocketTransport(settings)
    }
}
