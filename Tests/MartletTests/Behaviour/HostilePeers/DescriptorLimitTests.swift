// Row 62 of the hostile peers, the descriptors: without one left a call ends in `tooManyOpenFiles`, and all is well when there are
// some again. The limit holds for the whole process, so that these tests run in a process of their own.

import Foundation
import Glibc
import MartletTesting
import Testing

@testable import Martlet

@Suite("Row 62: no descriptors left", .timeLimit(.minutes(5))) struct DescriptorLimitTests {
    /// Takes every descriptor that is left below the limit, and gives them back when `body` is over.
    private static func withNoDescriptorLeft<Result>(
        sparing spared: Int = 0, _ body: () async throws -> Result
    ) async rethrows -> Result {
        // libdispatch opens descriptors of its own for its first timer, and traps when it gets none.
        try? await Task.sleep(for: .milliseconds(1))
        var old = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        var low = old
        low.rlim_cur = 256
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        var taken: [Int32] = []
        while true {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { break }
            taken.append(descriptor)
        }
        for _ in 0..<min(spared, taken.count) { close(taken.removeLast()) }
        defer {
            taken.forEach { close($0) }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &old)
        }
        return try await body()
    }

    @Test func aCallWithoutADescriptorForItsSocketIsATypedErrorAndLeavesNothing() async {
        await #expect(processExitsWith: .success) {
            try await withPeer(.answers { _ in .text("done") }) { client, server in
                try await client.expectText("done")
                // The one connection is busy for the pool's next call: it has to make its own.
                var call = client.get("/")
                call.options.requiresFreshConnection = true
                let fresh = call
                let error = await Self.withNoDescriptorLeft {
                    await expectFailure(.tooManyOpenFiles) { try await fresh.data() }
                }
                guard error?.mayHaveReachedServer == false, error?.message.contains("ulimit") == true else { exit(3) }
                try await client.expectText("done")
                guard server.connectionCount <= 2, await client.ledger.exchanges == 0 else { exit(4) }
            }
        }
    }

    @Test func aClientThatCannotEvenStartItsLoopRecovers() async {
        await #expect(processExitsWith: .success) {
            try await withPeer(.answers { _ in .text("done") }) { client, server in
                let error = await Self.withNoDescriptorLeft {
                    await expectFailure(.tooManyOpenFiles) { try await client.get("/").data() }
                }
                guard error?.mayHaveReachedServer == false else { exit(3) }
                try await client.expectText("done")
                guard server.connectionCount == 1 else { exit(4) }
            }
        }
    }

    @Test func aCallThatWaitsInThePoolIsNotHarmedByOthersThatFail() async {
        await #expect(processExitsWith: .success) {
            let gate = TestSignal()
            let peer = Peer.script(.readRequest, .wait(for: gate), .respond(.text("done")), .startAgain)
            try await withPeer(peer, client: { $0.pool.connectionsPerHost = 1 }) { client, server in
                let first = Task { try await client.get("/1").string() }
                try await server.waitForRequests(1)
                let second = Task { try await client.get("/2").string() }
                try await client.waitUntil { $0.waiters == 1 }
                await Self.withNoDescriptorLeft {
                    gate.fire()
                    guard await first.result.text == "done", await second.result.text == "done" else { exit(3) }
                }
            }
        }
    }

    @Test func aFileWithoutADescriptorIsATypedError() async {
        await #expect(processExitsWith: .success) {
            try await withPeer(.answers { _ in .text("done") }) { client, _ in
                try await client.expectText("done")
                let code = await Self.withNoDescriptorLeft { () -> MartletError.Code? in
                    do {
                        _ = try await client.put("/", file: "/etc/hostname").data()
                        return nil
                    } catch {
                        return (error as? MartletError)?.code
                    }
                }
                guard code == .fileUnreadable || code == .tooManyOpenFiles else { exit(3) }
            }
        }
    }
}
