// A logger that needs no set-up: one line for each call, or all that happens. Default: one line a call, on standard error, coloured on a
// terminal only and never with NO_COLOR (no-color.org), secrets hidden.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An observer that writes lines for people: `client.get("/").observing(.console(.trace))`.
public struct ConsoleLogger: ClientObserver {
    /// How much is written.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        /// A line for each call that failed, or was answered with 500 or more.
        case failures
        /// A line for each call, at its end.
        case calls
        /// A line for each event, and the header fields both ways.
        case trace

        /// By how much is written.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How much is written.
    public let level: Level
    private let redaction: Redaction
    private let hasColour: Bool
    private let write: @Sendable (String) -> Void

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - level: how much is written; a line for each call by default.
    ///   - redaction: what is hidden; the standard by default.
    ///   - colour: whether lines have colours; nil, the default, decides by the terminal and the environment.
    ///   - write: takes each line, without its end; nil, the default, writes to standard error, which may block where nobody reads it.
    public init(
        _ level: Level = .calls, redaction: Redaction = .standard, colour: Bool? = nil,
        to write: (@Sendable (String) -> Void)? = nil
    ) {
        self.level = level
        self.redaction = redaction
        hasColour = colour ?? (write == nil && Self.terminalHasColour)
        self.write = write ?? Self.writeToStandardError
    }

    /// The beginning and end of calls, or everything.
    public var topics: ClientEvent.Topics { level == .trace ? .all : .calls }

    /// Writes the event, if the level says so.
    public func observe(_ event: ClientEvent) {
        if level == .trace { return lines(of: event).forEach(write) }
        if case .callEnded(let outcome, let received) = event.kind, level == .calls || outcome.isFailure {
            write(line(of: event, outcome, received))
        }
    }

    // MARK: Lines

    private func line(of event: ClientEvent, _ outcome: ClientEvent.Outcome, _ received: Int) -> String {
        let call = event.call
        let attempts = call.attemptCount
        var line = "\(call.method.isValidToken ? call.method.rawValue : "<invalid method>") \(redaction.url(call.url)) "
        line += coloured(Self.plain(outcome.description), outcome.colour)
        line += " \(Self.text(event.elapsed))"
        if case .failed(let error) = outcome {
            line += ", \(Self.plain(error.message))"
        } else {
            line += ", \(received) bytes"
        }
        return attempts > 1 ? line + " (\(attempts) attempts)" : line
    }

    private func lines(of event: ClientEvent) -> [String] {
        let number = event.attempt > 0 ? "\(event.call.id).\(event.attempt)" : "\(event.call.id)"
        let start = "[\(number)] +\(Self.text(event.elapsed)) "
        switch event.kind {
        case .callStarted: return [start + "\(event.call.method) \(redaction.url(event.call.url))"]
        case .callEnded(let outcome, let received): return [start + line(of: event, outcome, received)]
        case .attemptStarted(let request):
            let fields = redaction.headers(request.headers).map { start + "> " + Self.plain($0) }
            return [start + "> \(request.method) \(redaction.url(request.url))"] + fields
        case .responseHead(let head), .informational(let head):
            let fields = redaction.headers(head.headers).map { start + "< " + Self.plain($0) }
            return [start + "< \(head.version) " + coloured("\(head.status)", head.status.colour)] + fields
        case .redirecting(let status, let url): return [start + "redirecting (\(status.code)) to \(redaction.url(url))"]
        default: return [start + Self.plain(event.kind.description)]
        }
    }

    /// Without what a terminal would obey, and on one line: words of a server's are in it.
    private static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { plain, scalar in
            plain += isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Also what changes the direction of text, so that it reads as something else.
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    /// A time in the unit that suits it, with three digits.
    static func text(_ time: Duration) -> String {
        let seconds = Double(time.wholeNanoseconds) / 1e9
        let (value, unit) =
            seconds >= 1 ? (seconds, "s") : seconds >= 1e-3 ? (seconds * 1e3, "ms") : (seconds * 1e6, "µs")
        return String(format: value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value) + " " + unit
    }

    private func coloured(_ text: String, _ colour: Int) -> String {
        hasColour ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }

    // MARK: Standard error

    private static var terminalHasColour: Bool {
        let environment = ProcessInfo.processInfo.environment
        guard environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" else { return false }
        return isatty(STDERR_FILENO) == 1
    }

    /// In one write, so that lines of different calls do not mix. What cannot be written is lost.
    private static let writeToStandardError: @Sendable (String) -> Void = { line in
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(STDERR_FILENO, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// `write` of the system: inside the type the name is another's.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

extension ClientObserver where Self == ConsoleLogger {
    /// Writes lines for people to standard error; a line for each call by default.
    public static func console(_ level: ConsoleLogger.Level = .calls) -> ConsoleLogger { ConsoleLogger(level) }
}

extension ClientEvent.Outcome {
    fileprivate var isFailure: Bool {
        switch self {
        case .completed(let status): status.isServerError
        case .failed: true
        case .cancelled, .abandoned: false
        }
    }

    fileprivate var colour: Int {
        switch self {
        case .completed(let status): status.colour
        case .failed: 31
        case .cancelled, .abandoned: 35
        }
    }
}

extension HTTPStatus {
    /// Of the sequences that give a terminal colour (ECMA-48, section 8.3.117).
    fileprivate var colour: Int { isSuccess ? 32 : code < 400 ? 36 : code < 500 ? 33 : 31 }
}
