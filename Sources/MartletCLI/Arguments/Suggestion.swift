// What the user may have meant: the nearest name that exists, or the way in which this tool does what another one's flag does.

/// Finds what was meant.
enum Suggestion {
    /// How a sentence about an unknown option ends.
    static func afterOption(_ written: String) -> String {
        if let advice = foreign[written] { return "; \(advice)." }
        guard written.hasPrefix("--") else { return "." }
        return question(nearest(to: written, among: OptionTable.options.map(\.long) + ["--help"]))
    }

    /// How a sentence about an unknown command ends.
    static func afterCommand(_ written: String) -> String {
        let looksLikeURL = written.contains(where: { ".:/".contains($0) })
        if looksLikeURL { return "; did you mean \(quoted("martlet-cli get \(written)"))?" }
        if let name = nearest(to: written, among: CommandName.allCases.map(\.rawValue)) { return question(name) }
        return "; there are \(CommandName.allCases.map(\.rawValue).joined(separator: ", "))."
    }

    private static func question(_ name: String?) -> String { name.map { "; did you mean \($0)?" } ?? "." }

    /// The name that one would get to with the fewest slips; nil when it takes more than a third of its letters.
    static func nearest(to written: String, among names: [String]) -> String? {
        let written = written.lowercased()
        let ranked = names.map { (name: $0, distance: distance(Array(written.utf8), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        if best.distance <= max(1, best.name.drop { $0 == "-" }.count / 3) { return best.name }
        let longer = names.filter { $0.hasPrefix(written) }
        return longer.count == 1 && written.count >= 4 ? longer.first : nil
    }

    private static let foreign = [
        "-X": "the command is the method: martlet-cli put URL",
        "--request": "the command is the method: martlet-cli put URL",
        "-I": "write martlet-cli head URL",
        "--head": "write martlet-cli head URL",
        "--location": "write --follow",
        "--max-redirs": "write --max-redirects N",
        "--max-time": "write --timeout SECONDS",
        "-m": "write --timeout SECONDS",
        "-O": "write -o FILE",
    ]

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var rows = [Array(0...other.count)]
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
