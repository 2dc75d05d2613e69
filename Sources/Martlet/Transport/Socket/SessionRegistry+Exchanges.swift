// The life of an exchange in the registry: it starts, waits for or makes a connection, and ends by completion, failure or
// cancellation. Whatever ends it closes or returns its connection before its caller is resumed.

#if SocketTransport && os(Linux)
import Foundation
import Synchronization

extension SessionRegistry {
    /// Takes up a call, from the loop's thread.
    nonisolated func startHere(_ start: ExchangeStart) {
        precondition(loop.isCurrent, "Not on the event loop's thread")
        // What `assumeIsolated` does, without a closure to allocate: this is done for each call.
        let body: (isolated SessionRegistry, ExchangeStart) -> Void = { registry, start in registry.start(start) }
        unsafeBitCast(body, to: ((SessionRegistry, ExchangeStart) -> Void).self)(self, start)
    }

    /// Takes up a call.
    func start(_ start: ExchangeStart) {
        let exchange = Exchange(start)
        if start.ticket.isCancelled.load(ordering: .sequentiallyConsistent) {
            cancellations[.queued, default: 0] += 1
            return refuse(exchange, CancellationError())
        }
        if ending == .shutDown { return refuse(exchange, Self.shutDownError) }
        guard loop.canPoll else { return refuse(exchange, Socket.localFailure(errno, "start the event loop")) }
        loop.attach(self)
        if let error = versionError(exchange.key) { return refuse(exchange, error) }
        if start.request.options.requiresHTTP1 { requireHTTP1(exchange.key) }
        exchanges[exchange.id] = exchange
        acquireConnection(exchange)
        if exchanges[exchange.id] != nil { arm(exchange) }
    }

    private func refuse(_ exchange: Exchange, _ error: any Error) {
        exchange.stopUpload()
        let told = (error as? MartletError).map { exchange.completed($0, at: now) } ?? error
        exchange.observeFailure(told)
        exchange.fail(told, discarding: true)
    }

    static var shutDownError: MartletError {
        MartletError(.clientShutDown, "The client was shut down.")
    }

    /// Gets the exchange a connection: an idle one, one of its own, or a place in the queue.
    func acquireConnection(_ exchange: Exchange) {
        while true {
            let fresh = exchange.request.options.requiresFreshConnection
            let since = fresh ? exchange.request.options.connectionMadeSince : nil
            switch pool.acquire(
                exchange.key, for: exchange.id, fresh: fresh, madeSince: since, kind: kind(of: exchange.key))
            {
            case .use(let id):
                guard let connection = connections[id] else {
                    guard let shared = http2Connections[id] else { continue }
                    if shared.isTooOld(settings.pool, now) {
                        shared.leave(in: self)
                        continue
                    }
                    shared.carry(exchange, in: self)
                    return
                }
                guard connection.isQuiet else {
                    connection.close(in: self)
                    continue
                }
                connection.carry(exchange, in: self)
            case .connect(let evicted):
                if let evicted { closeConnection(evicted, isCounted: false) }
                connect(exchange)
            case .wait:
                exchange.phase = .queued
                exchange.observation?.emit(.connections, .waitingForConnection)
            case .join:
                exchange.phase = .connecting
                exchange.connectDeadline = now + exchange.request.options.timeouts.connect
                exchange.observation?.emit(.connections, .waitingForConnection)
            }
            return
        }
    }

    /// Starts a connection for the exchange, whose place in the pool is counted already.
    func connect(_ exchange: Exchange) {
        exchange.metrics.times.queued = now.nanoseconds(since: exchange.startedAt)
        exchange.connectDeadline = now + exchange.request.options.timeouts.connect
        exchange.phase = .lookUp
        let attempt = ConnectAttempt(exchange, in: self)
        exchange.attempt = attempt
        attempt.start(in: self)
        if exchanges[exchange.id] != nil { arm(exchange) }
    }

    /// A place became free: the waiter may connect.
    ///
    /// One that fails at once frees its place for the next. Thousands may wait for a server that refuses them all, so
    /// they take turns here instead of nesting.
    func admit(_ waiter: UInt64?) {
        guard let waiter, let exchange = exchanges[waiter] else { return }
        admitted.append(exchange)
        guard !isAdmitting else { return }
        isAdmitting = true
        defer { isAdmitting = false }
        while !admitted.isEmpty {
            let next = admitted.removeFirst()
            if exchanges[next.id] != nil {
                connect(next)
            } else if let other = pool.remove(0, next.key).flatMap({ exchanges[$0] }) {
                // Ended before its turn: its place goes on.
                admitted.append(other)
            }
        }
    }

    /// A connection was made for the exchange.
    func connected(_ exchange: Exchange, _ connection: HTTP1Connection) {
        exchange.attempt = nil
        connections[connection.id] = connection
        let others = pool.establishedSingle(exchange.key)
        connection.carry(exchange, in: self)
        if others { admitSharers(exchange.key) }
    }

    /// A connection attempt came to nothing.
    func connectFailed(_ exchange: Exchange, _ error: MartletError) {
        exchange.attempt?.abort(in: self)
        exchange.attempt = nil
        pool.attemptFailed(exchange.key)
        end(exchange, error, discarding: true)
        strand(exchange.key, error)
        admit(pool.admitWaiter(preferring: exchange.key))
    }

