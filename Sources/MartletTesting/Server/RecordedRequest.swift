// A request as the test server saw it. Parsing is lenient on purpose: what a client sent is the thing under test, so
// the raw bytes are kept beside the parsed form, and only a head without a request line is an error.

public import Foundation

/// A request that a test server received.
public struct RecordedRequest: Sendable {
    /// One header field, spelt as it came.
    public struct Field: Sendable, Hashable, CustomStringConvertible {
        /// The name, in the case in which it was sent.
        public var name: String
        /// The value, without the white space around it.
        public var value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        /// The field as a header line.
        public var description: String { "\(name): \(value)" }
    }

    /// The method.
    public internal(set) var method: String
    /// The request target, exactly as sent: path and query, or an absolute URL to a proxy.
    public internal(set) var target: String
    /// The version, as sent: "HTTP/1.1".
    public internal(set) var version: String
    /// The header fields in their order, repeated ones included.
    public internal(set) var fields: [Field]
    /// The head's bytes exactly as sent, with the empty line at its end.
    public internal(set) var rawHead: Data
    /// The body's bytes as they were on the wire: with chunk framing and trailers when it was chunked.
    public internal(set) var rawBody = Data()
    /// The body.
    public internal(set) var body = Data()
    /// The trailer fields of a chunked body.
    public internal(set) var trailers: [Field] = []
    /// The lengths of the chunks of a chunked body, in their order, without the last, empty one.
    public internal(set) var chunkLengths: [Int] = []
    /// Whether the body has been read to its end. False while only the head has been read, or when the client broke
    /// off.
    public internal(set) var isComplete = false
    /// The number of the connection on which it came, from 0 in the order of acceptance.
    public internal(set) var connectionNumber = 0
    /// The place of the request on its connection, from 0.
    public internal(set) var indexOnConnection = 0
    /// The name that the client asked for in the TLS handshake (SNI); nil without TLS, and for addresses.
    public internal(set) var serverName: String?
    /// The stream on which it came, over HTTP/2; nil otherwise.
    public internal(set) var stream: UInt32?
    /// The fields as they came over HTTP/2, pseudo-header fields included; empty otherwise. `fields` has `:authority` as `host`.
    public internal(set) var http2Fields: [Field] = []
    /// Its place in `TestServer.requests`.
    var recordIndex = 0

    /// The first value of a field; names are compared without regard to case.
    public subscript(name: String) -> String? {
        fields.first { isSameName($0.name, name) }?.value
    }

    /// All values of a field in their order.
    public func values(for name: String) -> [String] {
        fields.filter { isSameName($0.name, name) }.map(\.value)
    }

    /// The head as text, exactly as sent. Bytes that are not UTF-8 read as Latin-1.
    public var headText: String { text(rawHead) }

    /// The body as text. Bytes that are not UTF-8 read as Latin-1.
    public var bodyText: String { text(body) }

    /// The target up to its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target's query, still percent-encoded, without the question mark.
    public var query: String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return String(target[target.index(after: mark)...])
    }

    /// The query's items in their order, percent-decoded; "+" is left alone.
    public var queryItems: [URLQueryItem] {
        guard let query else { return [] }
        return query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? String($0) }
            return URLQueryItem(name: parts.first ?? "", value: parts.count > 1 ? parts[1] : nil)
        }
    }

    /// Decodes the body as JSON. Throws what `JSONDecoder` throws.
    public func json<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }

    /// Whether the client waits for "100 Continue" before it sends the body.
    public var expectsContinue: Bool {
        values(for: "Expect").contains { isSameName($0, "100-continue") }
    }

    /// Whether the client wants the connection to stay open after this exchange.
    public var keepsConnection: Bool {
        let options = values(for: "Connection").joined(separator: ",").lowercased()
        if options.contains("close") { return false }
        return version == "HTTP/1.1" || options.contains("keep-alive")
    }
}

extension RecordedRequest {
    /// Reads a head leniently: bare line feeds, odd spacing and illegal bytes are taken as they are.
    init(head: Data) throws(TestServerError) {
        var lines = splitLines(head)
        while lines.first?.isEmpty == true { lines.removeFirst() }
        guard let requestLine = lines.first else { throw .malformedRequest("the head is empty") }
        let words = requestLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3 else { throw .malformedRequest("the request line is \"\(requestLine)\"") }
        (method, target, version) = (words[0], words[1], words[2])
        fields = parseFields(lines.dropFirst())
        rawHead = head
    }
}

/// The lines of a head, ended by LF or CRLF. Split as bytes: to a String, CRLF is one character.
func splitLines(_ bytes: Data) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
        text(line.last == UInt8(ascii: "\r") ? Data(line.dropLast()) : Data(line))
    }
}

/// Reads "name: value" lines up to the first empty one.
func parseFields(_ lines: some Sequence<String>) -> [RecordedRequest.Field] {
    lines.prefix { !$0.isEmpty }.map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count > 1 ? parts[1].trimmingPrefix { $0 == " " || $0 == "\t" } : ""
        let end = value.lastIndex { $0 != " " && $0 != "\t" }.map { value.index(after: $0) } ?? value.startIndex
        return RecordedRequest.Field(parts.first.map(String.init) ?? "", String(value[..<end]))
    }
}

func isSameName(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && one.lowercased() == other.lowercased()
}

func text(_ data: Data) -> String {
    // The fallback cannot fail: every byte is a Latin-1 character.
    String(data: data, encoding: .utf8) ?? String(data: data, encoding: .isoLatin1) ?? ""
}
