// The large download of the tour, with its progress: a bar on a terminal, elsewhere a line for each quarter.

import Martlet

extension DemoTour {
    func download() async throws -> String {
        let total = DemoServer.blobBytes
        let start = ContinuousClock.now
        var progress = DownloadProgress(bar: ProgressBar(total: total, isUnicode: screen.terminal.isUnicode))
        var count = 0
        for try await chunk in client.get("/blob").chunks {
            count += chunk.count
            try progress.show(count, after: .now - start, on: screen)
        }
        let time = ContinuousClock.now - start
        if screen.terminal.isLive { try screen.print() }
        guard count == total else { throw DemoSurprise(description: "\(count) of \(total) bytes came.") }
        return "\(Figures.bytes(count)) at \(Figures.rate(count, in: time))"
    }
}

/// Decides when progress is shown: thirty times a second on a terminal, else four times in all.
private struct DownloadProgress {
    let bar: ProgressBar
    private var lastTime: Duration?
    private var quarters = 0

    init(bar: ProgressBar) { self.bar = bar }

    mutating func show(_ count: Int, after time: Duration, on screen: Screen) throws {
        if screen.terminal.isLive {
            guard count == bar.total || time - (lastTime ?? .zero) > .milliseconds(33) else { return }
            lastTime = time
            let (bar, figures) = bar.line(count, after: time, columns: (screen.terminal.columns ?? 80) - 6)
            try screen.redraw("     \(screen.styled(bar, .good))  \(figures)")
        } else if count * 4 / bar.total > quarters {
            quarters = count * 4 / bar.total
            try screen.print("     \(bar.figures(count, after: time))")
        }
    }
}
