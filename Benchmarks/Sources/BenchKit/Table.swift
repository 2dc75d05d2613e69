// The table that is printed: a line for each row, and for a row with several budgets a line for each of them.

/// Lays the results of works out as text.
package struct Table: Sendable {
    package static let header = ["work", "subject", "value", "CPU a call", "peak", "reached", "budget", "ratio", ""]

    private(set) package var lines: [[String]] = []

    package init() {}

    /// Adds the rows of one work, each with what its budgets say.
    package mutating func add(_ rows: [Row], budgets: [Budget]) {
        for row in rows {
            var cells = [
                row.work, row.subject, "\(Text.number(row.value)) \(row.measure.unit)",
                row.cpuMicrosecondsPerCall.map { "\(Text.number($0)) µs" } ?? "",
                row.peakResidentKiB.map { "\(Text.number(Double($0) / 1024)) MiB" } ?? "",
            ]
            let verdicts =
                budgets.filter { $0.subject == row.subject && $0.measure == row.measure.key }
                .compactMap { $0.verdict(in: rows) }
            if verdicts.isEmpty { lines.append(cells + ["", "", "", ""]) }
            for verdict in verdicts {
                lines.append(cells + [verdict.reached, verdict.asked, Text.ratio(verdict.ratio), verdict.word])
                cells = ["", "", "", "", ""]
            }
        }
    }

    /// Columns of figures are set to the right.
    private static let right: Set<Int> = [2, 3, 4, 7]

    /// The table, with columns as wide as their contents.
    package var text: String {
        let all = [Self.header] + lines
        let widths = Self.header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        let written = all.map { cells in
            let padded = cells.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - cells[column].count)
                return Self.right.contains(column) ? space + cells[column] : cells[column] + space
            }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return written.joined(separator: "\n") + "\n"
    }
}
