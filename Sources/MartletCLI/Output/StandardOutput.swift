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

    /// Whether what was written so far leaves the cursor of a terminal in the middle of a line.
    var isMidLine: Bool {
        lastByte.withLock { $0 != nil && $0 != UInt8(ascii: "\n") } && isatty(descriptor) == 1
    }
}

/// Where the tool says what went wrong.
struct Diagnostics: Sendable {
    private let writer = DescriptorWriter(descriptor: STDERR_FILENO, name: "Standard error")

    /// Says a failure in one line, on a line of its own even when the body has left the cursor elsewhere.
    func report(_ failure: ToolFailure, after output: StandardOutput) {
        let breakLine = output.isMidLine && isatty(writer.descriptor) == 1 ? "\n" : ""
        let hint = failure.status == .usage ? " See \(Tool.name) --help." : ""
        write(breakLine + Self.line(failure.message + hint))
    }

    /// Says something that is no failure.
    func note(_ message: String) { write(Self.line(message)) }

    /// The line for a message. Control characters, of which a server may have sent some, become spaces.
    static func line(_ message: String) -> String {
        let safe = message.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }
        return "\(Tool.name): \(String(safe))\n"
    }

    private func write(_ text: String) {
        var text = text
        // There is nobody left to tell that it failed.
        text.withUTF8 { try? writer.write(UnsafeRawBufferPointer($0)) }
    }
}
