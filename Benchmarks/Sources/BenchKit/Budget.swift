// The performance budget: what a subject must reach, most of it as a share of another subject's value in the same run, so that
// it holds on any machine.

/// A bound on what a subject measured.
package struct Budget: Sendable, Equatable {
    package enum Bound: Sendable, Equatable {
        /// At least this share of another subject's value.
        case share(Double, of: String)
        /// At least this many times another subject's value.
        case times(Double, of: String)
        /// The value itself is at least this.
        case atLeast(Double)
        /// The value itself is at most this.
        case atMost(Double)
        /// CPU a call, in microseconds, is at most this.
        case cpuAtMost(Double)
        /// Peak resident memory, in MiB, is at most this.
        case peakAtMost(mebibytes: Double)
    }

    package var subject: String
    package var measure: String
    package var bound: Bound

    package init(_ subject: String, _ bound: Bound, measure: String = Measure.mainKey) {
        self.subject = subject
        self.bound = bound
        self.measure = measure
    }

    /// What the rows of a work say of the budget; nil when they do not have what it compares.
    package func verdict(in rows: [Row]) -> Verdict? {
        guard let row = row(of: subject, in: rows) else { return nil }
        switch bound {
        case .share(let least, let other), .times(let least, let other):
            guard let reference = self.row(of: other, in: rows), reference.value > 0 else { return nil }
            let share = row.value / reference.value
            let figure = Text.ratio(share)
            if case .times = bound {
                return Verdict("\(figure) × \(other)", "≥ \(Text.plain(least)) ×", share / least)
            }
            return Verdict("\(figure) of \(other)", "≥ \(Text.ratio(least))", share / least)
        case .atLeast(let least):
            let unit = row.measure.unit
            return Verdict("\(Text.number(row.value)) \(unit)", "≥ \(Text.plain(least))", row.value / least)
        case .atMost(let most):
            let unit = row.measure.unit
            return Verdict("\(Text.number(row.value)) \(unit)", "≤ \(Text.plain(most))", Self.quotient(most, row.value))
        case .cpuAtMost(let most):
            guard let cpu = row.cpuMicrosecondsPerCall else { return nil }
            return Verdict("\(Text.number(cpu)) µs CPU", "≤ \(Text.plain(most))", Self.quotient(most, cpu))
        case .peakAtMost(let most):
            guard let peak = row.peakResidentKiB.map({ Double($0) / 1024 }) else { return nil }
            return Verdict("\(Text.number(peak)) MiB peak", "≤ \(Text.plain(most))", Self.quotient(most, peak))
        }
    }

    private func row(of subject: String, in rows: [Row]) -> Row? {
        rows.first { $0.subject == subject && $0.measure.key == measure }
    }

    private static func quotient(_ most: Double, _ value: Double) -> Double {
        value > 0 ? most / value : .infinity
    }
}

/// How a subject stands to a budget.
package struct Verdict: Sendable, Equatable {
    /// What was reached: `0.91 of wrk`.
    package var reached: String
    /// What is asked: `≥ 0.85`.
    package var asked: String
    /// How the one stands to the other: 1 and above passes, of an upper bound too.
    package var ratio: Double

    package init(_ reached: String, _ asked: String, _ ratio: Double) {
        self.reached = reached
        self.asked = asked
        self.ratio = ratio
    }

    package var passes: Bool { ratio >= 1 }
    package var word: String { passes ? "pass" : "short" }
}
