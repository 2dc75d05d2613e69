// The pool's book of connections that carry several calls at once (HTTP/2). Busy ones with room are filled first, so that
// others drain and leave; calls wait for a connection that is being made instead of making one each.

#if SocketTransport && os(Linux)

extension ConnectionPool.Host {
    /// Whether a call has to wait for a connection that is being made already.
    ///
    /// One of an unknown kind may turn out to carry all; of a known kind, each carries as many as the last one did. Whoever
    /// makes it has one of its places.
    var joinsPending: Bool {
        switch kind {
        case .single: false
        case .unknown: pending > 0
        case .shared: waiters.count < pending * (expectedStreams - 1)
        }
    }

    /// Whether the connections being made will have room for all who wait.
    var waitersArePromised: Bool {
        switch kind {
        case .single: false
        case .unknown: pending > 0
        case .shared: waiters.count <= pending * (expectedStreams - 1)
        }
    }
}

extension ConnectionPool {
    /// Takes a stream of a connection that was made after an instant.
    mutating func takeStream(at place: Int, madeSince instant: MonotonicInstant) -> ConnectionID? {
        guard let index = hosts[place].shared.firstIndex(where: { $0.hasRoom && $0.madeAt > instant }) else {
            return nil
        }
        return takeStream(index, at: place)
    }

    private mutating func takeStream(_ index: Int, at place: Int) -> ConnectionID {
        if hosts[place].shared[index].streams == 0 { dropIdle(hosts[place].shared[index].id, at: place) }
        hosts[place].shared[index].streams += 1
        return hosts[place].shared[index].id
    }

    /// Takes a stream of the first busy connection that has room, else of the idle one that was used last.
    mutating func takeStream(at place: Int) -> ConnectionID? {
        let shared = hosts[place].shared
        var found = shared.firstIndex { $0.streams > 0 && $0.hasRoom }
        if found == nil {
            found =
                hosts[place].idle.reversed().lazy.compactMap { idle in
                    shared.firstIndex { $0.id == idle.id && $0.hasRoom }
                }
                .first
        }
        return found.map { takeStream($0, at: place) }
    }

    /// A connection that was being made is made, or is not.
    mutating func endPending(_ key: PoolKey) {
        if let place = place(key), hosts[place].pending > 0 { hosts[place].pending -= 1 }
    }

    /// A connection that carries one call at a time was made. True when calls waited to share it, which need one each.
    mutating func establishedSingle(_ key: PoolKey) -> Bool {
        endPending(key)
        guard let place = place(key), hosts[place].kind != .single else { return false }
        hosts[place].kind = .single
        return !hosts[place].waiters.isEmpty
    }

    /// From now on each connection to the origin carries one call at a time.
    mutating func requireSingle(_ key: PoolKey) {
        if let place = place(key) { hosts[place].kind = .single }
    }

    /// A connection that carries `limit` calls at once is ready; it carries `streams` already.
    mutating func establishedShared(
        _ id: ConnectionID, _ key: PoolKey, streams: Int, limit: Int, madeAt: MonotonicInstant, at now: MonotonicInstant
    ) {
        endPending(key)
        guard let place = place(key) else { return }
        hosts[place].kind = .shared
        hosts[place].expectedStreams = max(1, limit)
        hosts[place].shared.append(Shared(id: id, streams: streams, limit: limit, madeAt: madeAt))
        if streams == 0 {
            hosts[place].idle.append(Idle(id: id, since: now))
            idleCount += 1
        }
    }

    /// An attempt to connect came to nothing; its place is free.
    mutating func attemptFailed(_ key: PoolKey) {
        endPending(key)
        forget(0, key)
    }

    /// The peer allows another number of streams.
    mutating func setLimit(_ limit: Int, of id: ConnectionID, _ key: PoolKey) {
        guard let place = place(key), let index = hosts[place].shared.firstIndex(where: { $0.id == id }) else { return }
        hosts[place].shared[index].limit = limit
        hosts[place].expectedStreams = max(1, limit)
    }

    /// A connection takes no more calls; it is counted until it is removed.
    mutating func retire(_ id: ConnectionID, _ key: PoolKey) {
        guard let place = place(key) else { return }
        hosts[place].shared.removeAll { $0.id == id }
        dropIdle(id, at: place)
    }

