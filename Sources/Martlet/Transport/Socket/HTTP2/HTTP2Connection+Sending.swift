// How an HTTP/2 connection sends: a turn's frames in one write, bodies as fast as the peer's windows and the socket take them.

#if SocketTransport && os(Linux)
import Foundation

extension HTTP2Connection {
    /// Sends the exchange's request on a stream of its own.
    func carry(_ exchange: Exchange, in registry: isolated SessionRegistry) {
        let stream = HTTP2Stream(isHead: exchange.request.method == .head, limits: limits)
        stream.exchange = exchange
        stream.connection = self
        exchange.connection = stream
        if streamCount == 0, isEstablished, registry.now.since(lastReceived) >= settings.livenessCheckAfter {
            exchange.phase = .connecting
            exchange.connectDeadline = registry.now + exchange.request.options.timeouts.connect
            unproven.append(stream)
            registry.arm(exchange)
            return probe(in: registry)
        }
        if !unproven.isEmpty {
            exchange.phase = .connecting
            exchange.connectDeadline = registry.now + exchange.request.options.timeouts.connect
            unproven.append(stream)
            return registry.arm(exchange)
        }
        start(stream, exchange, in: registry)
    }

    func start(_ stream: HTTP2Stream, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        exchange.phase = .sending
        exchange.lastActivity = registry.now
        exchange.metrics.connection = facts
        exchange.metrics.reusedConnection = streamsCarried > 0
        var hasBody = true
        if case .empty = exchange.body.content { hasBody = false }
        do throws(MartletError) {
            try session.submit(exchange.request, exchange.body, on: stream, hasBody: hasBody)
        } catch {
            // No identifiers are left: the streams under way may finish.
            stream.isClosed = true
            retire(in: registry)
            return registry.end(exchange, error)
        }
        streamsCarried += 1
        exchange.metrics.streamID = Int(stream.id)
        exchange.metrics.streamsInFlight = session.streams.count
        // The size of the head is nghttp2's affair; it goes out in one frame.
        exchange.untoldHead = 1
        exchange.observeConnection()
        if hasBody { prepareUpload(stream, exchange, in: registry) }
        setNeedsFlush(in: registry)
        guard stream.exchange != nil else { return }
        armKeepAlive(in: registry)
        registry.arm(exchange)
    }

    private func prepareUpload(_ stream: HTTP2Stream, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        if let wait = exchange.request.options.expectContinue {
            stream.awaitsContinue = true
            registry.schedule(stream.continueTimer, at: registry.now + wait, for: stream)
        } else {
            beginUpload(stream, exchange, in: registry)
        }
    }

    private func beginUpload(_ stream: HTTP2Stream, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        switch exchange.body.content {
        case .empty: break
        case .data(let data):
            stream.upload.append(data)
            finishUpload(stream, exchange, in: registry)
        case .feed: exchange.outbound?.open()
        }
    }

    /// The peer said `100 Continue`, or said nothing for long enough.
    func continueUpload(_ stream: HTTP2Stream, in registry: isolated SessionRegistry) {
        guard stream.awaitsContinue, let exchange = stream.exchange else { return }
        stream.awaitsContinue = false
        registry.cancel(stream.continueTimer)
        beginUpload(stream, exchange, in: registry)
        guard stream.exchange != nil else { return }
        session.resume(stream)
        setNeedsFlush(in: registry)
    }

    /// Moves chunks from the pump's channel to the stream.
    func takeUpload(_ stream: HTTP2Stream, in registry: isolated SessionRegistry) {
        guard stream.upload.ending == .none, stream.upload.count < Self.uploadMark, !stream.awaitsContinue,
            let exchange = stream.exchange, let outbound = exchange.outbound
        else { return }
        if stream.upload.count == 0 { exchange.lastActivity = registry.now }
        let (chunks, ending) = outbound.take()
        for chunk in chunks { stream.upload.append(chunk) }
        switch ending {
        case .finished:
            finishUpload(stream, exchange, in: registry)
            guard stream.exchange != nil else { return }
        case .failed(let error): return registry.end(exchange, HTTP1Connection.uploadError(error))
        case nil: if chunks.isEmpty { return }
        }
        session.resume(stream)
        setNeedsFlush(in: registry)
    }

