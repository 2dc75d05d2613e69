// What nghttp2 calls. Each callback takes a note and returns; nothing is thrown out of C, and nothing of the actor is touched.

#if SocketTransport && os(Linux)
import CNGHTTP2
import Foundation

/// The callbacks and options of all sessions.
enum HTTP2Callbacks {
    private static let failure = Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

    private static func session(_ pointer: UnsafeMutableRawPointer?) -> HTTP2Session? {
        pointer.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Made once and never freed.
    nonisolated(unsafe) static let option: OpaquePointer? = {
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0 else { return nil }
        nghttp2_option_set_no_auto_window_update(option, 1)
        // We count streams ourselves; until the peer's SETTINGS have come there is one.
        nghttp2_option_set_peer_max_concurrent_streams(option, 100)
        nghttp2_option_set_max_send_header_block_length(option, 1 << 20)
        nghttp2_option_set_no_closed_streams(option, 1)
        return option
    }()

    /// Made once and never freed; a session copies it.
    nonisolated(unsafe) static let shared: OpaquePointer? = {
        var made: OpaquePointer?
        guard nghttp2_session_callbacks_new(&made) == 0, let callbacks = made else { return nil }
        setReceiving(callbacks)
        setSending(callbacks)
        return callbacks
    }()

    // MARK: Receiving

    private static func setReceiving(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            guard let session = HTTP2Callbacks.session(user), let frame else { return 0 }
            session.isInBlock = true
            session.blockNumber &+= 1
            session.block.removeAll()
            session.stream(martlet_frame_stream(frame))?.beginBlock()
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, user in
            guard let session = HTTP2Callbacks.session(user), let frame,
                let stream = session.stream(martlet_frame_stream(frame))
            else { return 0 }
            stream.receivedField(
                UnsafeRawBufferPointer(start: name, count: nameLength),
                UnsafeRawBufferPointer(start: value, count: valueLength), into: session.block)
            return 0
        }
        // A field that RFC 9113 forbids makes the response malformed (section 8.1.1).
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, _ in
            HTTP2Callbacks.failure
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, bytes, count, user in
            guard let session = HTTP2Callbacks.session(user), let bytes else { return 0 }
            session.creditConnection(count)
            guard let stream = session.stream(id) else { return 0 }
            stream.received += count
            let start = session.offset(of: bytes)
            session.events.append(.data(stream, start..<(start + count)))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            guard let session = HTTP2Callbacks.session(user), let frame else { return 0 }
            HTTP2Callbacks.received(frame, in: session)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { pointer, id, code, user in
            guard let session = HTTP2Callbacks.session(user), let stream = session.stream(id) else { return 0 }
            stream.wasEndedByPeer = nghttp2_session_get_stream_remote_close(pointer, id) == 1
            if code != 0 || !stream.hasEnded {
                session.events.append(.closed(stream, HTTP2ErrorCode(value: code)))
            }
            return 0
        }
    }

    private static func received(_ frame: UnsafePointer<nghttp2_frame>, in session: HTTP2Session) {
        let stream = session.stream(martlet_frame_stream(frame))
        stream?.exchange?.metrics.bytesReceived += martlet_frame_length(frame) + 9
        switch UInt32(martlet_frame_type(frame)) {
        case NGHTTP2_HEADERS.rawValue:
            session.isInBlock = false
            guard let stream else { return session.events.append(.idleFrame) }
            switch stream.end(session.block) {
            case .informational(let head): session.events.append(.informational(stream, head))
            case .head: session.events.append(.head(stream))
            case .trailers: break
            case .failed(let error): return session.events.append(.failed(stream, error))
            }
            end(stream, frame, in: session)
        case NGHTTP2_DATA.rawValue:
            // An empty one that ends a body is of use.
            if martlet_frame_length(frame) == 0, martlet_frame_ends_stream(frame) == 0 {
                session.events.append(.idleFrame)
            }
            if let stream { end(stream, frame, in: session) }
        case NGHTTP2_RST_STREAM.rawValue:
            if let stream {
                session.events.append(.reset(stream, HTTP2ErrorCode(value: martlet_frame_error(frame))))
            } else {
                session.events.append(.idleFrame)
            }
        case NGHTTP2_SETTINGS.rawValue:
            if martlet_frame_is_ack(frame) == 0 { session.events.append(.settings) }
            session.events.append(.idleFrame)
        case NGHTTP2_PING.rawValue:
            session.events.append(martlet_frame_is_ack(frame) == 0 ? .idleFrame : .pong)
        case NGHTTP2_GOAWAY.rawValue:
            session.events.append(
                .goAway(
                    lastStream: martlet_goaway_last_stream(frame), HTTP2ErrorCode(value: martlet_frame_error(frame))))
            session.events.append(.idleFrame)
        case NGHTTP2_WINDOW_UPDATE.rawValue:
            break
        default:
            session.events.append(.idleFrame)
        }
    }

