// The error codes of HTTP/2 (RFC 9113, section 7), by the names that people search for.

#if SocketTransport && os(Linux)

/// Why a stream or a connection was ended.
struct HTTP2ErrorCode: Hashable, CustomStringConvertible {
    let value: UInt32

    static let noError = HTTP2ErrorCode(value: 0x0)
    static let internalError = HTTP2ErrorCode(value: 0x2)
    static let refusedStream = HTTP2ErrorCode(value: 0x7)
    static let cancel = HTTP2ErrorCode(value: 0x8)
    static let enhanceYourCalm = HTTP2ErrorCode(value: 0xb)
    static let http1Required = HTTP2ErrorCode(value: 0xd)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var description: String {
        value < UInt32(Self.names.count) ? Self.names[Int(value)] : "error code \(value)"
    }
}
#endif
