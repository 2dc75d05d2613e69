// Numbers as people read them: three digits and a unit.

/// Sizes, rates and times as text.
enum Figures {
    /// A number of bytes: `512 B`, `1.5 KiB`, `256 MiB`.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "KiB", "MiB", "GiB"] {
            // Below this it does not round up to four digits.
            if value < 999.5 || unit == "GiB" { return "\(threeDigits(value, isWhole: unit == "B")) \(unit)" }
            value /= 1024
        }
        return "\(count) B"
    }

    /// A rate: `1.82 GiB/s`.
    static func rate(_ count: Int, in time: Duration) -> String {
        bytes(Int(Double(count) / max(seconds(time), 1e-9))) + "/s"
    }

    /// A time: `85 µs` reads `0.085 ms`; from a second on, seconds.
    static func time(_ time: Duration) -> String {
        let seconds = seconds(time)
        return seconds < 0.9995 ? "\(threeDigits(seconds * 1000)) ms" : "\(threeDigits(seconds)) s"
    }

    /// A time as a clock shows it, rounded up: `0:09`, `12:34`, `1:02:03`.
    static func clock(_ time: Duration) -> String {
        // A second that is whole but for what binary fractions leave over is not rounded up to the next.
        let seconds = Int(min(max((seconds(time) - 1e-6).rounded(.up), 0), 360_000))
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    static func seconds(_ time: Duration) -> Double { time / .seconds(1) }

    private static func threeDigits(_ value: Double, isWhole: Bool = false) -> String {
        let decimals = isWhole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
        return fixed(value, decimals: decimals)
    }

    /// A number of zero or more with this many decimals, with a point whatever the locale.
    static func fixed(_ value: Double, decimals: Int) -> String {
        let scale = [1, 10, 100][min(max(decimals, 0), 2)]
        let scaled = Int((value * Double(scale)).rounded())
        guard scale > 1 else { return String(scaled) }
        let digits = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: max(decimals - digits.count, 0)) + digits
    }
}
