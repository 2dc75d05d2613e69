#if SocketTransport && os(Linux)
// HTTP/2 on a connection of a test server: frames read and written one by one, requests put together from them. Only what a test
// asks for is sent, except that whole requests are read with the courtesies without which a client would wait: SETTINGS and
// PING are acknowledged, and credit is given for DATA.

import Foundation

/// What a connection knows of HTTP/2.
struct HTTP2State {
    let decoder = HTTP2FieldDecoder()
    let encoder = HTTP2FieldEncoder()
    /// Requests that are being read, by their streams.
    var open: [UInt32: RecordedRequest] = [:]
    /// A header block that is not complete.
    var block: [UInt8] = []
    var blockEndsStream = false
    /// The streams that the client has reset, with the codes, in their order.
    var resets: [(stream: UInt32, code: UInt32)] = []
    var lastStream: UInt32 = 0
    // What the client allows us to send.
    var initialWindow = 65_535
    var connectionWindow = 65_535
    var windows: [UInt32: Int] = [:]
    /// Whether credit is given for DATA as it is read.
    var givesCredit = true
    /// The last stream that is answered, once GOAWAY was sent by a server that answers by itself.
    var finalStream: UInt32?
    /// Whether the client has finished.
    var hasEnded = false
}

extension TestConnection {
    /// The bytes with which a client begins (RFC 9113, section 3.4).
    public static let http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Reads the client's preface and sends SETTINGS. The client's own SETTINGS are the first frame to read.
    public func acceptHTTP2(_ settings: HTTP2Frame = .settings()) throws(TestServerError) {
        let preface = try readExactly(Self.http2Preface.utf8.count)
        guard preface == Data(Self.http2Preface.utf8) else {
            throw .malformedRequest("it does not begin with the preface of HTTP/2")
        }
        http2 = HTTP2State()
        try send(settings)
    }

    /// Sends frames in one write.
    public func send(_ frames: HTTP2Frame...) throws(TestServerError) { try send(frames) }

    /// Sends frames in one write.
    public func send(_ frames: [HTTP2Frame]) throws(TestServerError) {
        try send(frames.flatMap { wireBytes(of: $0) })
    }

    /// A frame as it goes out: fields compressed, in as many frames as they take (RFC 9113, section 4.2).
    private func wireBytes(of frame: HTTP2Frame) -> [UInt8] {
        guard let fields = frame.fieldsToCompress else { return frame.bytes }
        var rest = http2.encoder.encode(fields)[...]
        let first = rest.prefix(16_384)
        rest = rest.dropFirst(first.count)
        var bytes = HTTP2Frame.headers(
            frame.stream, block: Array(first), ends: frame.endsStream, endsBlock: rest.isEmpty
        ).bytes
        while !rest.isEmpty {
            let part = rest.prefix(16_384)
            rest = rest.dropFirst(part.count)
            bytes += HTTP2Frame.continuation(frame.stream, block: Array(part), endsBlock: rest.isEmpty).bytes
        }
        return bytes
    }

    /// Waits for the next frame; nothing is done about it.
    public func readFrame() throws(TestServerError) -> HTTP2Frame {
        guard let frame = try readFrameOrEnd() else { throw .peerClosed }
        return frame
    }

