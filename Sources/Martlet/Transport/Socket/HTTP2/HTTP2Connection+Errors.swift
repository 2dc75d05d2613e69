// What the end of a stream means for its call (RFC 9113, sections 5.4, 6.8 and 8.7; RFC 9110, section 9.2.2): whether the
// server can have processed the request, and whether a response was cut short.

#if SocketTransport && os(Linux)
import CNGHTTP2

extension HTTP2Connection {
    /// The peer reset the stream.
    func resetError(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode, _ version: HTTPVersionPolicy) -> MartletError {
        if stream.head != nil { return truncated(stream, "The server reset the stream (\(code))") }
        if code == .refusedStream {
            return unprocessed("The server refused the stream (\(code)) without having processed the request.")
        }
        if code == .http1Required { return http1RequiredError(version) }
        return MartletError(.streamReset, "The server reset the stream before it had answered (\(code)).")
    }

    private func http1RequiredError(_ version: HTTPVersionPolicy) -> MartletError {
        let what = "The server wants this request over HTTP/1.1 (HTTP_1_1_REQUIRED)"
        guard version == .automatic else {
            return MartletError(.versionNotNegotiated, "\(what), which `httpVersion` does not allow.")
        }
        return MartletError(.versionNotNegotiated, "\(what).").with { $0.recovery = .http1Required }
    }

    /// nghttp2 closed the stream without the peer having reset it.
    func closedError(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> MartletError {
        if isRetired, code == .refusedStream {
            return unprocessed("The server is going away (GOAWAY) and has not processed the request.")
        }
        guard let head = stream.head else {
            return HTTP1Parser.invalid("The response head breaks the rules of HTTP/2 (\(code)).")
        }
        if let length = head.headers.contentLength, stream.hasEndedShort(of: length) {
            return truncated(stream, "The server ended the stream early")
        }
        return HTTP1Parser.invalid(
            "The response breaks the rules of HTTP/2 (\(code)), or its body is not as long as its Content-Length says.")
    }

    /// nghttp2 did not send the frame with the request.
    func notSentError(_ code: Int32) -> MartletError {
        switch nghttp2_error(code) {
        case NGHTTP2_ERR_START_STREAM_NOT_ALLOWED, NGHTTP2_ERR_SESSION_CLOSING, NGHTTP2_ERR_STREAM_CLOSED,
            NGHTTP2_ERR_STREAM_CLOSING:
            unprocessed("The connection takes no more requests, and this one was not sent.")
        case NGHTTP2_ERR_FRAME_SIZE_ERROR, NGHTTP2_ERR_HEADER_COMP:
            MartletError(.invalidRequest, "The request head is too large to be sent.")
        default:
            MartletError(.other, "nghttp2 did not send the request: \(HTTP2Session.text(code)).")
        }
    }

    /// The connection ended under the stream.
    func lost(_ stream: HTTP2Stream, _ what: String) -> MartletError {
        if stream.head != nil { return truncated(stream, what) }
        let error = MartletError(.connectionClosed, "\(what) before the server had answered.")
        guard let exchange = stream.exchange else { return error }
        if exchange.metrics.bytesSent == 0 { return error.with { $0.recovery = .unprocessed } }
        // As on a kept connection of HTTP/1.1: the server may have closed it while the request was on its way.
        if exchange.metrics.reusedConnection { return error.with { $0.recovery = .staleConnection } }
        return error
    }

    private func unprocessed(_ text: String) -> MartletError {
        MartletError(.connectionClosed, text).with { $0.recovery = .unprocessed }
    }

    private func truncated(_ stream: HTTP2Stream, _ what: String) -> MartletError {
        let of = stream.head?.headers.contentLength.map { " of \($0)" } ?? ""
        return MartletError(.bodyTruncated, "\(what) after \(stream.received)\(of) bytes of the body.")
    }
}

extension HTTP2Stream {
    /// Whether fewer bytes have come than were announced.
    func hasEndedShort(of length: Int) -> Bool { wasEndedByPeer && !isBodiless && received < length }
}
#endif
