// A bar chart as SVG, written by hand: it stands on a light page and on a dark one, and needs no script and no font.

/// A chart of horizontal bars.
package struct Chart: Sendable {
    /// One bar.
    package struct Bar: Sendable {
        var label: String
        var value: Double
        /// Whether it is drawn in the colour that leads.
        var leads: Bool

        package init(label: String, value: Double, leads: Bool) {
            self.label = label
            self.value = value
            self.leads = leads
        }
    }

    private let title: String
    private let subtitle: String
    private let bars: [Bar]

    package init(title: String, subtitle: String, bars: [Bar]) {
        self.title = title
        self.subtitle = subtitle
        self.bars = bars
    }

    /// The chart of one work's rows, one bar each; Martlet's lead.
    package init(of rows: [Row], summary: String) {
        let measures = rows.reduce(into: [Measure]()) { if !$0.contains($1.measure) { $0.append($1.measure) } }
        let bars = rows.map { row in
            Bar(
                label: measures.count > 1 ? "\(row.subject), \(row.measure.unit)" : row.subject, value: row.value,
                leads: row.subject.hasPrefix("martlet"))
        }
        let unit = measures.count == 1 ? measures[0].unit : "time"
        let better = rows.first?.measure.higherIsBetter ?? true ? "more is better" : "less is better"
        self.init(
            title: summary.prefix(1).uppercased() + summary.dropFirst(), subtitle: "\(unit), \(better)", bars: bars)
    }

    private static let width = 720
    private static let margin = 20
    private static let top = 72
    private static let step = 34
    private static let thickness = 22
    private static let labelWidth = 190
    private static let valueWidth = 100

    package var svg: String {
        let height = Self.top + bars.count * Self.step + Self.margin - (Self.step - Self.thickness)
        let most = bars.map(\.value).max() ?? 0
        let lines = bars.enumerated().map { index, bar in line(bar, y: Self.top + index * Self.step, most: most) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" width="\(Self.width)" \
            height="\(height)" role="img" aria-label="\(Self.escaped(title))">
            <style>
            text { font: 14px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #24292f; }
            .page { fill: #ffffff; stroke: #d0d7de; }
            .title { font-size: 16px; font-weight: 600; }
            .subtitle { font-size: 13px; fill: #57606a; }
            .value { font-variant-numeric: tabular-nums; }
            .leads { fill: #d9480f; }
            .follows { fill: #8c959f; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .page { fill: #0d1117; stroke: #30363d; }
            .subtitle { fill: #9198a1; }
            .leads { fill: #ff8a4c; }
            .follows { fill: #6e7681; }
            }
            </style>
            <rect class="page" x="0.5" y="0.5" width="\(Self.width - 1)" height="\(height - 1)" rx="8"/>
            <text class="title" x="\(Self.margin)" y="32">\(Self.escaped(title))</text>
            <text class="subtitle" x="\(Self.margin)" y="52">\(Self.escaped(subtitle))</text>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    private func line(_ bar: Bar, y: Int, most: Double) -> String {
        let left = Self.margin + Self.labelWidth
        let room = Double(Self.width - left - Self.valueWidth - Self.margin)
        // A bar is seen however small it is.
        let length = max(2, most > 0 && bar.value > 0 ? bar.value / most * room : 0)
        let base = y + Self.thickness / 2 + 5
        let end = Text.fixed(Double(left) + length + 8, 1)
        return """
            <text x="\(left - 12)" y="\(base)" text-anchor="end">\(Self.escaped(bar.label))</text>
            <rect class="\(bar.leads ? "leads" : "follows")" x="\(left)" y="\(y)" width="\(Text.fixed(length, 1))" \
            height="\(Self.thickness)" rx="3"/>
            <text class="value" x="\(end)" y="\(base)">\(Text.number(bar.value))</text>
            """
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