    /// A call on a shared connection has ended. True when it carries none now and is idle.
    mutating func releaseStream(_ id: ConnectionID, _ key: PoolKey, at now: MonotonicInstant) -> Bool {
        guard let place = place(key), let index = hosts[place].shared.firstIndex(where: { $0.id == id }),
            hosts[place].shared[index].streams > 0
        else { return false }
        hosts[place].shared[index].streams -= 1
        guard hosts[place].shared[index].streams == 0 else { return false }
        hosts[place].idle.append(Idle(id: id, since: now))
        idleCount += 1
        return true
    }

    /// What can be done for those who wait.
    enum Step: Equatable {
        case use(ConnectionID, by: WaiterID)
        /// The waiter makes a connection, which is counted from now on.
        case connect(WaiterID)
        /// Close this idle connection: its origin has no use for it, and others wait for its place.
        case close(ConnectionID)
    }

    /// The next step for those who wait for an origin whose connections are shared.
    ///
    /// Those who need a fresh connection are passed over while one can be had; they take another where the limits allow none.
    mutating func nextStep(_ key: PoolKey) -> Step? {
        guard waiting > 0, let place = place(key), hosts[place].kind != .single else { return nil }
        let canConnect = hosts[place].count < limits.connectionsPerHost && total < limits.connections
        let mayGetFresh = canConnect || hosts[place].pending > 0
        if let room = hosts[place].shared.firstIndex(where: \.hasRoom),
            let next = hosts[place].waiters.firstIndex(where: { !$0.fresh || !mayGetFresh })
        {
            return .use(hosts[place].shared[room].id, by: takeWaiter(next, room, at: place))
        }
        if canConnect, !hosts[place].waiters.isEmpty, !hosts[place].waitersArePromised {
            waiting -= 1
            countPending(at: place)
            return .connect(hosts[place].waiters.removeFirst().id)
        }
        if hosts[place].waiters.isEmpty, total >= limits.connections, let idle = hosts[place].idle.first {
            return .close(idle.id)
        }
        return nil
    }

    /// Those who waited for the connection that was made just now, up to its room; fresh as it is, it suits all.
    mutating func handOut(_ id: ConnectionID, _ key: PoolKey) -> WaiterID? {
        guard let place = place(key), !hosts[place].waiters.isEmpty,
            let index = hosts[place].shared.firstIndex(where: { $0.id == id }), hosts[place].shared[index].hasRoom
        else { return nil }
        return takeWaiter(0, index, at: place)
    }

    /// Gives a waiter a stream of a connection, which is idle no more.
    private mutating func takeWaiter(_ waiter: Int, _ connection: Int, at place: Int) -> WaiterID {
        waiting -= 1
        if hosts[place].shared[connection].streams == 0 { dropIdle(hosts[place].shared[connection].id, at: place) }
        hosts[place].shared[connection].streams += 1
        return hosts[place].waiters.remove(at: waiter).id
    }

    private mutating func dropIdle(_ id: ConnectionID, at place: Int) {
        guard let index = hosts[place].idle.firstIndex(where: { $0.id == id }) else { return }
        hosts[place].idle.remove(at: index)
        idleCount -= 1
    }

    /// The first who waits for a connection that somebody makes who leaves: it goes on making it.
    mutating func takeHeir(_ key: PoolKey) -> WaiterID? {
        guard let place = place(key), hosts[place].kind != .single, !hosts[place].waiters.isEmpty else { return nil }
        waiting -= 1
        return hosts[place].waiters.removeFirst().id
    }

    /// No connection to the origin could be made, and there is none: all who waited to share one.
    mutating func takeStranded(_ key: PoolKey) -> [WaiterID] {
        guard let place = place(key), hosts[place].kind != .single, hosts[place].count == 0 else { return [] }
        let stranded = hosts[place].waiters.map(\.id)
        waiting -= stranded.count
        hosts[place].waiters = []
        closeIfUnused(place)
        return stranded
    }

    /// Whether a connection to the origin is being made.
    mutating func hasPending(_ key: PoolKey) -> Bool { place(key).map { hosts[$0].pending > 0 } ?? false }

    /// Those who wait for an origin, in their order.
    mutating func waiters(_ key: PoolKey) -> [WaiterID] { place(key).map { hosts[$0].waiters.map(\.id) } ?? [] }
}
#endif
