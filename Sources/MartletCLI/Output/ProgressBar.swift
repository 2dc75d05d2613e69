// A bar that fills, with the figures behind it. Pure: how far, since when and how wide in, a line out.

/// The line of a progress bar.
struct ProgressBar {
    /// How much there is in all.
    let total: Int
    var isUnicode = true

    /// The line without colour, cut to `columns`: the bar takes what the figures leave, 10 to 40 columns.
    func line(_ count: Int, after time: Duration, columns: Int = 100) -> (bar: String, figures: String) {
        let figures = figures(count, after: time)
        return (blocks(count, width: min(max(columns - figures.count - 2, 10), 40)), figures)
    }

    /// The bar alone.
    func blocks(_ count: Int, width: Int) -> String {
        let share = total > 0 ? Double(min(max(count, 0), total)) / Double(total) : 1
        let filled = Int(share * Double(width))
        let (full, empty) = isUnicode ? ("█", "░") : ("#", ".")
        return String(repeating: full, count: filled) + String(repeating: empty, count: width - filled)
    }

    /// ` 50 %    128 of 256 MiB   1.82 GiB/s`
    func figures(_ count: Int, after time: Duration) -> String {
        let percent = total > 0 ? count * 100 / total : 100
        let parts = [
            "\(percent) %".rightAligned(to: 5),
            "\(Figures.bytes(count)) of \(Figures.bytes(total))".rightAligned(to: 19),
            Figures.rate(count, in: time).rightAligned(to: 10),
        ]
        return parts.joined(separator: "  ")
    }
}
