// The driver of a progress line: on standard error, on a terminal only, from half a second on, ten times a second. Whoever
// uses it writes nothing else to the terminal meanwhile.

import Martlet

/// Shows progress while something goes on.
struct LiveProgress: Sendable {
    let diagnostics: Diagnostics
    let progress: Progress
    var line = ProgressLine()
    /// Whether the line stays on the screen when all went well; after a failure it always does.
    var keepsLine = true
    /// Whether anything is shown.
    var isShown = true

    private static let delay = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(100)

    /// Runs `body`.
    nonisolated(nonsending) func during<Result: Sendable>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        guard isShown, diagnostics.terminal.isLive else { return try await body() }
        let start = ContinuousClock.now
        let hasDrawn = Lock(false)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await draw(since: start, hasDrawn) }
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(try await body())
            } catch {
                outcome = .failure(error)
            }
            group.cancelAll()
            _ = await group.nextResult()
            if hasDrawn.withLock({ $0 }) { end(outcome, after: .now - start) }
            return try outcome.get()
        }
    }

    private func draw(since start: ContinuousClock.Instant, _ hasDrawn: Lock<Bool>) async throws {
        var meter = RateMeter()
        while true {
            let time = ContinuousClock.now - start
            meter.note(progress.reading.count, at: time)
            if time >= Self.delay {
                hasDrawn.withLock { $0 = true }
                show(line.line(progress.reading, meter, after: time, columns: columns))
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func end<Success>(_ outcome: Swift.Result<Success, any Error>, after time: Duration) {
        let hasFailed = if case .failure = outcome { true } else { false }
        let keepsLine = (hasFailed || keepsLine) && progress.reading.count > 0
        if keepsLine {
            show(line.line(progress.reading, RateMeter(), after: time, hasEnded: true, columns: columns))
        }
        diagnostics.endDrawing(keepingLine: keepsLine)
    }

    private var columns: Int { diagnostics.terminal.columns ?? 80 }

    private func show(_ line: (bar: String, text: String)) {
        let bar = diagnostics.terminal.hasColour ? "\u{1B}[32m\(line.bar)\u{1B}[0m" : line.bar
        diagnostics.redraw(line.bar.isEmpty ? line.text : "\(bar) \(line.text)")
    }
}
