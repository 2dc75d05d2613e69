// Frames of HTTP/2 as a test writes and reads them (RFC 9113, section 4.1): any type, any flags, any length, legal or not.
// Nothing here is shared with Martlet's engine.

/// One frame of HTTP/2.
///
/// ```swift
/// let server = try await TestServer.start { connection in
///     try await connection.acceptHTTP2()
///     try await connection.readHTTP2Request()
///     try await connection.send(.headers(1, [":status": "200"]), .data(1, "half"), .reset(1, code: 0))
/// }
/// ```
public struct HTTP2Frame: Sendable, Hashable {
    /// The types that RFC 9113 defines.
    public enum Kind: UInt8, Sendable, Hashable {
        /// DATA
        case data
        /// HEADERS
        case headers
        /// PRIORITY
        case priority
        /// RST_STREAM
        case reset
        /// SETTINGS
        case settings
        /// PUSH_PROMISE
        case pushPromise
        /// PING
        case ping
        /// GOAWAY
        case goAway
        /// WINDOW_UPDATE
        case windowUpdate
        /// CONTINUATION
        case continuation
    }

    /// The type.
    public var type: UInt8
    /// The flags.
    public var flags: UInt8
    /// The stream; 0 is the connection.
    public var stream: UInt32
    /// What follows the frame's head.
    public var payload: [UInt8]
    /// The length that the head tells; nil, the default, tells the truth.
    public var declaredLength: Int?
    /// The fields that the payload holds as literals; a connection compresses them.
    private(set) var fields: [RecordedRequest.Field]?

    /// Makes a frame of any type.
    public init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = [], declaredLength: Int? = nil) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
        self.declaredLength = declaredLength
    }

    /// Makes a frame of a type that RFC 9113 defines.
    public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    /// The type, when it is one that RFC 9113 defines.
    public var kind: Kind? { Kind(rawValue: type) }

    /// Whether END_STREAM is set; so is ACK, by the same bit.
    public var endsStream: Bool { flags & Self.endStream != 0 }

    /// The error code of RST_STREAM and GOAWAY; nil for others.
    public var errorCode: UInt32? {
        switch kind {
        case .reset where payload.count >= 4: number(at: 0)
        case .goAway where payload.count >= 8: number(at: 4)
        default: nil
        }
    }

    private func number(at offset: Int) -> UInt32 {
        payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// END_STREAM, of HEADERS and DATA.
    public static let endStream: UInt8 = 0x1
    /// ACK, of SETTINGS and PING.
    public static let acknowledgement: UInt8 = 0x1
    /// END_HEADERS, of HEADERS and CONTINUATION.
    public static let endHeaders: UInt8 = 0x4
    /// PADDED, of HEADERS and DATA.
    public static let padded: UInt8 = 0x8

    /// The frame as it goes on the wire.
    public var bytes: [UInt8] {
        let length = declaredLength ?? payload.count
        return [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length), type, flags,
        ] + Self.bytes(of: stream) + payload
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

extension HTTP2Frame {
    /// Frames are equal when their bytes are.
    public static func == (one: HTTP2Frame, other: HTTP2Frame) -> Bool { one.bytes == other.bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension HTTP2Frame {
    /// SETTINGS: identifiers and values.
    public static func settings(_ values: KeyValuePairs<UInt16, UInt32> = [:]) -> HTTP2Frame {
        let payload = values.flatMap { identifier, value in
            [UInt8(identifier >> 8), UInt8(identifier & 0xFF)] + bytes(of: value)
        }
        return HTTP2Frame(.settings, payload: payload)
    }

    /// The acknowledgement of SETTINGS.
    public static let settingsAcknowledgement = HTTP2Frame(.settings, flags: acknowledgement)

    /// HEADERS with the fields in their order, whatever they are; compressed when a connection sends them.
    public static func headers(
        _ stream: UInt32, _ fields: KeyValuePairs<String, String>, ends: Bool = false
    ) -> HTTP2Frame {
        headers(stream, fields: fields.map { .init($0, $1) }, ends: ends)
    }

    static func headers(_ stream: UInt32, fields: [RecordedRequest.Field], ends: Bool = false) -> HTTP2Frame {
        var frame = headers(stream, block: literals(fields), ends: ends)
        frame.fields = fields
        return frame
    }

    private static func literals(_ fields: [RecordedRequest.Field]) -> [UInt8] {
        HTTP2FieldBlock.encode(fields.map { ($0.name, $0.value) })
    }

    /// The fields to compress: none where the test has changed the frame by hand.
    var fieldsToCompress: [RecordedRequest.Field]? {
        guard let fields, self == Self.headers(stream, fields: fields, ends: endsStream) else { return nil }
        return fields
    }

    /// HEADERS with an encoded header block, which is sent as it is.
    public static func headers(
        _ stream: UInt32, block: [UInt8], ends: Bool = false, endsBlock: Bool = true
    ) -> HTTP2Frame {
        HTTP2Frame(
            .headers, flags: (ends ? endStream : 0) | (endsBlock ? endHeaders : 0), stream: stream, payload: block)
    }

    /// CONTINUATION.
    public static func continuation(_ stream: UInt32, block: [UInt8], endsBlock: Bool = true) -> HTTP2Frame {
        HTTP2Frame(.continuation, flags: endsBlock ? endHeaders : 0, stream: stream, payload: block)
    }

    /// DATA.
    public static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.data, flags: ends ? endStream : 0, stream: stream, payload: bytes)
    }

    /// DATA with text.
    public static func data(_ stream: UInt32, _ text: String, ends: Bool = false) -> HTTP2Frame {
        data(stream, Array(text.utf8), ends: ends)
    }

    /// RST_STREAM.
    public static func reset(_ stream: UInt32, code: UInt32) -> HTTP2Frame {
        HTTP2Frame(.reset, stream: stream, payload: bytes(of: code))
    }

    /// GOAWAY.
    public static func goAway(last stream: UInt32, code: UInt32 = 0) -> HTTP2Frame {
        HTTP2Frame(.goAway, payload: bytes(of: stream) + bytes(of: code))
    }

    /// WINDOW_UPDATE.
    public static func windowUpdate(_ stream: UInt32, by increment: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, payload: bytes(of: increment))
    }

    /// PING.
    public static func ping(_ data: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7], isAnswer: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.ping, flags: isAnswer ? acknowledgement : 0, payload: data)
    }
}
