// A request as a command for `sh` and curl. Each word stands in single quotes, in which a POSIX shell reads nothing (XCU, section 2.2.2);
// what curl would add by itself is taken out, so that what arrives is the same. Default: secrets are hidden.

import Foundation

/// Writes the command.
struct CurlCommand {
    private let request: Request
    private let redaction: Redaction
    private var words: [String] = []
    /// What is piped into curl.
    private var input: String?

    /// Above this an argument might be longer than a system takes (128 KiB on Linux).
    private static let longestArgument = 64 << 10

    static func text(_ request: Request, _ redaction: Redaction) -> String {
        var command = CurlCommand(request, redaction)
        command.addMethod()
        command.addFields()
        command.addBody()
        command.words.append(quoted(command.url))
        let curl = "curl " + command.words.joined(separator: " \\\n  ")
        return command.input.map { "\($0) | \(curl)" } ?? curl
    }

    private init(_ request: Request, _ redaction: Redaction) {
        self.request = request
        self.redaction = redaction
    }

    private var url: String { redaction.url(request.url.withoutFragment) }

    private mutating func addMethod() {
        // Brackets and braces are a pattern to curl, and dots in escapes are dots to it.
        if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
        if url.lowercased().contains("%2e") { words.append("--path-as-is") }
        if request.asksForCodings { words.append("--compressed") }
        if request.method == .head, request.body.isEmpty {
            words.append("--head")
        } else if request.method != .get || !request.body.isEmpty {
            words.append("--request \(Self.quoted(request.method.rawValue))")
        }
    }

    private mutating func addFields() {
        for field in request.headers {
            let value = redaction.value(field.value, ofHeader: field.name)
            // With a colon alone curl would take the field out.
            addField(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        for name in ["User-Agent", "Accept"] where !request.headers.contains(name) { addField("\(name):") }
        if request.options.expectContinue != nil {
            addField("Expect: 100-continue")
        } else if !request.body.isEmpty, !request.headers.contains("Expect") {
            addField("Expect:")
        }
    }

    private mutating func addField(_ field: String) { words.append("--header \(Self.quoted(field))") }

    private mutating func addBody() {
        switch request.body.kind {
        case .empty:
            // What has a meaning with a body says that it has none (RFC 9110, section 8.6).
            guard [.post, .put, .patch].contains(request.method) else { return }
            addData("--data-raw ''")
        case .data(let data):
            addData(data)
        case .file(let path):
            addData("--data-binary \(Self.quoted("@" + (path == "-" ? "./-" : path)))")
        case .stream(let length, _, _), .composed(let length, _, _):
            if length == nil { addField("Transfer-Encoding: chunked") }
            addData("--data-binary @-")
        }
    }

    private mutating func addData(_ option: String) {
        if !request.headers.contains("Content-Type") { addField("Content-Type:") }
        words.append(option)
    }

    private mutating func addData(_ data: Data) {
        let isPlain = !data.contains(0) && data.count <= Self.longestArgument
        switch shown(data) {
        case .text(let text) where isPlain || text.utf8.count <= Self.longestArgument:
            addData("--data-raw \(Self.quoted(text))")
        case .text(let text):
            input = "printf '%s' \(Self.quoted(text))"
            addData("--data-binary @-")
        case .bytes(let bytes):
            input = "printf \(Self.format(bytes))"
            addData("--data-binary @-")
        }
    }

    private enum Shown {
        case text(String)
        case bytes(Data)
    }

    /// The body as it may be shown. What names cannot be looked for in is not shown at all, unless nothing is hidden.
    private func shown(_ data: Data) -> Shown {
        let type = request.headers.mediaType
        if !redaction.hidesNothing {
            if type?.essence == "application/x-www-form-urlencoded" {
                return .text(redaction.form(String(decoding: data, as: UTF8.self)))
            }
            if type == nil || type?.isJSON == true, let text = redaction.json(data) { return .text(text) }
            return .text("<\(data.count) bytes>")
        }
        guard !data.contains(0), let text = String(data: data, encoding: .utf8) else { return .bytes(data) }
        return .text(text)
    }

    /// The text as one word of a POSIX shell.
    static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

    /// The bytes as the format of `printf`, which a shell has in itself.
    private static func format(_ data: Data) -> String {
        var text = "'"
        for byte in data {
            switch byte {
            case UInt8(ascii: "%"): text += "%%"
            // A hyphen in front would begin an option.
            case UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "-"), 0..<0x20, 0x7F...:
                let digits = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            default: text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return text + "'"
    }
}

extension MediaType {
    /// Whether the type is JSON, or says that it is written in it.
    var isJSON: Bool { essence == "application/json" || suffix == "json" }
}

extension Request {
    /// The request as a command of curl's for a POSIX shell, which sends the same.
    ///
    /// ```swift
    /// print(try client.post("/users", json: draft).curlCommand())
    /// ```
    ///
    /// Secrets are hidden by default, and so is a body that is neither JSON nor a form; with `.none` the command is complete and can be
    /// run. A file is named; a streamed body is expected on standard input.
    public func curlCommand(redacting redaction: Redaction = .standard) -> String { CurlCommand.text(self, redaction) }
}

extension Call {
    /// The call as a command of curl's for a POSIX shell; see ``Request/curlCommand(redacting:)``. What interceptors add is not in it.
    ///
    /// - Throws: what ``makeRequest()`` throws.
    public func curlCommand(redacting redaction: Redaction = .standard) throws(MartletError) -> String {
        try makeRequest().curlCommand(redacting: redaction)
    }
}
