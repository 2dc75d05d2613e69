// Redaction of what Martlet's own types hold.

public import Foundation

extension Redaction {
    /// A URL as it may be shown: without its query values and fragment by default. A URL of Martlet's never has user information.
    public func url(_ url: RequestURL) -> String {
        let path = url.slice(0, url.pathEnd)
        return url.pathEnd == url.text.utf8.count
            ? path : path + tail(url.text[url.text.utf8.index(url.text.startIndex, offsetBy: url.pathEnd)...])
    }

    /// The header fields as `Name: value`, one a line, as they may be shown.
    public func headers(_ headers: HTTPHeaders) -> [String] {
        headers.map { "\($0.name): \(value($0.value, ofHeader: $0.name))" }
    }

    /// A JSON text as it may be shown: as it is, but for the values of the keys that are hidden. Nil when the bytes are not JSON.
    public func json(_ data: Data) -> String? {
        guard (try? JSONValue(parsing: data)) != nil else { return nil }
        return bodyFields == .none ? String(decoding: data, as: UTF8.self) : JSONRedactor(data, self).text()
    }
}

/// Copies a JSON text that was found to be valid, without the values of some keys.
private struct JSONRedactor {
    private let bytes: [UInt8]
    private let redaction: Redaction
    private var index = 0
    private var output: [UInt8] = []

    init(_ data: Data, _ redaction: Redaction) {
        bytes = Array(data)
        self.redaction = redaction
        output.reserveCapacity(bytes.count)
    }

    func text() -> String {
        var copy = self
        copy.run()
        return String(decoding: copy.output, as: UTF8.self)
    }

    private mutating func run() {
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                output.append(bytes[index])
                index += 1
                continue
            }
            let start = index
            skipString()
            output += bytes[start..<index]
            guard isFollowedByColon else { continue }
            let key = bytes[(start + 1)..<max(start + 1, index - 1)]
            // Whoever escapes letters of a key has something to hide.
            let isHidden =
                key.contains(UInt8(ascii: "\\")) || redaction.bodyFields.contains(String(decoding: key, as: UTF8.self))
            guard isHidden else { continue }
            copySpace()
            copyByte()
            copySpace()
            skipValue()
            output += "\"\(Redaction.mark)\"".utf8
        }
    }

    private var isFollowedByColon: Bool {
        bytes[index...].first { !Self.isSpace($0) } == UInt8(ascii: ":")
    }

    private mutating func copyByte() {
        guard index < bytes.count else { return }
        output.append(bytes[index])
        index += 1
    }

    private mutating func copySpace() {
        while index < bytes.count, Self.isSpace(bytes[index]) { copyByte() }
    }

    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
    }

    private mutating func skipValue() {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return
                }
            case UInt8(ascii: ","):
                if depth == 0 { return }
            case let byte where depth == 0 && Self.isSpace(byte): return
            default: break
            }
            index += 1
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
