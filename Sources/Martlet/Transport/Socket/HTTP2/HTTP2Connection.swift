// One HTTP/2 connection (RFC 9113): carries many exchanges at a time, each on a stream. What it has to send goes out once a
// turn of the loop, so that the requests of one turn share a write. It always reads: what a consumer does not take is held
// back by its stream's window alone.

#if SocketTransport && os(Linux)
import Foundation

/// A connection that speaks HTTP/2. Confined to its registry.
final class HTTP2Connection: SocketHandler {
    let id: UInt64
    let key: PoolKey
    let socket: Socket
    let tls: TLSConnection?
    let session: HTTP2Session
    let settings: HTTP2Configuration
    let limits: HTTP2Stream.Limits
    let facts: ConnectionFacts
    let createdAt: MonotonicInstant

    /// Streams that wait for the answer to a PING before their requests are sent.
    var unproven: [HTTP2Stream] = []
    var streamsCarried = 0
    /// The last time that the peer sent anything.
    var lastReceived: MonotonicInstant
    /// Whether the peer's SETTINGS have come; the pool knows the connection from then on.
    var isEstablished = false
    /// Whether it takes no more calls.
    var isRetired = false
    var isDirty = false
    var isWriteBroken = false
    var peerHasClosed = false
    var isClosed = false

    let timer = LoopTimer()
    var pongDeadline: MonotonicInstant?
    var flood = FloodMeter()
    @exclusivity(unchecked) var touched: [HTTP2Stream] = []
    var lastDataStream: HTTP2Stream?
    /// What is being read from; the parts of touched streams lie in it.
    private var buffer: ReadBuffer?
    @exclusivity(unchecked) private var spareEvents: [HTTP2Session.Event] = []

    /// Frames are taken from nghttp2 while less than this waits for the socket, so that what is urgent need not wait long.
    static let outgoingMark = 64 << 10
    /// More of an upload is taken from its channel while less than this waits for the peer's window.
    static let uploadMark = 256 << 10
    /// How long the peer's SETTINGS may take.
    static let settingsTimeout = Duration.seconds(10)

    init(
        id: UInt64, key: PoolKey, socket: Socket, tls: TLSConnection?, metrics: ResponseMetrics,
        settings: HTTP2Configuration, limits: HTTP2Stream.Limits, now: MonotonicInstant
    ) throws(MartletError) {
        self.id = id
        self.key = key
        self.socket = socket
        self.tls = tls
        self.settings = settings
        self.limits = limits
        createdAt = now
        lastReceived = now
        session = try HTTP2Session(
            windows: .init(connection: settings.connectionWindow, stream: settings.streamWindow),
            headBytes: limits.headBytes)
        facts = metrics.connection.with {
            $0.protocolName = "h2"
            $0.connectionID = Int(clamping: id)
        }
    }

    /// The calls that it carries.
    var streamCount: Int { session.streams.count + unproven.count }

    /// How many calls it may carry at once.
    var streamLimit: Int { min(settings.streamsPerConnection, session.peerStreamLimit) }

    // MARK: Readiness

    func ready(_ token: UInt64, _ events: SocketEvents, in registry: isolated SessionRegistry) {
        guard !isClosed else { return }
        if !events.isDisjoint(with: [.peerClosed, .hangUp, .error]) { peerHasClosed = true }
        if !events.isDisjoint(with: .readSide) { read(in: registry) }
        if events.contains(.writable) { setNeedsFlush(in: registry) }
    }

    func setNeedsFlush(in registry: isolated SessionRegistry) {
        guard !isDirty, !isClosed else { return }
        isDirty = true
        registry.dirty.append(self)
    }

    /// Acts on what the session has noted. `buffer` is what the offsets in the notes refer to.
    func process(_ buffer: ReadBuffer?, in registry: isolated SessionRegistry) {
        self.buffer = buffer
        defer { self.buffer = nil }
        while !session.events.isEmpty {
            var events = spareEvents
            spareEvents = []
            swap(&events, &session.events)
            for event in events where !isClosed { handle(event, buffer, in: registry) }
            events.removeAll(keepingCapacity: events.count <= 1_024)
            spareEvents = events
        }
        if !touched.isEmpty, let buffer { deliverTouched(buffer, in: registry) }
        lastDataStream = nil
        if !isClosed, isRetired, streamCount == 0 { close(in: registry) }
    }

    // MARK: The end

    /// Takes no more calls; closes when the last one has ended.
    func retire(in registry: isolated SessionRegistry) {
        guard !isRetired else { return }
        isRetired = true
        registry.pool.retire(id, key)
        if !isEstablished { registry.pool.endPending(key) }
        registry.serve(key)
    }

    /// Takes no more calls, and closes at once when it has none.
    func leave(in registry: isolated SessionRegistry) {
        retire(in: registry)
        if streamCount == 0 { close(in: registry) }
    }

    /// The connection is of no use any more: its calls end with what `error` makes of them. `isBroken`: nothing can be sent on it.
    func lose(
        isBroken: Bool = true, in registry: isolated SessionRegistry, _ error: (HTTP2Stream) -> MartletError
    ) {
        guard !isClosed else { return }
        if isBroken { isWriteBroken = true }
        retire(in: registry)
        if let buffer { deliverTouched(buffer, in: registry) }
        for stream in Array(session.streams.values).sorted(by: { $0.id < $1.id }) {
            guard let exchange = stream.exchange else { continue }
            registry.end(exchange, error(stream))
        }
        for stream in unproven {
            guard let exchange = stream.exchange else { continue }
            // Nothing of it was sent, so another connection is as good.
            detach(stream, in: registry)
            registry.acquireConnection(exchange)
        }
        close(in: registry)
    }

    /// Closes the connection and takes it out of the books; `isCounted` is false when the pool knows already.
    func close(in registry: isolated SessionRegistry, isCounted: Bool = true) {
        guard !isClosed else { return }
        if !isWriteBroken { sayGoodbye(in: registry) }
        isClosed = true
        registry.cancel(timer)
        registry.unwatch(id)
        registry.http2Connections[id] = nil
        if session.output.isEmpty {
            if !isWriteBroken { tls?.sendClosingAlert() }
            socket.close()
        } else {
            socket.reset()
        }
        session.output.removeAll()
        touched = []
        if !isRetired, !isEstablished { registry.pool.endPending(key) }
        if isCounted { registry.admit(registry.pool.remove(id, key)) }
        registry.disarmSweepIfUnused()
    }
}
#endif
