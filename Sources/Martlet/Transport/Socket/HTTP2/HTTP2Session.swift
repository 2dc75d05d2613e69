// HTTP/2 framing and HPACK by nghttp2 (RFC 9113, RFC 7541): bytes in, events out; requests in, bytes out. Its callbacks only
// take notes, here and in the streams; whoever reads acts on the notes once nghttp2 has returned. It knows no socket.
//
// Windows are updated by hand: a connection's when bytes arrive, a stream's when its consumer has taken them.

#if SocketTransport && os(Linux)
import CNGHTTP2
import Foundation

/// One client session of nghttp2. Used on the loop's thread only.
final class HTTP2Session {
    /// What the peer's bytes have brought about, in their order.
    enum Event {
        case informational(HTTP2Stream, ResponseHead)
        case head(HTTP2Stream)
        /// Body bytes: offsets into the buffer that was read.
        case data(HTTP2Stream, Range<Int>)
        /// END_STREAM: the response is complete.
        case end(HTTP2Stream)
        /// The response cannot be taken.
        case failed(HTTP2Stream, MartletError)
        /// The peer reset the stream.
        case reset(HTTP2Stream, HTTP2ErrorCode)
        /// nghttp2 closed the stream, since what the peer sent on it breaks the rules, or a GOAWAY excludes it.
        case closed(HTTP2Stream, HTTP2ErrorCode)
        /// The frame with the request was not sent; an error of nghttp2.
        case notSent(HTTP2Stream, Int32)
        /// Some of the request was put into the output; whether that was its end.
        case sent(HTTP2Stream, isEnd: Bool)
        case settings
        case goAway(lastStream: Int32, HTTP2ErrorCode)
        case pong
        /// We end the connection, since the peer breaks the rules.
        case violation(HTTP2ErrorCode, String)
        /// A frame without use: one is fine, thousands are a flood.
        case idleFrame
    }

    /// The windows in bytes.
    struct Windows {
        var connection = 8 << 20
        var stream = 1 << 20
    }

    // Values that only the loop's thread touches and whose methods call nothing back, as in `HTTP1Connection`.
    @exclusivity(unchecked) var events: [Event] = []
    /// Bytes for the socket.
    var output = OutgoingQueue()
    @exclusivity(unchecked) var framing: [UInt8] = []
    @exclusivity(unchecked) private(set) var streams = IDMap<HTTP2Stream>()
    @exclusivity(unchecked) var lastStream: HTTP2Stream?

    // The header block being received, which nghttp2 reads from frames that it does not show.
    let block = HTTP2HeaderBlock()
    var isInBlock = false
    var blockNumber = 0
    private var openBlockBytes = 0
    var input = UnsafeRawBufferPointer(start: nil, count: 0)

    private let pointer: OpaquePointer
    private var fields = HTTP2Fields()
    private let plainFields = HTTP2PlainFields()

    /// More bytes than this in one header block end the connection.
    private static let blockLimit = 256 << 10

