// The figures of a load test, as text.

import Martlet

/// What a load test came to.
struct LoadReport: Sendable {
    let tally: LoadTally
    /// How many requests were asked for.
    let asked: Int
    let concurrency: Int
    let time: Duration

    /// The most frequent failure; nil when every request was answered with a status below 400.
    var failure: ToolFailure? {
        let refused = tally.statuses.filter { $0.key >= 400 }
        let candidates =
            tally.failures.map { (count: $0.value.count, status: $0.value.status, text: $0.key) }
            + refused.map { (count: $0.value, status: .status, text: "The server answered \(HTTPStatus($0.key)).") }
        guard let worst = candidates.max(by: { ($0.count, $1.text) < ($1.count, $0.text) }) else { return nil }
        let count = candidates.reduce(0) { $0 + $1.count }
        return ToolFailure(worst.status, "\(count) of \(asked) requests failed; most often: \(worst.text)")
    }

    /// Prints them.
    func print(on screen: Screen) throws {
        let answered = tally.latencies.count
        let seconds = max(Figures.seconds(time), 1e-9)
        try screen.print(
            screen.styled("\(answered) of \(asked) answered", .title)
                + " in \(Figures.time(time)), \(concurrency) at a time: "
                + screen.styled("\(Int(Double(answered) / seconds)) a second", .title))
        try screen.print(
            "\(Figures.bytes(tally.bytesReceived)) received (\(Figures.rate(tally.bytesReceived, in: time))), "
                + "\(Figures.bytes(tally.bytesSent)) sent (\(Figures.rate(tally.bytesSent, in: time)))")
        try printOutcomes(on: screen)
        guard !tally.latencies.isEmpty else { return }
        try printLatencies(tally.latencies.sorted(), on: screen)
    }

    private func printOutcomes(on screen: Screen) throws {
        try screen.print()
        for (code, count) in tally.statuses.sorted(by: { $0.key < $1.key }) {
            let status = screen.styled("\(HTTPStatus(code))", code >= 400 ? .bad : .good)
            try screen.print("\(count)".rightAligned(to: 9) + "  \(status)")
        }
        for (message, failure) in tally.failures.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            let count = "\(failure.count)".rightAligned(to: 9)
            try screen.print(message.harmless, margin: screen.styled(count, .bad) + "  ", width: 11)
        }
    }

    private func printLatencies(_ sorted: [Duration], on screen: Screen) throws {
        try screen.print()
        let mean = sorted.reduce(.zero, +) / sorted.count
        try screen.print(
            row("fastest", sorted.first ?? .zero) + row("mean", mean) + row("slowest", sorted.last ?? .zero))
        let shares = [(0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %")]
        try screen.print(shares.map { row($1, Self.percentile($0, of: sorted)) }.joined())
        try screen.print()
        let histogram = Histogram(sorted)
        let width = min(max((screen.terminal.columns ?? 80) - 34, 10), 50)
        for line in histogram.lines(width: width, isUnicode: screen.terminal.isUnicode) {
            let bar = line.bar.isEmpty ? "" : screen.styled(line.bar, .code) + " "
            try screen.print("  \(line.label)  \(bar)\(screen.styled(line.count, .faint))")
        }
    }

    private func row(_ name: String, _ time: Duration) -> String {
        "  " + name.padded(to: 8) + Figures.time(time).rightAligned(to: 8)
    }

    /// The least latency that this share of the answers does not exceed (nearest rank).
    static func percentile(_ share: Double, of sorted: [Duration]) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
