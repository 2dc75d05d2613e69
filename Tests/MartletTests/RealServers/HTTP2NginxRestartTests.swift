// nginx reloaded and killed under load of idempotent calls. Reloading may fail no call. A crash may fail those that no rule of
// HTTP lets go again, and no others:
//
// - `bodyTruncated`: the response had begun;
// - `connectionClosed` of a call that was lost twice, or with the first request of its connection, of which nobody can say that
//   the server had closed the connection before it came;
// - `connectionRefused` while nothing listens.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.enabled(if: RealServers.hasNginx), .serialized, .timeLimit(.minutes(10)))
struct HTTP2NginxRestartTests {
    /// Makes calls in 64 lanes until it is stopped: small ones, and in every eighth lane a body that takes half a second.
    private final class Load: Sendable {
        let calls = Counter()
        let again = Counter()
        let failures = Collected<MartletError>()
        private let isOver = Lock(false)

        func stop() { isOver.withLock { $0 = true } }

        func run(_ client: MartletClient) async throws {
            try await withThrowingTaskGroup { group in
                for lane in 0..<64 {
                    group.addTask {
                        while !self.isOver.withLock({ $0 }) { try await self.call(client, isOpen: lane % 8 == 0) }
                    }
                }
                try await group.waitForAll()
            }
        }

        private func call(_ client: MartletClient, isOpen: Bool) async throws {
            do {
                let response = try await client.get(isOpen ? "/open" : "/small").response()
                #expect(response.status == .ok)
                let isWhole = isOpen ? response.body == OwnNginx.openBody : response.body.count == 100
                #expect(isWhole)
                for _ in response.attempts { again.increment() }
            } catch let error as MartletError {
                failures.append(error)
            }
            calls.increment()
        }

        /// Waits until so many more calls have ended.
        func pass(_ count: Int) async throws {
            let goal = calls.value + count
            let end = ContinuousClock.now + .seconds(60)
            while calls.value < goal {
                guard ContinuousClock.now < end else { throw TestServerError.timedOut("\(count) calls") }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// Puts load on an nginx, and does something to it again and again.
    private func underLoad(
        rounds: Int, _ disturb: (OwnNginx, Load) async throws -> Void
    ) async throws -> Load {
        let nginx = try await OwnNginx()
        defer { nginx.stop() }
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = nginx.baseURL
        configuration.httpVersion = .http2PriorKnowledge
        let client = MartletClient(configuration)
        let load = Load()
        async let running: Void = load.run(client)
        do {
            for _ in 0..<rounds { try await disturb(nginx, load) }
        } catch {
            load.stop()
            try await running
            throw error
        }
        load.stop()
        try await running
        await expectNothingLeft(of: client)
        return load
    }

    @Test func reloadFailsNoCall() async throws {
        let rounds = Soak.count(3, soak: 40)
        let load = try await underLoad(rounds: rounds) { nginx, load in
            try await load.pass(500)
            try await nginx.reload()
        }
        let failures = load.failures.values
        #expect(failures.isEmpty, "\(failures.prefix(3))")
        Soak.tell("nginx-reload", ["reloads": rounds, "calls": load.calls.value, "went again": load.again.value])
    }

    @Test func crashFailsOnlyWhatMayNotGoAgain() async throws {
        let rounds = Soak.count(3, soak: 40)
        let load = try await underLoad(rounds: rounds) { nginx, load in
            try await load.pass(500)
            nginx.crash()
            try await nginx.start()
        }
        let failures = load.failures.values
        for error in failures {
            let isAllowed =
                switch error.code {
                case .bodyTruncated, .connectionRefused: true
                case .connectionClosed: error.attempts.count == 1 || !error.reusedConnection
                default: false
                }
            #expect(isAllowed, "\(error)")
        }
        var figures = ["crashes": rounds, "calls": load.calls.value, "went again": load.again.value]
        for error in failures { figures[error.code.name, default: 0] += 1 }
        Soak.tell("nginx-crash", figures)
        // Calls go on after each of them.
        #expect(load.calls.value - failures.count > rounds * 100)
    }
}
