// `--repeat` and `--concurrency`: the request sent again and again, and what came of it in figures. The bodies are taken off
// the wire and dropped.

import Martlet
import Synchronization

/// A small load test.
struct LoadCommand: Sendable {
    let plan: RequestPlan
    let console: Console

    /// Throws when a request failed, or a status is 400 or more.
    func run() async throws {
        let configuration = try plan.configuration(console.diagnostics)
        let upload = try await Upload.open(plan, repeats: true)
        let report = try await MartletClient.withClient(configuration) { client in
            let call = plan.call(client, upload)
            // What is wrong with the request itself is said once.
            _ = try call.makeRequest()
            return try await measure(call, on: client)
        }
        try report.print(on: Screen(output: console.output, terminal: console.terminal))
        try Task.checkCancellation()
        if let failure = report.failure { throw failure }
    }

    private func measure(_ call: Call, on client: MartletClient) async throws -> LoadReport {
        let total = plan.repetitions ?? 1
        let concurrency = min(plan.concurrency ?? 1, total)
        let progress = Progress()
        progress.expect(total)
        var live = LiveProgress(diagnostics: console.diagnostics, progress: progress, keepsLine: false)
        live.line.unit = .requests
        live.line.isUnicode = console.diagnostics.terminal.isUnicode
        let started = Counter()
        let start = ContinuousClock.now
        let tally = try await live.during {
            await withTaskGroup(of: LoadTally.self) { group in
                for _ in 0..<concurrency {
                    // On the connections' own thread: each answer then costs no change of threads.
                    group.addTask(executorPreference: client.executor) {
                        var tally = LoadTally()
                        while !Task.isCancelled, started.next() < total {
                            await tally.send(call)
                            progress.add(1)
                        }
                        return tally
                    }
                }
                return await group.reduce(into: LoadTally()) { $0.merge($1) }
            }
        }
        return LoadReport(tally: tally, asked: total, concurrency: concurrency, time: .now - start)
    }
}

/// Numbers for the requests.
private final class Counter: Sendable {
    private let value = Atomic(0)

    /// The next number, from 0.
    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// What came of some requests.
struct LoadTally: Sendable {
    /// How long each answer took that came whole, from the start of the call to the end of its body.
    var latencies: [Duration] = []
    var statuses: [Int: Int] = [:]
    /// Failures by what they say, with the class of each.
    var failures: [String: (status: ExitStatus, count: Int)] = [:]
    var bytesReceived = 0
    var bytesSent = 0

    /// Sends the call once.
    mutating func send(_ call: Call) async {
        let start = ContinuousClock.now
        do {
            let response = try await call.stream()
            for try await _ in response.body {}
            latencies.append(.now - start)
            statuses[response.status.code, default: 0] += 1
            let metrics = response.body.metrics ?? response.metrics
            bytesReceived += metrics.bytesReceived
            bytesSent += metrics.bytesSent
        } catch is CancellationError {
        } catch {
            let message = (error as? MartletError)?.message ?? ToolFailure(error).message
            failures[message, default: (ToolFailure(error).status, 0)].count += 1
        }
    }

    /// Adds what came of others.
    mutating func merge(_ other: LoadTally) {
        latencies += other.latencies
        statuses.merge(other.statuses, uniquingKeysWith: +)
        failures.merge(other.failures) { ($0.status, $0.count + $1.count) }
        bytesReceived += other.bytesReceived
        bytesSent += other.bytesSent
    }
}
