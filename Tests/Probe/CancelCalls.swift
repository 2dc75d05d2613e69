// Calls that are cancelled at random moments, many at a time, in every stage there is: waiting for the pool, looking up,
// connecting, shaking hands, sending, waiting, reading the body. Half of them run on the client's own executor.

#if DEBUG && SocketTransport && os(Linux)
import Foundation
@testable import Martlet

enum CancelCalls {
    private static let inFlight = 64
    private static let connectionsPerHost = 16

    @Sendable static func run(_ settings: Settings) async throws -> [String: Int] {
        let before = try await ProcessFigures.whenThreadsHaveLeft()
        var figures = try await cancelCalls(settings)
        let after = try await ProcessFigures.whenThreadsHaveLeft(descriptors: before.descriptors)
        figures["ownThreads"] = after.ownThreads
        figures["descriptors"] = after.descriptors - before.descriptors
        if after.descriptors > before.descriptors { Probe.complain("open: \(ProcessFigures.openDescriptors)") }
        figures["residentKiB"] = after.residentKiB
        return figures
    }

    private static func cancelCalls(_ settings: Settings) async throws -> [String: Int] {
        let targets = try Targets(settings)
        let seed = UInt64(try settings.number("seed"))
        let tally = Tally()
        let transport = makeTransport()
        let client = MartletClient(transport: transport)
        try await cancelInEachStage(client, transport, targets)
        await cancelAll(try settings.number("count"), client, targets, seed, tally)
        let quiet = await transport.ledger()
        let phases = await transport.cancellations()
        await client.shutdown()
        let end = await transport.ledger()

        var figures = tally.figures
        for phase in MartletError.Phase.allCases { figures["phase." + phase.rawValue] = phases[phase] ?? 0 }
        figures["exchanges"] = quiet.exchanges
        figures["waiters"] = quiet.waiters
        figures["left"] =
            end.exchanges + end.connections + end.sockets + end.timers + end.idleConnections + end.waiters
        return figures
    }

    /// Calls that are cancelled when they have come to a stage. The storm hits all stages too, but not surely on a machine
    /// that is busy with something else.
    private static func cancelInEachStage(
        _ client: MartletClient, _ transport: SocketTransport, _ targets: Targets
    ) async throws {
        let stages: [(Target, calls: Int, MartletError.Phase)] = [
            (.lookUp, 1, .lookUp), (.connecting, 4, .connecting), (.handshake, 1, .tls), (.sending, 1, .sending),
            (.waiting, 1, .waiting), (.body, 1, .receiving), (.waiting, connectionsPerHost + 1, .queued),
        ]
        for (target, count, phase) in stages {
            let calls = (0..<count).map { _ in Task { try await targets.call(client, target) } }
            let end = ContinuousClock.now + .seconds(30)
            while await !transport.hasExchange(in: phase), ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(1))
            }
            calls.forEach { $0.cancel() }
            for call in calls { _ = await call.result }
        }
    }

    private static func makeTransport() -> SocketTransport {
        var settings = RegistrySettings()
        // Small, so that calls have to queue.
        settings.pool.connectionsPerHost = connectionsPerHost
        settings.tls = .insecure
        settings.resolver = SlowResolver()
        return SocketTransport(settings)
    }

    private static func cancelAll(
        _ count: Int, _ client: MartletClient, _ targets: Targets, _ seed: UInt64, _ tally: Tally
    ) async {
        let started = Counter()
        await withTaskGroup { group in
            for worker in 0..<inFlight {
                group.addTask {
                    var random = SplitMix(state: seed &+ UInt64(worker) &* 0x9e37_79b9)
                    while true {
                        let number = started.add(1)
                        guard number < count else { return }
                        if number == count / 5 { tally.markResident("earlyKiB") }
                        await one(client, targets, &random, tally)
                    }
                }
            }
        }
        tally.markResident("lateKiB")
    }

    private static func one(
        _ client: MartletClient, _ targets: Targets, _ random: inout SplitMix, _ tally: Tally
    ) async {
        let target = Target.allCases.randomElement(using: &random) ?? .waiting
        let executor: (any TaskExecutor)? = Bool.random(using: &random) ? client.executor : nil
        let call = Task(executorPreference: executor) { try await targets.call(client, target) }
        if target == .bodyFromInside {
            // Cancels itself; the others rarely get as far as their bodies before their time is over.
            _ = await call.result
        } else {
            try? await Task.sleep(for: .microseconds(Int.random(in: 0...4_000, using: &random)))
        }
        let cancelled = ContinuousClock.now
        call.cancel()
        let result = await call.result
        tally.add(result, cancelled.duration(to: .now))
    }

    /// What a call is about to be cancelled in.
    enum Target: CaseIterable {
        case lookUp, lateLookUp, connecting, handshake, sending, sendingStream, waiting, body, bodyFromInside, none
    }

    /// Where the calls go.
    struct Targets: Sendable {
        let plain: String
        let plainPort: Int
        let hung: String
        let silentTLS: String
        private let upload = Data(repeating: 0x75, count: 8 << 20)

        init(_ settings: Settings) throws {
            plain = try settings.text("plain")
            plainPort = try settings.number("plainPort")
            hung = try settings.text("hung")
            silentTLS = try settings.text("silentTLS")
        }

        private var body: String { "http://body.localhost:\(plainPort)/body" }

        func call(_ client: MartletClient, _ target: Target) async throws {
            switch target {
            case .lookUp: try await client.get("http://never.test:\(plainPort)/ok").discard()
            case .lateLookUp: try await client.get("http://later.test:\(plainPort)/wait").discard()
            case .connecting: try await client.get(hung).discard()
            case .handshake: try await client.get(silentTLS).discard()
            case .sending: try await client.post(plain + "upload", data: upload).discard()
            case .sendingStream:
                let chunks = Chunks(limit: .max, given: Counter())
                try await client.post(plain + "upload").body(.stream { chunks }).discard()
            case .waiting: try await client.get(plain + "wait").discard()
            // By another name, which has a pool of its own: these must not queue behind those that only wait.
            case .body: try await client.get(body).discard()
            case .bodyFromInside:
                for try await _ in client.get(body).chunks { withUnsafeCurrentTask { $0?.cancel() } }
            case .none: try await client.get(plain + "ok").discard()
            }
        }
    }
}