    /// Takes a connection back that can carry another call, or closes it when the registry is ending.
    func giveBack(_ connection: HTTP1Connection) {
        // What may have come since the end of the last response would be taken for the next one.
        let isTooOld = settings.pool.maximumAge.map { connection.createdAt + $0 <= now } ?? false
        if ending != nil || isTooOld || (pool.waiterCount > 0 && !connection.isQuiet) {
            return connection.close(in: self)
        }
        switch pool.release(connection.id, connection.key, at: now) {
        case .handTo(let waiter):
            guard let exchange = exchanges[waiter] else { return giveBack(connection) }
            if exchange.request.options.requiresFreshConnection {
                // Its place in the count goes to the one that is made instead.
                connection.close(in: self, isCounted: false)
                return connect(exchange)
            }
            exchange.metrics.times.queued = now.nanoseconds(since: exchange.startedAt)
            connection.carry(exchange, in: self)
            if exchanges[exchange.id] != nil { arm(exchange) }
        case .idle:
            armSweep()
        case .close(let waiter):
            connection.close(in: self, isCounted: false)
            admit(waiter)
        }
    }

    // MARK: Ends

    /// Takes an exchange out of the books, its transfer being over. The caller is not resumed here.
    func remove(_ exchange: Exchange) {
        exchanges[exchange.id] = nil
        cancel(exchange.timer)
        exchange.stopUpload()
        exchange.metrics.times.total = now.nanoseconds(since: exchange.startedAt)
        exchange.ticket.outcome = TransferOutcome(metrics: exchange.metrics, trailers: exchange.trailers)
        if exchanges.isEmpty {
            returnBuffers()
            drained()
        }
    }

    /// Ends an exchange with an error: closes what carries it, then tells its caller.
    func end(_ exchange: Exchange, _ error: any Error, discarding: Bool = false) {
        guard exchanges[exchange.id] != nil else { return }
        exchanges[exchange.id] = nil
        let told = (error as? MartletError).map { exchange.completed($0, at: now) } ?? error
        if let connection = exchange.connection {
            connection.abort(in: self)
        } else if let attempt = exchange.attempt {
            exchange.attempt = nil
            if let heir = pool.takeHeir(exchange.key).flatMap({ exchanges[$0] }) {
                attempt.pass(to: heir)
            } else {
                attempt.abort(in: self)
                admit(pool.remove(0, exchange.key))
            }
        } else {
            pool.leave(exchange.key, waiter: exchange.id)
        }
        remove(exchange)
        exchange.observeFailure(told)
        exchange.fail(told, discarding: discarding)
    }

    /// The caller's task was cancelled.
    func cancel(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        cancellations[exchange.phase, default: 0] += 1
        end(exchange, CancellationError(), discarding: true)
    }

    /// Nobody will take the rest of the body.
    func abandon(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        exchange.isAbandoned = true
        end(exchange, CancellationError(), discarding: true)
    }

    /// The consumer has made room.
    func resumeReading(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        exchange.lastActivity = now
        exchange.connection?.resumeReading(in: self)
    }

    /// The pump has something to send.
    func uploadReady(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        exchange.connection?.uploadReady(in: self)
    }

    // MARK: Time

    /// Sets the exchange's timer, if it has to come earlier than it is set.
    func arm(_ exchange: Exchange) {
        let due = exchange.nextDeadline
        guard due < .distantFuture, !exchange.timer.isScheduled || due < exchange.timer.deadline else { return }
        schedule(exchange.timer, at: due, for: exchange)
    }
}

extension Exchange {
    func timerFired(in registry: isolated SessionRegistry) {
        if connection?.isHeldBackByCaller == true { lastActivity = registry.now }
        let due = nextDeadline
        if due > registry.now {
            if due < .distantFuture { registry.schedule(timer, at: due, for: self) }
            return
        }
        registry.end(self, timeoutError(at: registry.now))
    }

    private func timeoutError(at now: MonotonicInstant) -> MartletError {
        let timeouts = request.options.timeouts
        let host = key.origin.host
        let error: MartletError
        if let deadline = request.options.deadline, deadline <= now {
            let total = timeouts.total.map { " of \($0)" } ?? ""
            error = MartletError(
                .deadlineExceeded, "The call did not end within its total timeout\(total): it was \(phaseText).")
        } else if phase != .receiving, let deadline = request.options.headDeadline, deadline <= now {
            error = MartletError(
                .attemptTimeout, "The attempt had no response within its timeout: it was \(phaseText).")
        } else if phase == .lookUp || phase == .connecting || phase == .tls {
            error = MartletError(
                .connectTimeout,
                "No connection to \(host) within the connect timeout of \(timeouts.connect): it was \(phaseText).")
        } else {
            error = MartletError(
                .idleTimeout,
                "The server \(host) neither sent nor took a byte for the idle timeout of \(timeouts.idle): "
                    + "the call was \(phaseText).")
        }
        return error.with { $0.phase = phase }
    }

    private var phaseText: String {
        switch phase {
        case .queued: "waiting for a connection"
        case .lookUp: "looking up the name"
        case .tls: "in the TLS handshake"
        case .connecting, .sending, .waiting, .receiving: phase.rawValue
        }
    }
}
#endif
