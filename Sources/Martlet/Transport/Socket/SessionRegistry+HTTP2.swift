// Connections that carry many exchanges in the registry: who gets a stream, who waits for a connection that another call
// makes, and what becomes of them when it is made, or is not.

#if SocketTransport && os(Linux)

extension SessionRegistry {
    /// What is known of an origin before there is a connection to it.
    func kind(of key: PoolKey) -> ConnectionPool.Kind {
        switch settings.version {
        case .http1: .single
        case .automatic: key.origin.scheme == .http || isHTTP1Required(key) ? .single : .unknown
        case .http2, .http2PriorKnowledge: .shared
        }
    }

    /// Whether the server has asked for HTTP/1.1.
    func isHTTP1Required(_ key: PoolKey) -> Bool { !http1Origins.isEmpty && http1Origins.contains(key) }

    /// What is offered by ALPN.
    func protocols(for key: PoolKey) -> [String] {
        (isHTTP1Required(key) ? .http1 : settings.version).protocols
    }

    /// The server asks for HTTP/1.1: nothing new is sent to it over HTTP/2.
    func requireHTTP1(_ key: PoolKey) {
        guard settings.version == .automatic, !isHTTP1Required(key) else { return }
        // So many origins that one is asked once more before it is remembered again.
        if http1Origins.count >= Self.http1OriginLimit { http1Origins.removeFirst() }
        http1Origins.insert(key)
        pool.requireSingle(key)
        for connection in http2Connections.values where connection.key == key { connection.leave(in: self) }
        admitSharers(key)
    }

    private static var http1OriginLimit: Int { 1_024 }

    /// Why an origin cannot be reached in the version asked for.
    func versionError(_ key: PoolKey) -> MartletError? {
        guard settings.version == .http2, key.origin.scheme == .http else { return nil }
        return MartletError(
            .versionNotNegotiated,
            "HTTP/2 cannot be negotiated in plain text; use `http2PriorKnowledge` where the server is known to speak it."
        )
    }

    /// An HTTP/2 connection was made for the exchange. Others get at it when the peer has said how many it takes.
    func connected(_ exchange: Exchange, _ connection: HTTP2Connection) {
        exchange.attempt = nil
        http2Connections[connection.id] = connection
        connection.awaitSettings(in: self)
        connection.carry(exchange, in: self)
    }

    /// The server speaks HTTP/1.1: those who waited to share its connection need one each.
    func admitSharers(_ key: PoolKey) {
        while let waiter = pool.admitWaiter(preferring: key) { admit(waiter) }
        for waiter in pool.waiters(key) { exchanges[waiter]?.phase = .queued }
    }

    /// The peer's SETTINGS have come: those who waited for the connection get at it.
    func established(_ connection: HTTP2Connection) {
        let (id, key) = (connection.id, connection.key)
        if isHTTP1Required(key) {
            pool.endPending(key)
            return connection.leave(in: self)
        }
        pool.establishedShared(
            id, key, streams: connection.streamCount, limit: connection.streamLimit, madeAt: connection.createdAt,
            at: now)
        while !connection.isRetired, !connection.isClosed, let waiter = pool.handOut(id, key) {
            give(connection, to: waiter)
        }
        if connection.streamCount == 0 { settle(connection) }
        serve(key)
        guard !pool.hasPending(key) else { return }
        // They wait for a place now, which is not counted as connecting.
        for waiter in pool.waiters(key) { exchanges[waiter]?.phase = .queued }
    }

    /// A call on the connection has ended: its place goes on to the next.
    func streamEnded(on connection: HTTP2Connection) {
        // Under constant load it would never be without calls.
        if connection.isTooOld(settings.pool, now) { connection.retire(in: self) }
        if connection.isRetired || !connection.isEstablished {
            if connection.streamCount == 0, connection.isRetired || ending != nil { connection.close(in: self) }
            return
        }
        let isIdle = pool.releaseStream(connection.id, connection.key, at: now)
        if pool.waiterCount > 0 { serve(connection.key) }
        if isIdle, connection.streamCount == 0 { settle(connection) }
    }

    /// A connection without calls is kept, unless nothing is kept any more.
    private func settle(_ connection: HTTP2Connection) {
        if ending != nil {
            connection.leave(in: self)
        } else {
            armSweep()
        }
    }

    /// Gives those who wait for an origin what there is for them.
    func serve(_ key: PoolKey) {
        while let step = pool.nextStep(key) {
            switch step {
            case .use(let id, let waiter):
                guard let connection = http2Connections[id] else { continue }
                give(connection, to: waiter)
            case .connect(let waiter): admit(waiter)
            case .close(let id): http2Connections[id]?.close(in: self)
            }
        }
    }

    private func give(_ connection: HTTP2Connection, to waiter: UInt64) {
        guard let exchange = exchanges[waiter] else {
            _ = pool.releaseStream(connection.id, connection.key, at: now)
            return
        }
        exchange.metrics.queued = now.since(exchange.startedAt)
        connection.carry(exchange, in: self)
    }

    /// An attempt came to nothing: those who waited to share its connection, when there is no other, have the same outcome.
    func strand(_ key: PoolKey, _ error: MartletError) {
        for waiter in pool.takeStranded(key) {
            if let exchange = exchanges[waiter] { end(exchange, error, discarding: true) }
        }
    }

    /// Writes what the turn has brought for HTTP/2 connections.
    func flushDirty() {
        while !dirty.isEmpty {
            let connections = dirty
            dirty = []
            for connection in connections { connection.flush(in: self) }
        }
    }

    /// Closes a connection by its name in the pool.
    func closeConnection(_ id: UInt64, isCounted: Bool = true) {
        if let connection = connections[id] {
            connection.close(in: self, isCounted: isCounted)
        } else {
            http2Connections[id]?.close(in: self, isCounted: isCounted)
        }
    }
}

extension HTTP2Connection {
    /// Whether the connection has been there for longer than connections may be.
    func isTooOld(_ limits: PoolLimits, _ now: MonotonicInstant) -> Bool {
        limits.maximumAge.map { createdAt + $0 <= now } ?? false
    }
}
#endif
