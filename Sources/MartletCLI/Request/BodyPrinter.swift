// Where the body of a response goes, and in which form: a file and a pipe get its bytes as they are; on a terminal JSON is laid
// out, and what is not text is not shown, because a terminal would obey it.

import Foundation
import Martlet

/// Writes a response body.
struct BodyPrinter {
    private let output: StandardOutput
    private let file: OutputFile?
    private let deadline: Deadline?
    private var printer: JSONPrinter?
    private var refusesBinary: Bool
    private let contentType: String?

    init(_ plan: RequestPlan, _ head: ResponseHead, to file: OutputFile?, _ console: Console, until deadline: Deadline?)
    {
        (output, self.file, self.deadline) = (console.output, file, deadline)
        contentType = head.headers.contentType
        let terminal = console.terminal
        let isDecoded = head.headers.contentEncoding == nil
        let isPretty =
            switch plan.pretty {
            case .always: file == nil
            case .auto: file == nil && terminal.isTerminal && !plan.streams
            case .never: false
            }
        if isPretty, isDecoded, JSONPrinter.reads(contentType) {
            printer = JSONPrinter(hasColour: terminal.hasColour || plan.pretty == .always && Self.allowsColour)
        }
        refusesBinary = file == nil && terminal.isTerminal && plan.output == .automatic
    }

    /// Writes some bytes; false when they are not for a terminal, and then nothing more is wanted.
    mutating func write(_ chunk: Data) throws -> Bool {
        if refusesBinary {
            guard !Self.isBinary(chunk, contentType) else { return false }
            refusesBinary = false
        }
        try chunk.withUnsafeBytes { bytes in
            if let file {
                try file.write(bytes, until: deadline)
            } else if printer != nil {
                try print(printer?.layout(bytes) ?? [])
            } else {
                try output.write(bytes, until: deadline)
            }
        }
        return true
    }

    /// Writes what is still due, however the body has ended.
    mutating func end() throws {
        if printer != nil { try print(printer?.end() ?? []) }
        printer = nil
    }

    private func print(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try output.write($0, until: deadline) }
    }

    private static var allowsColour: Bool { environment("NO_COLOR") == nil }

    /// Whether a body that begins like this is no text: it holds a NUL, or is not UTF-8 and not said to be text.
    static func isBinary(_ chunk: Data, _ contentType: String?) -> Bool {
        let start = chunk.prefix(4096)
        if start.contains(0) { return true }
        if contentType?.lowercased().hasPrefix("text/") == true { return false }
        // A character may be cut off at the end.
        return !(0...3).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
    }
}
