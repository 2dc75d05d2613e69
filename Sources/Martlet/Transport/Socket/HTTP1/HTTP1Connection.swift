// One HTTP/1.1 connection: carries one exchange at a time (RFC 9112). It goes back to the pool only after an exact end with
// nothing left over; readable or closed while idle means that it is dropped.

#if SocketTransport && os(Linux)
import Foundation
import Glibc

/// A connection that is established. Confined to its registry.
final class HTTP1Connection: SocketHandler {
    enum Upload {
        /// The body is not started: `100 Continue` is awaited.
        case awaitingContinue
        /// The body is on its way.
        case under
        /// All of it is in `outgoing`, or sent.
        case complete
        /// Nothing more of it is sent; the connection cannot be used again.
        case stopped
    }

    let id: UInt64
    let key: PoolKey
    let socket: Socket
    let tls: TLSConnection?
    var parser: HTTP1Parser
    var outgoing = OutgoingQueue()
    var upload = Upload.complete
    private(set) var exchange: Exchange?
    let continueTimer = LoopTimer<any RegistryTimerTarget>()

    private let template: ResponseMetrics
    private var requestsCarried = 0
    private var isReadPaused = false
    private var peerHasClosed = false
    private var isClosed = false

    /// More of the upload is taken from its channel while less than this waits for the socket.
    static let outgoingMark = 256 << 10
    /// A body part of at least this size is handed over in the buffer it was read into.
    private static let handOverSize = ReadBuffer.size / 2
    /// Reads in a row before other connections have their turn.
    private static let readBudget = 8

    init(
        id: UInt64, key: PoolKey, socket: Socket, tls: TLSConnection?, metrics: ResponseMetrics,
        limits: HTTP1Parser.Limits
    ) {
        self.id = id
        self.key = key
        self.socket = socket
        self.tls = tls
        parser = HTTP1Parser(limits: limits)
        var template = ResponseMetrics()
        template.protocolName = "http/1.1"
        template.tlsVersion = metrics.tlsVersion
        template.localAddress = metrics.localAddress
        template.remoteAddress = metrics.remoteAddress
        self.template = template
    }

    /// Whether an idle connection has neither been closed nor sent anything.
    var isQuiet: Bool { !isClosed && !peerHasClosed && tls?.hasPending != true && socket.isQuiet }

    /// Whether the exchange waits for its own caller and not for the peer.
    var isHeldBackByCaller: Bool {
        guard let exchange else { return false }
        if isReadPaused { return true }
        return upload == .under && outgoing.isEmpty && exchange.outbound?.isWaitingForCaller == true
    }

    // MARK: Sending

    /// Sends the exchange's request and reads its response.
    func carry(_ exchange: Exchange, in registry: isolated SessionRegistry) {
        self.exchange = exchange
        exchange.connection = self
        exchange.phase = .sending
        exchange.lastActivity = registry.now
        exchange.metrics.protocolName = template.protocolName
        exchange.metrics.tlsVersion = template.tlsVersion
        exchange.metrics.localAddress = template.localAddress
        exchange.metrics.remoteAddress = template.remoteAddress
        exchange.metrics.reusedConnection = requestsCarried > 0
        requestsCarried += 1
        isReadPaused = false
        parser.start(method: exchange.request.method)
        outgoing.append(framing: exchange.head)
        if case .empty = exchange.body.content {
            upload = .complete
        } else if let wait = exchange.request.options.expectContinue {
            upload = .awaitingContinue
            registry.schedule(continueTimer, at: registry.now + wait, for: self)
        } else {
            beginUpload()
        }
        flush(in: registry)
        if self.exchange === exchange { registry.arm(exchange) }
    }

    private func beginUpload() {
        guard let exchange else { return }
        switch exchange.body.content {
        case .empty:
            upload = .complete
        case .data(let data):
            outgoing.append(body: data)
            upload = .complete
        case .feed:
            upload = .under
            exchange.outbound?.open()
        }
    }

