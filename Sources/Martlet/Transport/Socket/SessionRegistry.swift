// The registry of what is under way: an actor whose executor is the event loop. Socket readiness, timers and answers of
// other threads arrive on that thread and enter the actor with `assumeIsolated`: no lock, no hop, no reordering.

#if SocketTransport && os(Linux)
import Foundation

/// Told when a socket is ready.
protocol SocketHandler: AnyObject {
    func ready(_ token: UInt64, _ events: SocketEvents, in registry: isolated SessionRegistry)
}

/// Told when its timer is due.
protocol RegistryTimerTarget: AnyObject {
    func timerFired(in registry: isolated SessionRegistry)
}

/// What a registry is made with.
struct RegistrySettings: Sendable {
    var pool = PoolLimits()
    var tls = TLSConfiguration()
    var resolver: any NameResolver = LookUpPool.shared
    var time = TimeSource.system
    var headLimits = HTTP1Parser.Limits()
    var version = HTTPVersionPolicy.automatic
    var http2 = HTTP2Configuration()
}

/// The exchanges, connections and timers of one event loop.
actor SessionRegistry {
    nonisolated let loop: EventLoop
    nonisolated let settings: RegistrySettings

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    // The books are values whose methods call nothing back, so that no two accesses can overlap; checking it at run time would
    // cost a tenth of a small call.
    @exclusivity(unchecked) var exchanges = IDMap<Exchange>()
    @exclusivity(unchecked) var connections = IDMap<HTTP1Connection>()
    @exclusivity(unchecked) var pool: ConnectionPool
    @exclusivity(unchecked) var http2Connections = IDMap<HTTP2Connection>()
    /// Origins whose servers have asked for HTTP/1.1.
    var http1Origins: Set<PoolKey> = []
    /// HTTP/2 connections that have something to send at the end of the turn.
    @exclusivity(unchecked) var dirty: [HTTP2Connection] = []
    /// Attempts to connect, by the exchange that began them.
    var attempts = IDMap<ConnectAttempt>()
    /// How many calls were cancelled in each phase.
    var cancellations: [MartletError.Phase: Int] = [:]
    /// Set when no call may start any more, and connections are not kept.
    var ending: Ending?
    var drainWaiters: [DrainWait] = []
    /// Exchanges whose place in the pool is counted and whose turn to connect comes next.
    var admitted: [Exchange] = []
    var isAdmitting = false

    enum Ending { case released, shutDown }

    @exclusivity(unchecked) private var handlers = IDMap<any SocketHandler>()
    @exclusivity(unchecked) private var timers = TimerQueue()
    private var readAgain: [UInt64] = []
    private var lastToken: UInt64 = 0
    private var readBuffer: ReadBuffer?
    private var scratchBuffer: ReadBuffer?
    private var isSweepArmed = false
    private let sweep = PoolSweep()

    init(_ settings: RegistrySettings) {
        self.settings = settings
        loop = EventLoop(time: settings.time)
        pool = ConnectionPool(limits: settings.pool)
    }

    /// The time at the start of the loop's turn.
    var now: MonotonicInstant { loop.now }

    /// A figure for each thing that must be gone when nothing is under way.
    struct Ledger: Sendable, Equatable {
        var exchanges = 0
        var connections = 0
        var sockets = 0
        var timers = 0
        var idleConnections = 0
        var waiters = 0
    }

    var ledger: Ledger {
        Ledger(
            exchanges: exchanges.count, connections: pool.connectionCount, sockets: handlers.count,
            timers: timers.count, idleConnections: pool.idleCount, waiters: pool.waiterCount)
    }

    // MARK: Sockets, timers, buffers

    /// Watches a socket for its handler; returns the token, or nil with `errno` set.
    func watch(_ socket: Socket, _ handler: any SocketHandler) -> UInt64? {
        lastToken += 1
        guard loop.register(socket.fd, token: lastToken) else { return nil }
        handlers[lastToken] = handler
        return lastToken
    }

    /// Gives a watched socket another handler.
    func rewatch(_ token: UInt64, _ handler: any SocketHandler) { handlers[token] = handler }

    /// Forgets a socket, which is then closed.
    func unwatch(_ token: UInt64) { handlers[token] = nil }

    func schedule(
        _ timer: LoopTimer, at instant: MonotonicInstant,
        for target: any RegistryTimerTarget
    ) {
        timers.schedule(timer, at: instant, for: target)
    }

    func cancel(_ timer: LoopTimer) { timers.cancel(timer) }

    /// Lets a connection read on after the others have had their turn.
    func readLater(_ token: UInt64) { readAgain.append(token) }

    /// The buffer that all connections read into.
    func lendBuffer() -> ReadBuffer {
        if let readBuffer { return readBuffer }
        let buffer = ReadBuffer()
        readBuffer = buffer
        return buffer
    }

    /// Where small writes are joined into one TLS record.
    var scratch: UnsafeMutableRawBufferPointer {
        let buffer = scratchBuffer ?? ReadBuffer()
        scratchBuffer = buffer
        return UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<Self.recordSize])
    }

    /// The most bytes of one TLS record (RFC 8446, section 5.1).
    private static let recordSize = 16_384

    /// The lent buffer was handed to a consumer: the next read takes another.
    func giveAwayBuffer() { readBuffer = nil }

    /// Nothing is under way: others may have the memory.
    func returnBuffers() {
        readBuffer = nil
        scratchBuffer = nil
    }

    /// Arms the timer that closes connections that have been idle too long.
    func armSweep() {
        guard !isSweepArmed, let since = pool.oldestIdleSince else { return }
        isSweepArmed = true
        schedule(sweep.timer, at: since + settings.pool.idleLifetime, for: sweep)
    }

    fileprivate func sweepIdle() {
        isSweepArmed = false
        let limit = MonotonicInstant(
            nanoseconds: now.nanoseconds &- settings.pool.idleLifetime.wholeNanoseconds)
        for (id, _) in pool.idleConnections(since: limit) { closeConnection(id) }
        armSweep()
    }

    /// Drops the timer of the sweep when nothing is idle any more.
    func disarmSweepIfUnused() {
        guard isSweepArmed, pool.idleCount == 0 else { return }
        isSweepArmed = false
        cancel(sweep.timer)
    }

    private func turn() -> EventLoop.Needs {
        if !readAgain.isEmpty {
            let tokens = readAgain
            readAgain = []
            for token in tokens { handlers[token]?.ready(token, .readable, in: self) }
        }
        while let (_, target) = timers.popDue(at: now) { target.timerFired(in: self) }
        if !dirty.isEmpty { flushDirty() }
        let isDrained = exchanges.isEmpty && handlers.isEmpty && timers.count == 0
        return EventLoop.Needs(
            wakeAt: readAgain.isEmpty ? timers.nextDeadline : MonotonicInstant(nanoseconds: .min),
            isDrained: isDrained)
    }

    private func dispatch(_ ready: [EventLoop.Readiness]) {
        for socket in ready { handlers[socket.token]?.ready(socket.token, socket.events, in: self) }
    }

    /// Closes what has been idle too long.
    private final class PoolSweep: RegistryTimerTarget {
        let timer = LoopTimer()
        func timerFired(in registry: isolated SessionRegistry) { registry.sweepIdle() }
    }
}

extension SessionRegistry: EventLoopHandler {
    nonisolated func socketsReady(_ ready: [EventLoop.Readiness]) {
        assumeIsolated { $0.dispatch(ready) }
    }

    nonisolated func pause() {
        assumeIsolated { if !$0.dirty.isEmpty { $0.flushDirty() } }
    }

    nonisolated func turn(now: MonotonicInstant) -> EventLoop.Needs {
        assumeIsolated { $0.turn() }
    }
}
#endif