    private func finishUpload(_ stream: HTTP2Stream, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        do throws(MartletError) {
            stream.requestTrailers = try exchange.requestTrailers()
            stream.upload.ending = .finished
        } catch {
            registry.end(exchange, error)
        }
    }

    /// Nothing more of the request is sent; the stream is reset when its response is complete.
    func stopUpload(_ stream: HTTP2Stream, in registry: isolated SessionRegistry) {
        registry.cancel(stream.continueTimer)
        stream.awaitsContinue = false
        stream.upload.removeAll()
        stream.upload.ending = .stopped
        stream.exchange?.stopUpload()
    }

    func sent(_ stream: HTTP2Stream, isEnd: Bool, in registry: isolated SessionRegistry) {
        guard let exchange = stream.exchange else { return }
        exchange.lastActivity = registry.now
        if exchange.observation != nil {
            exchange.observeSending(1, isMore: !isEnd)
            if isEnd { exchange.observeSent() }
        }
        if isEnd {
            exchange.metrics.requestSent = registry.now.since(exchange.startedAt)
            if exchange.phase == .sending { exchange.phase = .waiting }
        } else if stream.upload.count < Self.uploadMark / 2 {
            takeUpload(stream, in: registry)
        }
    }

    /// Writes until there is nothing left or the socket takes no more.
    func flush(in registry: isolated SessionRegistry) {
        isDirty = false
        while !isClosed, !isWriteBroken {
            session.serialize(upTo: Self.outgoingMark)
            process(nil, in: registry)
            guard !isClosed, !session.output.isEmpty else { break }
            switch write(in: registry) {
            case .bytes(let count): _ = session.output.consume(count)
            case .wouldBlock: return
            case .end, .failed:
                // The reading side may still find responses, and says how the connection ended.
                isWriteBroken = true
                read(in: registry)
            }
        }
        if !isClosed, !session.isAlive { lose(in: registry) { lost($0, "The HTTP/2 connection ended") } }
    }

    private func write(in registry: isolated SessionRegistry) -> IOResult {
        if let tls { return session.output.withFront(joiningIn: registry.scratch) { tls.write($0) } }
        return session.output.withVectors { socket.write($0) }
    }

    /// The last frames of a connection that closes: resets that wait, and GOAWAY. What the socket does not take is dropped.
    func sayGoodbye(in registry: isolated SessionRegistry) {
        session.goAway(.noError)
        session.serialize(upTo: Self.outgoingMark)
        session.events.removeAll()
        while !session.output.isEmpty, case .bytes(let count) = write(in: registry) {
            _ = session.output.consume(count)
        }
    }

    /// Takes a stream off the connection; its slot is not given back here.
    func detach(_ stream: HTTP2Stream, in registry: isolated SessionRegistry) {
        stream.exchange?.connection = nil
        stream.exchange = nil
        stream.connection = nil
        registry.cancel(stream.continueTimer)
        stream.upload.removeAll()
        if stream.id == 0 {
            unproven.removeAll { $0 === stream }
        } else {
            session.remove(stream)
        }
        if lastDataStream === stream { lastDataStream = nil }
    }
}

extension HTTP2Stream: ExchangeCarrier {
    var isHeldBackByCaller: Bool {
        guard let exchange else { return false }
        if exchange.channel?.isPaused == true { return true }
        return upload.ending == .none && upload.count == 0 && exchange.outbound?.isWaitingForCaller == true
    }

    func resumeReading(in registry: isolated SessionRegistry) {
        guard let connection else { return }
        connection.credit(self)
        connection.setNeedsFlush(in: registry)
    }

    func uploadReady(in registry: isolated SessionRegistry) {
        connection?.takeUpload(self, in: registry)
    }

    func abort(in registry: isolated SessionRegistry) {
        guard let connection else { return }
        if !isClosed, id != 0 {
            connection.session.reset(self, .cancel)
            connection.flood.forgive()
            connection.setNeedsFlush(in: registry)
        }
        connection.detach(self, in: registry)
        registry.streamEnded(on: connection)
    }
}

extension HTTP2Stream: RegistryTimerTarget {
    func timerFired(in registry: isolated SessionRegistry) { connection?.continueUpload(self, in: registry) }
}
#endif