    /// Makes a session, whose preface and SETTINGS are the first of its output.
    init(windows: Windows = Windows(), headBytes: Int = 65_536) throws(MartletError) {
        var session: OpaquePointer?
        guard let callbacks = HTTP2Callbacks.shared, let option = HTTP2Callbacks.option,
            nghttp2_session_client_new2(&session, callbacks, nil, option) == 0, let session
        else { throw MartletError(.other, "nghttp2 could not start a session: no memory.") }
        pointer = session
        nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        let settings = [
            Self.setting(NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
            Self.setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, windows.stream),
            Self.setting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, headBytes),
        ]
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
        let window = Int32(clamping: max(65_535, windows.connection))
        nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, window)
    }

    deinit { nghttp2_session_del(pointer) }

    private static func setting(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
        nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
    }

    // MARK: Receiving

    /// Reads bytes of the peer and adds to `events`; throws when the session is of no further use.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(MartletError) {
        let wasInBlock = isInBlock
        let number = blockNumber
        input = bytes
        let result = nghttp2_session_mem_recv(
            pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        guard result >= 0 else {
            throw MartletError(
                .invalidResponse,
                "The server breaks the rules of HTTP/2: \(Self.text(Int32(clamping: result))).")
        }
        if wasInBlock, isInBlock, number == blockNumber {
            openBlockBytes += bytes.count
            guard openBlockBytes <= Self.blockLimit else {
                throw MartletError(.headTooLarge, "The server sends a header block without end.")
            }
        } else {
            openBlockBytes = 0
        }
    }

    /// The offset of `bytes` in the buffer that is being read.
    func offset(of bytes: UnsafePointer<UInt8>) -> Int {
        input.baseAddress.map { $0.distance(to: UnsafeRawPointer(bytes)) } ?? 0
    }

    func stream(_ id: Int32) -> HTTP2Stream? {
        if let lastStream, lastStream.id == id { return lastStream }
        guard id > 0, let found = streams[UInt64(id)] else { return nil }
        lastStream = found
        return found
    }

    // MARK: Sending

    /// Puts frames into `output` until there are none, or until it holds `limit` bytes.
    func serialize(upTo limit: Int) {
        while output.count + framing.count < limit {
            var bytes: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(pointer, &bytes)
            guard count > 0, let bytes else { break }
            framing.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
        moveFraming()
    }

    func moveFraming() {
        guard !framing.isEmpty else { return }
        output.append(framing: framing)
        framing = []
    }

    /// Whether nghttp2 has frames that wait, or may come to have by reading on; false when the session is over.
    var isAlive: Bool { nghttp2_session_want_read(pointer) != 0 || nghttp2_session_want_write(pointer) != 0 }

    /// Starts a stream with a request; throws `invalidRequest`, and `connectionClosed` when no stream can be started.
    func submit(
        _ request: Request, _ body: OpenedBody, on stream: HTTP2Stream, hasBody: Bool
    ) throws(MartletError) {
        let pointer = pointer
        let id: Int32
        if hasBody || !request.headers.isPlain || request.method != .get {
            fields.set(request, body, expectsContinue: request.options.expectContinue != nil && hasBody)
            var provider = HTTP2Callbacks.provider
            id = fields.withPairs { pairs, count in
                hasBody
                    ? nghttp2_submit_request(pointer, nil, pairs, count, &provider, nil)
                    : nghttp2_submit_request(pointer, nil, pairs, count, nil, nil)
            }
        } else {
            id = plainFields.withPairs(get: request.url, request.headers) { pairs, count in
                nghttp2_submit_request(pointer, nil, pairs, count, nil, nil)
            }
        }
        guard id > 0 else {
            throw MartletError(.connectionClosed, "The HTTP/2 connection can start no stream: \(Self.text(id)).")
                .with { $0.recovery = .unprocessed }
        }
        stream.id = id
        streams[UInt64(id)] = stream
    }

    /// Ends the request's body with trailer fields. Called where the body's last bytes are taken.
    func submitTrailers(_ trailers: HTTPHeaders, on id: Int32) -> Bool {
        fields.set(trailers: trailers)
        let pointer = pointer
        return fields.withPairs { nghttp2_submit_trailer(pointer, id, $0, $1) } == 0
    }

    /// Tells that a stream's body has more to send.
    func resume(_ stream: HTTP2Stream) { nghttp2_session_resume_data(pointer, stream.id) }

    /// Forgets a stream; nothing about it is noted any more.
    func remove(_ stream: HTTP2Stream) {
        if stream.id > 0 { streams[UInt64(stream.id)] = nil }
        if lastStream === stream { lastStream = nil }
    }

    /// Queues RST_STREAM, which goes out ahead of DATA and of new requests.
    func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.value)
    }

    func ping() { nghttp2_submit_ping(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Queues GOAWAY: no more streams will come.
    func goAway(_ code: HTTP2ErrorCode) { nghttp2_session_terminate_session(pointer, code.value) }

    /// Gives the peer credit for bytes that have arrived on the connection.
    func creditConnection(_ count: Int) { nghttp2_session_consume_connection(pointer, count) }

    /// Gives the peer credit for bytes of a stream that its consumer has taken.
    func credit(_ stream: HTTP2Stream, _ count: Int) {
        guard count > 0 else { return }
        stream.uncredited -= count
        nghttp2_session_consume_stream(pointer, stream.id, count)
    }

    /// How many streams the peer allows at once.
    var peerStreamLimit: Int {
        Int(nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    static func text(_ code: Int32) -> String { nghttp2_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
#endif