    /// The peer said `100 Continue`, or said nothing for long enough.
    private func continueUpload(in registry: isolated SessionRegistry) {
        registry.cancel(continueTimer)
        guard upload == .awaitingContinue else { return }
        beginUpload()
    }

    /// The pump has given something.
    func uploadReady(in registry: isolated SessionRegistry) {
        guard upload == .under, let exchange else { return }
        if outgoing.isEmpty { exchange.lastActivity = registry.now }
        takeUpload(in: registry)
        flush(in: registry)
    }

    /// Moves chunks from the pump's channel to the socket's queue.
    private func takeUpload(in registry: isolated SessionRegistry) {
        guard upload == .under, outgoing.count < Self.outgoingMark, let exchange, let outbound = exchange.outbound
        else { return }
        let (chunks, ending) = outbound.take()
        let isChunked = exchange.body.length == nil
        for chunk in chunks {
            if isChunked { outgoing.append(framing: HTTP1Encoder.chunkHead(length: chunk.count)) }
            outgoing.append(body: chunk)
            if isChunked { outgoing.append(framing: HTTP1Encoder.chunkEnd) }
        }
        switch ending {
        case .finished:
            if isChunked { outgoing.append(framing: HTTP1Encoder.lastChunk) }
            upload = .complete
        case .failed(let error):
            registry.end(exchange, Self.uploadError(error))
        case nil:
            break
        }
    }

    private static func uploadError(_ error: any Error) -> any Error {
        if error is MartletError || error is CancellationError { return error }
        return MartletError(.bodyFailed, "The sequence of the request body threw an error.", underlying: error)
    }

    /// Writes until the socket takes no more. A failure to write is left to the reading side, which may still find a
    /// response in front of it.
    private func flush(in registry: isolated SessionRegistry) {
        guard let exchange, !isClosed else { return }
        while !outgoing.isEmpty {
            let result: IOResult
            if let tls {
                result = outgoing.withFront(joiningIn: registry.scratch) { tls.write($0) }
            } else {
                result = outgoing.withVectors { socket.write($0) }
            }
            switch result {
            case .bytes(let count):
                exchange.lastActivity = registry.now
                exchange.metrics.bytesSent += count
                exchange.metrics.bodyBytesSent += outgoing.consume(count)
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
            exchange.metrics.requestSent = registry.now.since(exchange.startedAt)
        }
    }

    private func stopUpload() {
        upload = .stopped
        outgoing.removeAll()
        exchange?.stopUpload()
    }

    // MARK: Readiness

    func ready(_ token: UInt64, _ events: SocketEvents, in registry: isolated SessionRegistry) {
        guard !isClosed else { return }
        if !events.isDisjoint(with: [.peerClosed, .hangUp, .error]) { peerHasClosed = true }
        guard exchange != nil else {
            // Whatever an idle connection has to say belongs to no response.
            if !events.isDisjoint(with: .readSide) { close(in: registry) }
            return
        }
        if events.contains(.writable) { flush(in: registry) }
        if !events.isDisjoint(with: .readSide) { read(in: registry) }
    }

    /// The consumer has made room.
    func resumeReading(in registry: isolated SessionRegistry) {
        guard isReadPaused else { return }
        isReadPaused = false
        read(in: registry)
    }

    private func read(in registry: isolated SessionRegistry) {
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

    // MARK: Receiving

    /// The part of one read that is body, its chunks moved together.
    private struct BodyPart {
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

    private func receive(
        _ buffer: ReadBuffer, _ count: Int, _ exchange: Exchange, in registry: isolated SessionRegistry
    ) {
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer.bytes)[..<count])
        var offset = 0
        var part = BodyPart()
        var isComplete = false
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
        }
    }

