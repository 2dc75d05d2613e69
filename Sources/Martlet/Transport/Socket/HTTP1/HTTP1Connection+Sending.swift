// How a connection sends: the head and a small body in one write, a streamed body as fast as the socket takes it.

#if SocketTransport && os(Linux)
import Foundation

extension HTTP1Connection {

    /// Sends the exchange's request and reads its response.
    func carry(_ exchange: Exchange, in registry: isolated SessionRegistry) {
        self.exchange = exchange
        exchange.connection = self
        exchange.phase = .sending
        exchange.lastActivity = registry.now
        exchange.metrics.connection = facts
        exchange.metrics.reusedConnection = requestsCarried > 0
        requestsCarried += 1
        isReadPaused = false
        parser.start(method: exchange.request.method)
        exchange.observeConnection()
        do throws(MartletError) {
            let head = try exchange.http1Head()
            exchange.untoldHead = head.count
            outgoing.append(framing: head)
        } catch {
            return registry.end(exchange, error)
        }
        if case .empty = exchange.body.content {
            upload = .complete
        } else if let wait = exchange.request.options.expectContinue {
            upload = .awaitingContinue
            registry.schedule(continueTimer, at: registry.now + wait, for: self)
        } else {
            beginUpload(in: registry)
        }
        flush(in: registry)
        if self.exchange === exchange { registry.arm(exchange) }
    }

    func beginUpload(in registry: isolated SessionRegistry) {
        guard let exchange else { return }
        switch exchange.body.content {
        case .empty:
            upload = .complete
        case .data(let data):
            guard exchange.request.options.trailers != nil else {
                outgoing.append(body: data)
                upload = .complete
                return
            }
            appendChunk(data)
            finishChunks(of: exchange, in: registry)
        case .feed:
            upload = .under
            exchange.outbound?.open()
        }
    }

    /// The peer said `100 Continue`, or said nothing for long enough.
    func continueUpload(in registry: isolated SessionRegistry) {
        registry.cancel(continueTimer)
        guard upload == .awaitingContinue else { return }
        beginUpload(in: registry)
    }

    /// The pump has given something.
    func uploadReady(in registry: isolated SessionRegistry) {
        guard upload == .under, let exchange else { return }
        if outgoing.isEmpty { exchange.lastActivity = registry.now }
        takeUpload(in: registry)
        flush(in: registry)
    }

    /// Moves chunks from the pump's channel to the socket's queue.
    func takeUpload(in registry: isolated SessionRegistry) {
        guard upload == .under, outgoing.count < Self.outgoingMark, let exchange, let outbound = exchange.outbound
        else { return }
        let (chunks, ending) = outbound.take()
        let isChunked = exchange.body.length == nil || exchange.request.options.trailers != nil
        for chunk in chunks {
            if isChunked { appendChunk(chunk) } else { outgoing.append(body: chunk) }
        }
        switch ending {
        case .finished:
            if isChunked { finishChunks(of: exchange, in: registry) } else { upload = .complete }
        case .failed(let error):
            registry.end(exchange, Self.uploadError(error))
        case nil:
            break
        }
    }

    private func appendChunk(_ data: Data) {
        outgoing.append(framing: HTTP1Encoder.chunkHead(length: data.count))
        outgoing.append(body: data)
        outgoing.append(framing: HTTP1Encoder.chunkEnd)
    }

    private func finishChunks(of exchange: Exchange, in registry: isolated SessionRegistry) {
        do throws(MartletError) {
            let trailers = try exchange.requestTrailers()
            outgoing.append(framing: try trailers.map(HTTP1Encoder.lastChunk(trailers:)) ?? HTTP1Encoder.lastChunk)
            upload = .complete
        } catch {
            registry.end(exchange, error)
        }
    }

    static func uploadError(_ error: any Error) -> any Error {
        if error is MartletError { return error }
        // A `CancellationError` too: had the call been cancelled, nobody would listen to the pump any more.
        return MartletError(.bodyFailed, "The sequence of the request body threw an error.", underlying: error)
    }

    /// Writes until the socket takes no more. A failure to write is left to the reading side, which may still find a
    /// response in front of it.
    func flush(in registry: isolated SessionRegistry) {
        guard let exchange, !isClosed else { return }
        while !outgoing.isEmpty {
            let result: IOResult
            if let tls {
                result = outgoing.withFront(joiningIn: registry.scratch) { tls.write($0) }
            } else if outgoing.isOnePiece {
                result = outgoing.withFirst { socket.write($0) }
            } else {
                result = outgoing.withVectors { socket.write($0) }
            }
            switch result {
            case .bytes(let count):
                exchange.lastActivity = registry.now
                exchange.metrics.bytesSent += count
                exchange.metrics.bodyBytesSent += outgoing.consume(count)
                if exchange.observation != nil {
                    exchange.observeSending(count, isMore: upload == .under || !outgoing.isEmpty)
                }
                if upload == .under, outgoing.count < Self.outgoingMark / 2 {
                    takeUpload(in: registry)
                    if self.exchange !== exchange { return }
                }
            case .wouldBlock:
                return
            case .end, .failed:
                stopUpload()
                read(in: registry)
                return
            }
        }
        if upload == .complete, exchange.phase == .sending {
            exchange.phase = .waiting
            exchange.metrics.times.requestSent = registry.now.nanoseconds(since: exchange.startedAt)
            if exchange.observation != nil { exchange.observeSent() }
        }
    }

    /// Whether all of the request is on the wire. A body of known length is when its last byte is, though its sequence may not
    /// have said yet that it has ended.
    func isSent(_ exchange: Exchange) -> Bool {
        guard outgoing.isEmpty else { return false }
        guard upload == .under else { return upload == .complete }
        return exchange.body.length == exchange.metrics.bodyBytesSent && exchange.request.options.trailers == nil
    }

    func stopUpload() {
        upload = .stopped
        outgoing.removeAll()
        exchange?.stopUpload()
    }
}

extension HTTP1Connection: RegistryTimerTarget {
    func timerFired(in registry: isolated SessionRegistry) {
        continueUpload(in: registry)
        flush(in: registry)
    }
}
#endif
