// One request and its response on the wire: the state that the registry keeps for it, on its loop. Callers hold a ticket.

#if SocketTransport && os(Linux)
import Foundation
import Synchronization

/// What a caller holds of its exchange: enough to end it from any thread.
final class ExchangeTicket: ByteChannelSource, TransferRecord {
    let id: UInt64
    let registry: SessionRegistry
    /// Set before the registry is told, so that a cancel that comes before the start is seen by the start.
    let isCancelled = Atomic(false)
    var transferID: UInt64? { id }
    private let record = Lock(TransferOutcome())

    private static let counter = Atomic<UInt64>(0)

    init(registry: SessionRegistry) {
        self.registry = registry
        id = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// What is known at the head and, once the exchange has ended, all.
    var outcome: TransferOutcome {
        get { record.withLock { $0 } }
        set { record.withLock { $0 = newValue } }
    }

    /// Passed by the loop before it resumes the caller and by the caller afterwards. A continuation orders memory by
    /// itself, but the thread sanitizer does not see it where the resume comes before the wait.
    func order() { record.withLock { _ in } }

    func cancelTransfer() {
        isCancelled.store(true, ordering: .sequentiallyConsistent)
        // Never inline: a cancel may come from code that the loop is running inside a connection.
        registry.loop.execute { self.registry.assumeIsolated { $0.cancel(self.id) } }
    }

    func abandonTransfer() {
        registry.loop.execute { self.registry.assumeIsolated { $0.abandon(self.id) } }
    }

    func resumeSending() {
        registry.loop.execute { self.registry.assumeIsolated { $0.resumeReading(self.id) } }
    }
}

/// All that a caller hands over to start an exchange; handed on by reference.
final class ExchangeStart: Sendable {
    let ticket: ExchangeTicket
    let request: Request
    let key: PoolKey
    /// The request head of HTTP/1.1, where no other version can be spoken.
    let head: [UInt8]?
    let body: OpenedBody
    /// The channel that the pump feeds, for a streamed body.
    let outbound: OutboundChannel?
    let pump: Task<Void, Never>?
    let startedAt: MonotonicInstant
    let continuation: UnsafeContinuation<Response<ResponseBody>, any Error>

    init(
        ticket: ExchangeTicket, request: Request, head: [UInt8]?, body: OpenedBody, outbound: OutboundChannel?,
        pump: Task<Void, Never>?, startedAt: MonotonicInstant,
        continuation: UnsafeContinuation<Response<ResponseBody>, any Error>
    ) {
        self.ticket = ticket
        self.request = request
        key = PoolKey(origin: request.url.origin)
        self.head = head
        self.body = body
        self.outbound = outbound
        self.pump = pump
        self.startedAt = startedAt
        self.continuation = continuation
    }
}

/// The state of one exchange, which is its own timer. Confined to its registry.
final class Exchange: LoopTimer, RegistryTimerTarget {
    /// What the caller handed over.
    private let start: ExchangeStart
    // Counted at every step, on the loop's thread alone, and never across a call.
    @exclusivity(unchecked) var metrics = ResponseMetrics()

    /// Where the exchange is; names the phase of a timeout and the stage of a cancellation.
    var phase = MartletError.Phase.queued
    var attempt: ConnectAttempt?
    var connection: (any ExchangeCarrier)?
    var responseHead: ResponseHead?
    var trailers: HTTPHeaders?
    var channel: ByteChannel?
    var connectDeadline = MonotonicInstant.distantFuture
    /// The last time that the peer sent or took a byte, or the caller stopped holding back.
    var lastActivity: MonotonicInstant
    /// Who is told; nil, and then nobody is, in most calls.
    let observation: ObservedAttempt?
    /// Bytes of the request head that observers have not been told of.
    var untoldHead = 0
    var isAbandoned = false

    private let idleNanoseconds: Int64
    private var continuation: UnsafeContinuation<Response<ResponseBody>, any Error>?

    init(_ start: ExchangeStart) {
        lastActivity = start.startedAt
        continuation = start.continuation
        idleNanoseconds = start.request.options.timeouts.idle.wholeNanoseconds
        observation = start.request.options.observation
        self.start = start
        start.request.options.observation?.carry()
    }

    var timer: LoopTimer { self }
    var ticket: ExchangeTicket { start.ticket }
    var request: Request { start.request }
    var key: PoolKey { start.key }
    var body: OpenedBody { start.body }
    var outbound: OutboundChannel? { start.outbound }
    var startedAt: MonotonicInstant { start.startedAt }
    var id: UInt64 { start.ticket.id }

    /// Resumes the caller with the response, once.
    func succeed(_ body: ResponseBody, _ head: ResponseHead) {
        guard let continuation else { return }
        self.continuation = nil
        let response = Response(head: head, body: body, url: request.url, metrics: metrics)
        ticket.order()
        continuation.resume(returning: response)
    }

    /// Ends the caller's wait, or its body, with an error.
    func fail(_ error: any Error, discarding: Bool) {
        if let continuation {
            self.continuation = nil
            ticket.order()
            continuation.resume(throwing: error)
        } else {
            channel?.fail(error, discarding: discarding)
        }
    }

    /// The request head of HTTP/1.1.
    func http1Head() throws(MartletError) -> [UInt8] {
        if let head = start.head { return head }
        return try HTTP1Encoder.head(of: request, body)
    }

    /// The fields that come after the body, now that it has ended; throws `invalidRequest` for those that must not come so late.
    func requestTrailers() throws(MartletError) -> HTTPHeaders? {
        guard let trailers = request.options.trailers?() else { return nil }
        _ = try HTTP1Encoder.lastChunk(trailers: trailers)
        return trailers
    }

    /// Ends the upload: nothing more of it is wanted.
    func stopUpload() {
        outbound?.close()
        start.pump?.cancel()
    }

    /// The instant at which something has to be done about this exchange, as it stands now.
    var nextDeadline: MonotonicInstant {
        var next = request.options.deadline ?? .distantFuture
        if let headDeadline = request.options.headDeadline, phase != .receiving { next = min(next, headDeadline) }
        switch phase {
        case .queued: break
        case .lookUp, .connecting, .tls: next = min(next, connectDeadline)
        case .sending, .waiting, .receiving: next = min(next, lastActivity.later(byNanoseconds: idleNanoseconds))
        }
        return next
    }

    /// The error with what is known of this exchange.
    func completed(_ error: MartletError, at now: MonotonicInstant) -> MartletError {
        error.with {
            if $0.recovery != nil { $0.lostAt = now }
            $0.request = request.summary
            $0.phase = $0.phase ?? phase
            $0.mayHaveReachedServer =
                metrics.bytesSent > 0 && $0.recovery != .unprocessed && $0.code != .versionNotNegotiated
            $0.reusedConnection = metrics.reusedConnection
        }
    }
}
#endif