    private func informed(_ head: ResponseHead, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        exchange.request.options.onInformational?(head)
        if head.status == 100, upload == .awaitingContinue {
            continueUpload(in: registry)
            flush(in: registry)
        }
    }

    private func headArrived(_ head: ResponseHead, _ exchange: Exchange, in registry: isolated SessionRegistry) {
        exchange.responseHead = head
        exchange.metrics.firstByte = registry.now.since(exchange.startedAt)
        exchange.phase = .receiving
        let isUploading = upload != .complete || !outgoing.isEmpty
        // A final answer before the end of the upload: a refusal ends the upload, a success may go both ways at once.
        if isUploading, head.status.code >= 300 || upload == .awaitingContinue {
            registry.cancel(continueTimer)
            stopUpload()
        }
    }

    /// Hands body bytes of a response that goes on to the caller, and the head if it is still owed.
    private func deliver(
        _ part: BodyPart, of buffer: ReadBuffer, _ exchange: Exchange, in registry: isolated SessionRegistry
    ) {
        guard let head = exchange.responseHead else { return }
        exchange.metrics.bodyBytesReceived += part.range.count
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

    private func append(
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

    private func data(_ part: BodyPart, of buffer: ReadBuffer, in registry: isolated SessionRegistry) -> Data {
        guard part.range.count >= Self.handOverSize else {
            return part.range.isEmpty ? Data() : Data(buffer.bytes[part.range])
        }
        registry.giveAwayBuffer()
        return buffer.data(part.range)
    }

    private func complete(
        _ part: BodyPart, of buffer: ReadBuffer, _ exchange: Exchange, isExact: Bool,
        in registry: isolated SessionRegistry
    ) {
        let isSent = upload == .complete && outgoing.isEmpty
        let isReusable = isExact && isSent && parser.keepsConnection && !peerHasClosed
        if !isSent { stopUpload() }
        self.exchange = nil
        exchange.connection = nil
        registry.cancel(continueTimer)
        exchange.metrics.bodyBytesReceived += part.range.count
        registry.remove(exchange)
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

    // MARK: Ends

    private func peerEnded(clean: Bool, _ exchange: Exchange, in registry: isolated SessionRegistry) {
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
                registry.end(exchange, lost("The server closed the connection before it had answered.", exchange))
            }
        } catch {
            registry.end(exchange, recoverable(error, exchange))
        }
    }

    private func readFailed(_ failure: IOFailure, _ exchange: Exchange, in registry: isolated SessionRegistry) {
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
                error = lost("The connection was lost before the server had answered: \(reason).", exchange)
            }
        }
        registry.end(exchange, recoverable(error, exchange))
    }

    private func lost(_ text: String, _ exchange: Exchange) -> MartletError {
        MartletError(.connectionClosed, text)
    }

    /// Says how the request may be recovered: nothing of a response may have come.
    private func recoverable(_ error: MartletError, _ exchange: Exchange) -> MartletError {
        guard error.code == .connectionClosed, !parser.receivedAnyByte else { return error }
        if exchange.metrics.bytesSent == 0 { return error.with { $0.recovery = .unprocessed } }
        if requestsCarried > 1 { return error.with { $0.recovery = .staleConnection } }
        return error
    }

    /// Closes the connection and takes it out of the books; `isCounted` is false when the pool knows already.
    func close(in registry: isolated SessionRegistry, isCounted: Bool = true) {
        guard !isClosed else { return }
        isClosed = true
        exchange = nil
        registry.cancel(continueTimer)
        registry.unwatch(id)
        registry.connections[id] = nil
        tls?.sendClosingAlert()
        socket.close()
        outgoing.removeAll()
        if isCounted { registry.admit(registry.pool.remove(id, key)) }
        registry.disarmSweepIfUnused()
    }
}

extension HTTP1Connection: RegistryTimerTarget {
    func timerFired(in registry: isolated SessionRegistry) {
        continueUpload(in: registry)
        flush(in: registry)
    }
}
#endif
