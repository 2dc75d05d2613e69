// The response head: its bytes as they were on the wire, and its lines for people.

import Martlet

extension ResponseHead {
    /// The status line and the fields as lines of text.
    var lines: [String] {
        [statusLine] + headers.map { "\($0.name): \($0.value)" }
    }

    /// The head as it was on the wire, apart from the space around the values.
    var wireBytes: [UInt8] {
        var bytes = Array("\(version) \(status.code) \(reason)\r\n".utf8)
        for index in headers.indices {
            headers.withFieldBytes(at: index) { name, value in
                bytes += name
                bytes += Array(": ".utf8)
                bytes += value
                bytes += [0x0D, 0x0A]
            }
        }
        return bytes + [0x0D, 0x0A]
    }

    /// The head for a terminal: without what it would obey, and coloured when it shows colours.
    func display(hasColour: Bool) -> String {
        func ink(_ text: String, _ code: String) -> String {
            hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
        }
        let colour = status.code >= 500 ? "31;1" : status.code >= 400 ? "31" : status.code >= 300 ? "33" : "32"
        let fields = headers.map { ink($0.name.harmless, "34") + ": " + $0.value.harmless }
        return ([ink(statusLine.harmless, colour)] + fields).joined(separator: "\n") + "\n\n"
    }

    private var statusLine: String {
        reason.isEmpty ? "\(version) \(status.code)" : "\(version) \(status.code) \(reason)"
    }
}
