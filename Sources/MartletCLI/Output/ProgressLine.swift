// The line that shows progress. Pure: readings in, a line out that is no wider than the terminal.

/// How a progress line reads.
struct ProgressLine: Sendable {
    /// What is counted.
    enum Unit: Sendable {
        case bytes, requests

        func count(_ count: Int) -> String { self == .bytes ? Figures.bytes(count) : "\(count)" }

        func rate(_ perSecond: Double) -> String {
            let rate = Int(min(perSecond, 1e15))
            return self == .bytes ? Figures.bytes(rate) + "/s" : "\(rate)/s"
        }
    }

    var unit = Unit.bytes
    var isUnicode = true
    /// What is said before anything came, and when all has gone out.
    var waiting = ""

    /// The line, bar and text apart so that the bar can be coloured; one of both may be empty.
    func line(
        _ reading: Progress.Reading, _ meter: RateMeter, after time: Duration, hasEnded: Bool = false, columns: Int
    ) -> (bar: String, text: String) {
        let clock = Figures.clock(time)
        if reading.count == 0, !waiting.isEmpty, !hasEnded { return ("", fit("\(waiting) \(clock)", columns)) }
        let average = Figures.seconds(time) > 0 ? Double(reading.count) / Figures.seconds(time) : 0
        let rate = hasEnded ? unit.rate(average) : meter.perSecond.map(unit.rate) ?? "stalled"
        guard let total = reading.total, total > 0 else {
            let text = [unit.count(reading.count).rightAligned(to: 8), rate.rightAligned(to: 10), clock]
            return ("", fit(text.joined(separator: "   "), columns))
        }
        let isFull = reading.count >= total
        let end: String
        if hasEnded {
            end = clock
        } else if isFull, !waiting.isEmpty {
            end = waiting
        } else {
            end = meter.timeLeft(to: total).map { "\(Figures.clock($0)) left" } ?? clock
        }
        let percent = "\(min(reading.count, total) * 100 / total) %".rightAligned(to: 5)
        let amount = "\(unit.count(reading.count)) of \(unit.count(total))"
        let figures = [percent, amount.rightAligned(to: 19), rate.rightAligned(to: 10), end]
        // What does not fit is left out from the middle; percentage and time tell the most.
        for shown in [figures, [percent, rate, end], [percent, end], [percent]] {
            let text = shown.joined(separator: "  ")
            // As if the end were the longest usual one, so that the bar keeps its width.
            let width = min(columns - 2 - text.count - max("0:00:00 left".count - end.count, 0), 30)
            if width >= 6 {
                return (ProgressBar(total: total, isUnicode: isUnicode).blocks(reading.count, width: width), text)
            }
        }
        return ("", fit(percent, columns))
    }

    private func fit(_ text: String, _ columns: Int) -> String { String(text.prefix(max(columns - 1, 0))) }
}