extension SocketTransport {
    /// Whether an exchange is in the phase at this moment.
    fileprivate func hasExchange(in phase: MartletError.Phase) async -> Bool {
        for registry in registries where await registry.hasExchange(in: phase) { return true }
        return false
    }
}

extension SessionRegistry {
    fileprivate func hasExchange(in phase: MartletError.Phase) -> Bool {
        exchanges.values.contains { $0.phase == phase }
    }
}

/// How the calls ended.
private final class Tally: Sendable {
    private struct State {
        var figures = ["completed": 0, "cancelled": 0, "failed": 0]
        var latencies: [Duration] = []
    }

    private let state = Lock(State())

    func add(_ result: Result<Void, any Error>, _ latency: Duration) {
        state.withLock { state in
            switch result {
            case .success: state.figures["completed", default: 0] += 1
            case .failure(is CancellationError):
                state.figures["cancelled", default: 0] += 1
                state.latencies.append(latency)
            case .failure(let error):
                state.figures["failed", default: 0] += 1
                if state.figures["failed"] == 1 { Probe.complain("a cancelled call failed: \(error)") }
            }
        }
    }

    func markResident(_ name: String) {
        let resident = ProcessFigures.residentKiB
        state.withLock { $0.figures[name] = resident }
    }

    var figures: [String: Int] {
        state.withLock { state in
            var figures = state.figures
            let sorted = state.latencies.sorted()
            if let last = sorted.last {
                figures["latencyMaxMicroseconds"] = Int(last / .microseconds(1))
                figures["latency99Microseconds"] = Int(sorted[sorted.count * 99 / 100] / .microseconds(1))
            }
            return figures
        }
    }
}

/// Answers one name late and the others never.
private final class SlowResolver: NameResolver {
    func lookUp(
        _ name: String, completion: @escaping @Sendable (Result<[SocketAddress], MartletError>) -> Void
    ) -> LookUpTicket {
        guard name == "later.test" else { return LookUpTicket {} }
        let answer = Task {
            try await Task.sleep(for: .milliseconds(1))
            completion(.success([SocketAddress(ipv4: SocketAddress.loopback4, port: 0)]))
        }
        return LookUpTicket { answer.cancel() }
    }
}

/// Random numbers that a seed decides.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
#endif
