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
    // Values that only the loop's thread touches and whose methods call nothing back: the check at run time, which is for
    // those that do, would cost a tenth of a small call.
    @exclusivity(unchecked) var parser: HTTP1Parser
    @exclusivity(unchecked) var outgoing = OutgoingQueue()
    var upload = Upload.complete
    var exchange: Exchange?
    let continueTimer = LoopTimer()

    let facts: ConnectionFacts
    var requestsCarried = 0
    var createdAt = MonotonicInstant.distantFuture
    var isReadPaused = false
    var peerHasClosed = false
    var isClosed = false

    /// More of the upload is taken from its channel while less than this waits for the socket.
    static let outgoingMark = 256 << 10
    /// A body part of at least this size is handed over in the buffer it was read into.
    static let handOverSize = ReadBuffer.size / 2
    /// Reads in a row before other connections have their turn.
    static let readBudget = 8

    init(
        id: UInt64, key: PoolKey, socket: Socket, tls: TLSConnection?, metrics: ResponseMetrics,
        limits: HTTP1Parser.Limits
    ) {
        self.id = id
        self.key = key
        self.socket = socket
        self.tls = tls
        parser = HTTP1Parser(limits: limits)
        facts = metrics.connection.with {
            $0.protocolName = "http/1.1"
            $0.connectionID = Int(clamping: id)
        }
    }

    /// Whether an idle connection has neither been closed nor sent anything.
    var isQuiet: Bool { !isClosed && !peerHasClosed && tls?.hasPending != true && socket.isQuiet }

    /// Whether the exchange waits for its own caller and not for the peer.
    var isHeldBackByCaller: Bool {
        guard let exchange else { return false }
        if isReadPaused { return true }
        return upload == .under && outgoing.isEmpty && exchange.outbound?.isWaitingForCaller == true
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

    // MARK: The end

    /// Closes the connection and takes it out of the books; `isCounted` is false when the pool knows already.
    func close(in registry: isolated SessionRegistry, isCounted: Bool = true) {
        guard !isClosed else { return }
        isClosed = true
        exchange = nil
        registry.cancel(continueTimer)
        registry.unwatch(id)
        registry.connections[id] = nil
        if upload == .complete, outgoing.isEmpty {
            tls?.sendClosingAlert()
            socket.close()
        } else {
            // Half a request is of no use to the peer, and a FIN would come behind all that it has not read yet.
            socket.reset()
        }
        outgoing.removeAll()
        if isCounted { registry.admit(registry.pool.remove(id, key)) }
        registry.disarmSweepIfUnused()
    }
}
#endif
