// How a connection receives: what the parser makes of the bytes goes to the exchange, and an end that is not exact closes
// the connection.

#if SocketTransport && os(Linux)
import Foundation
import Glibc

extension HTTP1Connection {
    func read(in registry: isolated SessionRegistry) {
        var budget = Self.readBudget
        while let exchange, !isReadPaused, !isClosed {
            if budget == 0 { return registry.readLater(id) }
            budget -= 1
            let buffer = registry.lendBuffer()
            switch tls?.read(into: buffer.bytes) ?? socket.read(into: buffer.bytes) {
            case .bytes(let count):
                exchange.lastActivity = registry.now
                exchange.metrics.bytesReceived += count
                receive(buffer, count, exchange, in: registry)
                // A short read has emptied the socket; the next edge tells when there is more.
                if tls == nil, count < buffer.bytes.count, !peerHasClosed { return }
            case .wouldBlock:
                return
            case .end(let clean):
                return peerEnded(clean: clean, exchange, in: registry)
            case .failed(let failure):
                return readFailed(failure, exchange, in: registry)
            }
        }
    }

    /// The part of one read that is body, its chunks moved together.
    struct BodyPart {
        var range = 0..<0

        mutating func add(_ part: Range<Int>, in bytes: UnsafeMutableRawBufferPointer) {
            if range.isEmpty {
                range = part
            } else if part.lowerBound == range.upperBound {
                range = range.lowerBound..<part.upperBound
            } else if let base = bytes.baseAddress {
                // The parser has gone past these bytes, so they may be overwritten.
                memmove(base + range.upperBound, base + part.lowerBound, part.count)
                range = range.lowerBound..<(range.upperBound + part.count)
            }
        }
    }

