// How an HTTP/2 connection receives: what the session has noted goes to the exchanges. A response that came whole in one read
// is handed over whole; the bytes of others go into their channels.

#if SocketTransport && os(Linux)
import Foundation
import Glibc

extension HTTP2Connection {
    func read(in registry: isolated SessionRegistry) {
        var budget = HTTP1Connection.readBudget
        while !isClosed {
            if budget == 0 { return registry.readLater(id) }
            budget -= 1
            let buffer = registry.lendBuffer()
            switch tls?.read(into: buffer.bytes) ?? socket.read(into: buffer.bytes) {
            case .bytes(let count):
                lastReceived = registry.now
                do throws(MartletError) {
                    try session.receive(
                        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.bytes)[..<count]))
                } catch {
                    process(buffer, in: registry)
                    return lose(in: registry) { _ in error }
                }
                process(buffer, in: registry)
                setNeedsFlush(in: registry)
                if tls == nil, count < buffer.bytes.count, !peerHasClosed { return }
            case .wouldBlock:
                return
            case .end:
                peerHasClosed = true
                return lose(in: registry) { lost($0, "The server closed the connection") }
            case .failed(.tls(let error)):
                return lose(in: registry) { _ in error }
            case .failed(.system(let number)):
                let reason = systemErrorText(number)
                return lose(in: registry) { lost($0, "The connection was lost (\(reason))") }
            }
        }
    }

    func handle(_ event: HTTP2Session.Event, _ buffer: ReadBuffer?, in registry: isolated SessionRegistry) {
        switch event {
        case .informational(let stream, let head): informed(stream, head, in: registry)
        case .head(let stream): headArrived(stream, in: registry)
        case .data(let stream, let range): if let buffer { dataArrived(stream, range, buffer, in: registry) }
        case .end(let stream): complete(stream, buffer, in: registry)
        case .failed(let stream, let error): fail(stream, buffer, error, in: registry)
        case .reset(let stream, let code):
            stream.isClosed = true
            if code == .http1Required { registry.requireHTTP1(key) }
            fail(stream, buffer, resetError(stream, code, registry.settings.version), in: registry)
        case .closed(let stream, let code):
            stream.isClosed = true
            fail(stream, buffer, closedError(stream, code), in: registry)
        case .notSent(let stream, let code):
            stream.isClosed = true
            fail(stream, buffer, notSentError(code), in: registry)
        case .sent(let stream, let isEnd): sent(stream, isEnd: isEnd, in: registry)
        case .settings: settingsArrived(in: registry)
        case .goAway(_, let code):
            retire(in: registry)
            if code == .http1Required { registry.requireHTTP1(key) }
        case .pong: pongArrived(in: registry)
        case .violation(let code, let reason):
            lose(isBroken: false, in: registry) { _ in
                HTTP1Parser.invalid("The server breaks the rules of HTTP/2 (\(code)): \(reason.prefix(200)).")
            }
        case .idleFrame: idleFrameArrived(in: registry)
        }
    }

    private func informed(_ stream: HTTP2Stream, _ head: ResponseHead, in registry: isolated SessionRegistry) {
        guard let exchange = stream.exchange else { return }
        exchange.lastActivity = registry.now
        exchange.request.options.onInformational?(head)
        exchange.observation?.emit(.transfers, .informational(head))
        if head.status == 100 { continueUpload(stream, in: registry) }
    }

    private func headArrived(_ stream: HTTP2Stream, in registry: isolated SessionRegistry) {
        guard let exchange = stream.exchange, let head = stream.head else { return }
        exchange.responseHead = head
        exchange.lastActivity = registry.now
        exchange.metrics.firstByte = registry.now.since(exchange.startedAt)
        exchange.phase = .receiving
        exchange.observation?.emit(.transfers, .responseHead(head))
        touch(stream)
        // A final answer before the end of the upload: a refusal ends the upload, a success may go both ways at once.
        if !stream.isRequestSent, head.status.code >= 300 || stream.awaitsContinue { stopUpload(stream, in: registry) }
        if stream.isBodiless, !stream.hasEnded {
            // What may follow belongs to no response.
            stream.isCutShort = true
            complete(stream, nil, in: registry)
        }
    }

    private func touch(_ stream: HTTP2Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    private func dataArrived(
        _ stream: HTTP2Stream, _ range: Range<Int>, _ buffer: ReadBuffer, in registry: isolated SessionRegistry
    ) {
        guard let exchange = stream.exchange else { return }
        exchange.lastActivity = registry.now
        stream.uncredited += range.count
        if !stream.part.range.isEmpty, lastDataStream !== stream { deliver(stream, buffer, in: registry) }
        // Between two parts in a row of one stream lie only the heads of frames, so that they may be moved together.
        stream.part.add(range, in: buffer.bytes)
        lastDataStream = stream
        touch(stream)
    }

    func deliverTouched(_ buffer: ReadBuffer, in registry: isolated SessionRegistry) {
        let streams = touched
        touched.removeAll(keepingCapacity: true)
        for stream in streams where stream.isTouched {
            stream.isTouched = false
            deliver(stream, buffer, in: registry)
        }
    }

    /// Hands body bytes of a response that goes on to the caller, and the head if it is still owed.
    private func deliver(_ stream: HTTP2Stream, _ buffer: ReadBuffer, in registry: isolated SessionRegistry) {
        guard let exchange = stream.exchange, let head = exchange.responseHead else { return }
        let part = stream.part
        stream.part = HTTP1Connection.BodyPart()
        exchange.metrics.bodyBytesReceived += part.range.count
        if exchange.observation != nil { exchange.observeProgress(part) }
        if let channel = exchange.channel {
            append(part, of: buffer, to: channel, in: registry)
        } else {
            let marks = ByteChannel.WaterMarks(high: settings.streamWindow / 2, low: settings.streamWindow / 4)
            let channel = ByteChannel(marks: marks, source: exchange.ticket)
            append(part, of: buffer, to: channel, in: registry)
            exchange.channel = channel
            exchange.ticket.outcome.metrics = exchange.metrics
            exchange.succeed(ResponseBody(channel, exchange.ticket), head)
        }
        credit(stream)
    }

    /// Gives the peer credit for what the consumer has taken; what waits in the channel stays on its account.
    func credit(_ stream: HTTP2Stream) {
        guard !stream.isClosed, let channel = stream.exchange?.channel else { return }
        session.credit(stream, stream.uncredited - stream.part.range.count - channel.bufferedBytes)
    }

    private func append(
        _ part: HTTP1Connection.BodyPart, of buffer: ReadBuffer, to channel: ByteChannel,
        in registry: isolated SessionRegistry
    ) {
        guard !part.range.isEmpty else { return }
        if part.range.count >= HTTP1Connection.handOverSize {
            registry.giveAwayBuffer()
            _ = channel.append(buffer.data(part.range))
        } else {
            _ = channel.append(copying: UnsafeRawBufferPointer(rebasing: buffer.bytes[part.range]))
        }
    }

    private func complete(_ stream: HTTP2Stream, _ buffer: ReadBuffer?, in registry: isolated SessionRegistry) {
        guard let exchange = stream.exchange, let head = exchange.responseHead else { return }
        let part = stream.part
        stream.part = HTTP1Connection.BodyPart()
        stream.isTouched = false
        exchange.metrics.bodyBytesReceived += part.range.count
        exchange.trailers = stream.trailers
        if !stream.isRequestSent || stream.isCutShort {
            exchange.stopUpload()
            session.reset(stream, .noError)
            flood.forgive()
            setNeedsFlush(in: registry)
        }
        detach(stream, in: registry)
        registry.remove(exchange)
        if exchange.observation != nil { exchange.observeCompletion() }
        if let channel = exchange.channel {
            if let buffer { append(part, of: buffer, to: channel, in: registry) }
            channel.finish()
        } else {
            var body = Data()
            if let buffer, !part.range.isEmpty {
                if part.range.count >= HTTP1Connection.handOverSize {
                    registry.giveAwayBuffer()
                    body = buffer.data(part.range)
                } else {
                    body = Data(UnsafeRawBufferPointer(rebasing: buffer.bytes[part.range]))
                }
            }
            exchange.succeed(ResponseBody(body, exchange.ticket), head)
        }
        registry.streamEnded(on: self)
    }

    private func fail(
        _ stream: HTTP2Stream, _ buffer: ReadBuffer?, _ error: MartletError, in registry: isolated SessionRegistry
    ) {
        guard let exchange = stream.exchange else { return }
        if let buffer, stream.isTouched {
            stream.isTouched = false
            deliver(stream, buffer, in: registry)
        }
        registry.end(exchange, error)
    }
}
#endif