    func readFrameOrEnd() throws(TestServerError) -> HTTP2Frame? {
        guard let first = try read(upTo: 9) else { return nil }
        var head = [UInt8](first)
        if head.count < 9 { head += try readExactly(9 - head.count) }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...8].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return HTTP2Frame(type: head[3], flags: head[4], stream: stream, payload: [UInt8](try readExactly(length)))
    }

    /// Waits for a frame of this type, on this stream when one is named; what comes before it is taken as `readHTTP2Request` does.
    public func readFrame(_ kind: HTTP2Frame.Kind, stream: UInt32? = nil) throws(TestServerError) -> HTTP2Frame {
        while true {
            let frame = try readFrame()
            _ = try take(frame)
            if frame.kind == kind, stream == nil || frame.stream == stream { return frame }
        }
    }

    /// Waits for a whole request on any stream and records it.
    @discardableResult
    public func readHTTP2Request() throws(TestServerError) -> RecordedRequest {
        while true {
            if let request = try take(try readFrame()) { return request }
        }
    }

    /// Waits for the head of a request on any stream and records it; its body stays unread.
    @discardableResult
    public func readHTTP2Head() throws(TestServerError) -> RecordedRequest {
        while true {
            let known = http2.lastStream
            if let request = try take(try readFrame()) { return request }
            if http2.lastStream > known, let request = http2.open[http2.lastStream] { return request }
        }
    }

    /// The streams that the client has reset so far, with the codes, as far as frames have been read.
    public var resets: [(stream: UInt32, code: UInt32)] { http2.resets }

    /// Whether credit is given for the DATA of requests as it is read; true unless changed.
    public func giveCredit(_ gives: Bool) { http2.givesCredit = gives }

    /// Does what a frame asks for; returns the request that it completes.
    func take(_ frame: HTTP2Frame) throws(TestServerError) -> RecordedRequest? {
        switch frame.kind {
        case .settings:
            if frame.flags & HTTP2Frame.acknowledgement == 0 {
                readWindow(frame.payload)
                try send(HTTP2Frame.settingsAcknowledgement)
            }
        case .ping:
            if frame.flags & HTTP2Frame.acknowledgement == 0 { try send(.ping(frame.payload, isAnswer: true)) }
        case .windowUpdate where frame.payload.count == 4:
            let increment = Int(frame.payload.reduce(0) { $0 << 8 | UInt32($1) })
            if frame.stream == 0 {
                http2.connectionWindow += increment
            } else {
                http2.windows[frame.stream]? += increment
            }
        case .reset:
            http2.resets.append((frame.stream, frame.errorCode ?? 0))
            http2.open[frame.stream] = nil
        case .headers:
            http2.block = Array(frame.payload.dropFirst(frame.flags & 0x20 != 0 ? 5 : 0))
            http2.blockEndsStream = frame.endsStream
            return frame.flags & HTTP2Frame.endHeaders != 0 ? try endBlock(frame.stream) : nil
        case .continuation:
            http2.block += frame.payload
            return frame.flags & HTTP2Frame.endHeaders != 0 ? try endBlock(frame.stream) : nil
        case .data:
            return try takeData(frame)
        default:
            break
        }
        return nil
    }

    private func readWindow(_ settings: [UInt8]) {
        for start in stride(from: 0, to: settings.count - 5, by: 6) where settings[start + 1] == 4 {
            let value = Int(settings[(start + 2)..<(start + 6)].reduce(0) { $0 << 8 | UInt32($1) })
            for stream in http2.windows.keys { http2.windows[stream]? += value - http2.initialWindow }
            http2.initialWindow = value
        }
    }

    private func endBlock(_ stream: UInt32) throws(TestServerError) -> RecordedRequest? {
        let fields = try http2.decoder.decode(http2.block)
        var request: RecordedRequest
        if let open = http2.open[stream] {
            request = open
            request.trailers = fields
        } else if let last = http2.finalStream, stream > last {
            return nil
        } else {
            request = begin(stream, fields)
        }
        http2.open[stream] = request
        return http2.blockEndsStream ? complete(stream) : nil
    }

    private func begin(_ stream: UInt32, _ fields: [RecordedRequest.Field]) -> RecordedRequest {
        func pseudo(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        var request = RecordedRequest(
            method: pseudo(":method"), target: pseudo(":path"), version: "HTTP/2",
            fields: [.init("host", pseudo(":authority"))] + fields.filter { !$0.name.hasPrefix(":") },
            rawHead: Data(http2.block))
        request.stream = stream
        request.http2Fields = fields
        request.connectionNumber = number
        request.indexOnConnection = requestCount
        request.serverName = serverName
        requestCount += 1
        lastMethod = request.method
        http2.lastStream = max(http2.lastStream, stream)
        http2.windows[stream] = http2.initialWindow
        return core.record(request)
    }

    private func takeData(_ frame: HTTP2Frame) throws(TestServerError) -> RecordedRequest? {
        if http2.givesCredit, !frame.payload.isEmpty {
            let count = UInt32(frame.payload.count)
            try send(.windowUpdate(0, by: count))
            if !frame.endsStream { try send(.windowUpdate(frame.stream, by: count)) }
        }
        guard http2.open[frame.stream] != nil else { return nil }
        let room = core.options.recordedBodyLimit - (http2.open[frame.stream]?.body.count ?? 0)
        http2.open[frame.stream]?.body.append(contentsOf: frame.payload.prefix(max(0, room)))
        http2.open[frame.stream]?.chunkLengths.append(frame.payload.count)
        return frame.endsStream ? complete(frame.stream) : nil
    }

    private func complete(_ stream: UInt32) -> RecordedRequest? {
        guard var request = http2.open.removeValue(forKey: stream) else { return nil }
        request.rawBody = request.body
        request.isComplete = true
        core.replace(request)
        return request
    }
}
#endif
