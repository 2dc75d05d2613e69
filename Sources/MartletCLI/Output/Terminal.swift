// What the screen can show: colour and redrawn lines on a terminal only, never when NO_COLOR (no-color.org) or TERM=dumb
// say otherwise; signs beyond ASCII only when the locale says UTF-8.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The abilities of what a descriptor leads to.
struct Terminal: Sendable {
    /// Whether colours are shown.
    var hasColour: Bool
    /// Whether a line can be drawn over.
    var isLive: Bool
    /// Whether there are more signs than those of ASCII.
    var isUnicode: Bool
    private var descriptor: Int32?

    init(hasColour: Bool, isLive: Bool, isUnicode: Bool) {
        (self.hasColour, self.isLive, self.isUnicode) = (hasColour, isLive, isUnicode)
    }

    init(descriptor: Int32) {
        let isTerminal = isatty(descriptor) == 1
        isLive = isTerminal && environment("TERM") != "dumb"
        hasColour = isLive && environment("NO_COLOR") == nil
        let locale = environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG") ?? ""
        isUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        if isTerminal { self.descriptor = descriptor }
    }

    /// Whether it is a terminal at all.
    var isTerminal: Bool { descriptor != nil }

    /// The columns of the terminal, now; nil when there is none, or it does not say.
    var columns: Int? {
        guard let descriptor else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
