// Standard output and standard error. Neither goes through stdio: what was written is out, and errors are seen.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Martlet

/// Where the body goes.
final class StandardOutput: Sendable {
    private let writer: DescriptorWriter
    private let lastByte = Lock<UInt8?>(nil)

    init(descriptor: Int32 = STDOUT_FILENO) {
        writer = DescriptorWriter(descriptor: descriptor, name: "Standard output")
    }

    var descriptor: Int32 { writer.descriptor }

    /// Writes all the bytes; throws as `DescriptorWriter` does.
    func write(_ bytes: UnsafeRawBufferPointer, until deadline: Deadline? = nil) throws {
        guard let last = bytes.last else { return }
        try writer.write(bytes, until: deadline)
        lastByte.withLock { $0 = last }
    }

    /// Writes a text.
    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Notes that somebody else has ended the line.
    func endLine() { lastByte.withLock { $0 = UInt8(ascii: "\n") } }

    /// Whether what was written so far leaves the cursor of a terminal in the middle of a line.
    var isMidLine: Bool {
        lastByte.withLock { $0 != nil && $0 != UInt8(ascii: "\n") } && isatty(descriptor) == 1
    }
}

/// Where the tool says what went wrong.
struct Diagnostics: Sendable {
    private let writer = DescriptorWriter(descriptor: STDERR_FILENO, name: "Standard error")
    /// What standard error can show.
    let terminal = Terminal(descriptor: STDERR_FILENO)

    /// Says a failure in one line, on a line of its own even when the body has left the cursor elsewhere.
    ///
    /// - Parameter command: the command whose help explains what was wrong with the arguments.
    func report(_ failure: ToolFailure, after output: StandardOutput, of command: CommandName? = nil) {
        beginLine(after: output)
        let hint = failure.status == .usage ? " See \(Tool.name)\(command.map { " \($0)" } ?? "") --help." : ""
        // Over the ^C that the terminal itself has shown.
        let start = failure.status == .interrupted && terminal.isLive ? "\r" : ""
        write(start + Self.line(failure.message + hint))
    }

    /// Goes to a line of its own when the body has left the cursor of the terminal in the middle of one.
    func beginLine(after output: StandardOutput) {
        guard output.isMidLine, terminal.isTerminal else { return }
        write("\n")
        output.endLine()
    }

    /// Says something that is no failure, on a line of its own if something was printed before.
    func note(_ message: String, after output: StandardOutput? = nil) {
        if let output { beginLine(after: output) }
        write(Self.line(message))
    }

    /// Says something about the transfer, a line for each of `lines`, behind a sign.
    func trace(_ sign: String, _ lines: [String]) {
        let margin = terminal.hasColour ? "\u{1B}[2m\(sign)\u{1B}[0m" : sign
        write(lines.map { margin + ($0.isEmpty ? "" : " ") + $0.harmless + "\n" }.joined())
    }

    /// Draws a line over the one that was drawn before, and leaves the cursor behind it.
    func redraw(_ line: String) { write("\r\(line)\u{1B}[K") }

    /// Begins a new line below the one that was drawn, or takes that one away.
    func endDrawing(keepingLine: Bool) { write(keepingLine ? "\n" : "\r\u{1B}[K") }

    /// The line for a message.
    static func line(_ message: String) -> String { "\(Tool.name): \(message.harmless)\n" }

    private func write(_ text: String) {
        var text = text
        // There is nobody left to tell that it failed.
        text.withUTF8 { try? writer.write(UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// The text without what a terminal obeys: control characters, of which a server may have sent some, and the invisible
    /// ones that change the order of reading become spaces.
    var harmless: String {
        String(
            unicodeScalars.map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: " "
                default: Character(scalar)
                }
            })
    }
}