    private static func end(_ stream: HTTP2Stream, _ frame: UnsafePointer<nghttp2_frame>, in session: HTTP2Session) {
        guard martlet_frame_ends_stream(frame) != 0 else { return }
        stream.hasEnded = true
        session.events.append(.end(stream))
    }

    // MARK: Sending

    /// Where the body of a stream comes from.
    static var provider: nghttp2_data_provider {
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, id, _, length, flags, _, user in
            guard let session = HTTP2Callbacks.session(user), let stream = session.stream(id), let flags else {
                return Int(HTTP2Callbacks.failure)
            }
            return HTTP2Callbacks.read(stream, length, flags, in: session)
        }
        return provider
    }

    private static func read(
        _ stream: HTTP2Stream, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>, in session: HTTP2Session
    ) -> Int {
        let count = min(length, stream.upload.count)
        if stream.upload.ending == .finished, count == stream.upload.count {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if let trailers = stream.requestTrailers, !trailers.isEmpty,
                session.submitTrailers(trailers, on: stream.id)
            {
                flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
            }
        } else if count == 0 {
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
        flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        return count
    }

    private static func setSending(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, head, length, _, user in
            guard let session = HTTP2Callbacks.session(user), let frame, let head,
                let stream = session.stream(martlet_frame_stream(frame))
            else { return HTTP2Callbacks.failure }
            session.framing.append(contentsOf: UnsafeBufferPointer(start: head, count: 9))
            session.moveFraming()
            stream.upload.take(length) { session.output.append(body: $0) }
            stream.exchange?.metrics.bodyBytesSent += length
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
            guard let session = HTTP2Callbacks.session(user), let frame else { return 0 }
            HTTP2Callbacks.sent(frame, in: session)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
            guard let session = HTTP2Callbacks.session(user), let frame,
                martlet_frame_type(frame) == NGHTTP2_HEADERS.rawValue,
                let stream = session.stream(martlet_frame_stream(frame))
            else { return 0 }
            session.events.append(.notSent(stream, code))
            return 0
        }
    }

    private static func sent(_ frame: UnsafePointer<nghttp2_frame>, in session: HTTP2Session) {
        switch UInt32(martlet_frame_type(frame)) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard let stream = session.stream(martlet_frame_stream(frame)) else { return }
            stream.exchange?.metrics.bytesSent += martlet_frame_length(frame) + 9
            let isEnd = martlet_frame_ends_stream(frame) != 0
            if isEnd { stream.isRequestSent = true }
            session.events.append(.sent(stream, isEnd: isEnd))
        case NGHTTP2_GOAWAY.rawValue where martlet_frame_error(frame) != 0:
            let reason = UnsafeBufferPointer(
                start: martlet_goaway_text(frame), count: martlet_goaway_text_length(frame))
            session.events.append(
                .violation(
                    HTTP2ErrorCode(value: martlet_frame_error(frame)), String(decoding: reason, as: UTF8.self)))
        default:
            break
        }
    }
}
#endif