    func receive(
        _ buffer: ReadBuffer, _ count: Int, _ exchange: Exchange, in registry: isolated SessionRegistry
    ) {
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.bytes)[..<count])
        var offset = 0
        var part = BodyPart()
        var isComplete = false
        let wasAwaitingContinue = upload == .awaitingContinue
        do throws(MartletError) {
            events: while let event = try parser.next(bytes, from: &offset) {
                switch event {
                case .informational(let head): informed(head, exchange, in: registry)
                case .head(let head): headArrived(head, exchange, in: registry)
                case .body(let range): part.add(range, in: buffer.bytes)
                case .end(let trailers):
                    exchange.trailers = trailers
                    isComplete = true
                    break events
                }
            }
        } catch {
            deliver(part, of: buffer, exchange, in: registry)
            registry.end(exchange, error)
            return
        }
        if isComplete {
            complete(part, of: buffer, exchange, isExact: offset == count, in: registry)
        } else {
            deliver(part, of: buffer, exchange, in: registry)
            if wasAwaitingContinue, upload != .awaitingContinue { flush(in: registry) }
        }
    }

    func informed(_ head: ResponseHead, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        exchange.request.options.onInformational?(head)
        exchange.observation?.emit(.transfers, .informational(head))
        // Sent by `receive` when it has done with its bytes: a failed write reads into the same buffer.
        if head.status == 100 { continueUpload(in: registry) }
    }

    func headArrived(_ head: ResponseHead, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        exchange.responseHead = head
        exchange.metrics.times.firstByte = registry.now.nanoseconds(since: exchange.startedAt)
        exchange.phase = .receiving
        exchange.observation?.emit(.transfers, .responseHead(head))
        let isUploading = !isSent(exchange)
        // A final answer before the end of the upload: a refusal ends the upload, a success may go both ways at once.
        if isUploading, head.status.code >= 300 || upload == .awaitingContinue {
            registry.cancel(continueTimer)
            stopUpload()
        }
    }

    /// Hands body bytes of a response that goes on to the caller, and the head if it is still owed.
    func deliver(
        _ part: BodyPart, of buffer: ReadBuffer, _ exchange: Exchange, in registry: isolated SessionRegistry
    ) {
        guard let head = exchange.responseHead else { return }
        exchange.metrics.bodyBytesReceived += part.range.count
        if exchange.observation != nil { exchange.observeProgress(part) }
        if let channel = exchange.channel {
            append(part, of: buffer, to: channel, in: registry)
        } else {
            let channel = ByteChannel(source: exchange.ticket)
            append(part, of: buffer, to: channel, in: registry)
            exchange.channel = channel
            exchange.ticket.outcome.metrics = exchange.metrics
            exchange.succeed(ResponseBody(channel, exchange.ticket), head)
        }
    }

    func append(
        _ part: BodyPart, of buffer: ReadBuffer, to channel: ByteChannel, in registry: isolated SessionRegistry
    ) {
        let pauses: Bool
        if part.range.count >= Self.handOverSize {
            pauses = channel.append(data(part, of: buffer, in: registry))
        } else {
            pauses = channel.append(copying: UnsafeRawBufferPointer(rebasing: buffer.bytes[part.range]))
        }
        if pauses { isReadPaused = true }
    }

    func data(_ part: BodyPart, of buffer: ReadBuffer, in registry: isolated SessionRegistry) -> Data {
        guard part.range.count >= Self.handOverSize else {
            guard let base = buffer.bytes.baseAddress, !part.range.isEmpty else { return Data() }
            return Data(bytes: base + part.range.lowerBound, count: part.range.count)
        }
        registry.giveAwayBuffer()
        return buffer.data(part.range)
    }

    func complete(
        _ part: BodyPart, of buffer: ReadBuffer, _ exchange: Exchange, isExact: Bool,
        in registry: isolated SessionRegistry
    ) {
        let isSent = isSent(exchange)
        let isReusable = isExact && isSent && parser.keepsConnection && !peerHasClosed
        if upload != .complete { stopUpload() }
        if isSent { upload = .complete }
        self.exchange = nil
        exchange.connection = nil
        registry.cancel(continueTimer)
        exchange.metrics.bodyBytesReceived += part.range.count
        registry.remove(exchange)
        if exchange.observation != nil { exchange.observeCompletion() }
        // Before the connection goes on: its next exchange reads into the same buffer.
        if let channel = exchange.channel {
            append(part, of: buffer, to: channel, in: registry)
            channel.finish()
        } else if let head = exchange.responseHead {
            exchange.succeed(ResponseBody(data(part, of: buffer, in: registry), exchange.ticket), head)
        }
        if isReusable {
            registry.giveBack(self)
        } else {
            close(in: registry)
        }
    }

    // MARK: Ends that are not exact

    func peerEnded(clean: Bool, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        peerHasClosed = true
        if !clean, parser.bodyEndsWithClose {
            return registry.end(
                exchange,
                MartletError(
                    .bodyTruncated,
                    "The TLS connection was cut without a closing alert, so that the response body may not be complete."
                ))
        }
        do throws(MartletError) {
            if case .end(let trailers) = try parser.finish() {
                exchange.trailers = trailers
                complete(BodyPart(), of: registry.lendBuffer(), exchange, isExact: true, in: registry)
            } else {
                registry.end(exchange, lost("The server closed the connection before it had answered."))
            }
        } catch {
            registry.end(exchange, recoverable(error, exchange))
        }
    }

    func readFailed(_ failure: IOFailure, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        let error: MartletError
        switch failure {
        case .tls(let tlsError):
            error = tlsError
        case .system(let number):
            let reason = systemErrorText(number)
            if exchange.responseHead != nil {
                error = MartletError(
                    .bodyTruncated, "The connection was lost in the middle of the response body: \(reason).")
            } else {
                error = lost("The connection was lost before the server had answered: \(reason).")
            }
        }
        registry.end(exchange, recoverable(error, exchange))
    }

    func lost(_ text: String) -> MartletError {
        MartletError(.connectionClosed, text)
    }

    /// Says how the request may be recovered: nothing of a response may have come.
    func recoverable(_ error: MartletError, _ exchange: Exchange) -> MartletError {
        guard error.code == .connectionClosed, !parser.receivedAnyByte else { return error }
        if exchange.metrics.bytesSent == 0 { return error.with { $0.recovery = .unprocessed } }
        if requestsCarried > 1 { return error.with { $0.recovery = .staleConnection } }
        return error
    }
}
#endif
