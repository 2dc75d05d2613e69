// Numbers as people read them, without Foundation's formatters: the same text in every locale.

/// Writes numbers.
package enum Text {
    /// A measured value, with three digits or more: `91,235`, `12.9`, `0.412`.
    package static func number(_ value: Double) -> String {
        let size = abs(value)
        let places = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
        return grouped(fixed(value, places))
    }

    /// A ratio, with two places.
    package static func ratio(_ value: Double) -> String {
        value.isFinite ? (abs(value) >= 100 ? number(value) : fixed(value, 2)) : "∞"
    }

    /// A number of a budget as it was written: `13`, `0.85`.
    package static func plain(_ value: Double) -> String {
        value == value.rounded() ? grouped(fixed(value, 0)) : "\(value)"
    }

    /// A number with a fixed count of places, without grouping.
    package static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % scale)
        return "\(sign)\(scaled / scale).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
    }

    private static func grouped(_ text: String) -> String {
        let sign = text.hasPrefix("-") ? "-" : ""
        let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        guard let whole = parts.first, whole.allSatisfy(\.isNumber) else { return text }
        var digits = ""
        for (index, digit) in whole.reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { digits.append(",") }
            digits.append(digit)
        }
        return sign + String(digits.reversed()) + (parts.count > 1 ? ".\(parts[1])" : "")
    }
}
