// Text for people: styled where colour is shown, wrapped where there is a right edge.

/// Prints text on standard output.
struct Screen: Sendable {
    /// What a text is, which decides its colour.
    enum Style: String {
        case title = "1"
        case good = "32"
        case bad = "1;31"
        case code = "36"
        case faint = "2"
    }

    let output: StandardOutput
    let terminal: Terminal

    /// A text in its style.
    func styled(_ text: String, _ style: Style) -> String {
        terminal.hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Prints a line.
    func print(_ line: String = "") throws { try output.write(line + "\n") }

    /// Prints a text behind a margin, wrapped at the right edge if there is one.
    ///
    /// - Parameters:
    ///   - margin: what stands before the first line; other lines begin with as many spaces as it has columns.
    ///   - width: the columns of `margin`, which colour makes longer than it looks.
    func print(_ text: String, margin: String, width: Int) throws {
        let lines = text.wrapped(to: terminal.columns.map { max($0 - width - 1, 20) } ?? .max)
        try print(margin + lines.joined(separator: "\n" + String(repeating: " ", count: width)))
    }

    /// Draws a line over the one that was drawn before; on a terminal only.
    func redraw(_ line: String) throws { try output.write("\r\(line)\u{1B}[K") }
}

extension String {
    /// The text with spaces behind it, up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }

    /// The text with spaces before it, up to a width.
    func rightAligned(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }

    /// The text in lines of at most `width` columns, broken at spaces; a longer word has a line of its own.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(word)
            } else {
                line += line.isEmpty ? String(word) : " \(word)"
            }
        }
        return lines + [line]
    }
}
