// One request and its response on an HTTP/2 connection: the header blocks as they come, the body on its way out, and what has
// ended. It ends by END_STREAM alone (RFC 9113, section 8.1); a reset in front of that is a truncated response.

#if SocketTransport && os(Linux)
import Foundation

/// The state of one stream. Confined to its registry.
final class HTTP2Stream {
    /// What a peer may make us hold for one response.
    typealias Limits = HTTP1Parser.Limits

    var id: Int32 = 0
    let isHead: Bool
    /// The exchange carried; nil once it has ended.
    var exchange: Exchange?
    var connection: HTTP2Connection?
    /// Whether it is closed on the wire already, so that it need not be reset.
    var isClosed = false
    /// Whether it is over though the peer may send more on it.
    var isCutShort = false

    // The response.
    private(set) var head: ResponseHead?
    /// Whether `head` is there, without a copy of it.
    private var hasHead = false
    private(set) var trailers: HTTPHeaders?
    private var status: HTTPStatus?
    private var fieldCount = 0
    private var blockBytes = 0
    private var informationalHeads = 0
    private var limits: Limits
    private(set) var failure: MartletError?
    /// Body bytes in the buffer that is being read, not handed over yet.
    var part = HTTP1Connection.BodyPart()
    /// Whether the head or `part` has to be handed over when the buffer has been read.
    var isTouched = false
    var received = 0
    var hasEnded = false
    /// Whether END_STREAM has come, though perhaps in a frame that was refused.
    var wasEndedByPeer = false

    // The request.
    var upload = HTTP2Upload()
    var requestTrailers: HTTPHeaders?
    var isRequestSent = false
    let continueTimer = LoopTimer()
    var awaitsContinue = false

    /// Bytes received whose credit the peer has not got back.
    var uncredited = 0

    init(isHead: Bool, limits: Limits) {
        self.isHead = isHead
        self.limits = limits
    }

    /// Whether the response can have no body (RFC 9110, section 6.4.1).
    var isBodiless: Bool {
        guard let head else { return false }
        return isHead || head.status == .noContent || head.status == .notModified
    }

    // MARK: Header blocks

    /// A header block begins.
    func beginBlock() {
        status = nil
        fieldCount = 0
        if hasHead { blockBytes = 0 }
    }

    /// A field of the block. nghttp2 has checked the order of pseudo-header fields, the names, and what HTTP/2 forbids.
    func receivedField(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, into block: HTTP2HeaderBlock
    ) {
        guard failure == nil else { return }
        // As RFC 9113 counts, section 6.5.2.
        blockBytes += name.count + value.count + 32
        guard blockBytes <= limits.headBytes else {
            failure = MartletError(.headTooLarge, "The response head exceeds \(limits.headBytes) bytes.")
            return
        }
        if name.first == UInt8(ascii: ":") {
            if value.count == 3 {
                status = HTTPStatus(value.reduce(0) { 10 * $0 + Int($1 & 0x0F) })
            }
            return
        }
        fieldCount += 1
        guard fieldCount <= limits.fields else {
            failure = MartletError(.headTooLarge, "The response has more than \(limits.fields) header fields.")
            return
        }
        if HTTPSyntax.firstNonValueByte(value.bindMemory(to: UInt8.self).span) != nil {
            failure = HTTP1Parser.invalid("A header value of the response holds a control character.")
            return
        }
        if hasHead, HTTPHeaders.isForbiddenInTrailers(name.bindMemory(to: UInt8.self).span) { return }
        block.append(name, value)
    }

    /// What a complete header block was.
    enum Block {
        case informational(ResponseHead)
        case head
        case trailers
        case failed(MartletError)
    }

    /// The block has ended.
    func end(_ block: HTTP2HeaderBlock) -> Block {
        if let failure { return .failed(failure) }
        let taken = block.take()
        if hasHead {
            trailers = taken
            return .trailers
        }
        guard let status else { return fail(HTTP1Parser.invalid("The response has no status.")) }
        let head = ResponseHead(status: status, reason: "", version: .http2, headers: taken)
        guard status.isInformational else {
            self.head = head
            hasHead = true
            return .head
        }
        informationalHeads += 1
        guard informationalHeads <= limits.informationalHeads else {
            return fail(
                MartletError(
                    .tooManyInformationalResponses,
                    "The server sent more than \(limits.informationalHeads) informational responses."))
        }
        return .informational(head)
    }

    private func fail(_ error: MartletError) -> Block {
        failure = error
        return .failed(error)
    }
}
#endif
