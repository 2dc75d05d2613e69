// Which connection a call gets, as a pure value: who waits, what is idle, how many there are. It decides; the registry acts.
// Idle connections are taken newest first, so that those not needed age and leave. Connections that carry several
// calls at once are in `ConnectionPool+Streams.swift`.

#if SocketTransport && os(Linux)

/// What a connection must have in common with a call to carry it. All calls of a transport share one TLS configuration,
/// so that the origin alone tells them apart.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
}

/// The book of the pool. `Connection` and `Waiter` are names the registry gives them.
struct ConnectionPool {
    typealias ConnectionID = UInt64
    typealias WaiterID = UInt64

    /// What a call that asks for a connection gets.
    enum Answer: Equatable {
        /// This idle connection; it is no longer idle.
        case use(ConnectionID)
        /// A place for a connection of its own, which is counted from now on; first close the named idle one of another origin.
        case connect(evicting: ConnectionID?)
        /// A place in the queue.
        case wait
        /// A place in the queue, and a connection that others are making will be its own too.
        case join
    }

    /// Whether the connections of an origin carry one call at a time or several.
    enum Kind { case unknown, single, shared }

    struct Idle {
        let id: ConnectionID
        let since: MonotonicInstant
    }

    struct Waiter {
        let id: WaiterID
        /// Whether it must not get a connection that has carried a call before.
        let fresh: Bool
    }

    /// A connection that carries several calls at once.
    struct Shared {
        let id: ConnectionID
        var streams: Int
        var limit: Int
        let madeAt: MonotonicInstant
        var hasRoom: Bool { streams < limit }
    }

    struct Host {
        let key: PoolKey
        var kind = Kind.single
        var count = 0
        var idle: [Idle] = []
        var waiters: [Waiter] = []
        var shared: [Shared] = []
        /// Connections being made, each of which will take so many calls.
        var pending = 0
        var expectedStreams = 100
        var isUnused: Bool { count == 0 && waiters.isEmpty }
    }

    /// Changed where they lie: taken out of a dictionary and put back, a host would be copied, arrays and all, at each call.
    var hosts: [Host] = []
    private var places: [PoolKey: Int] = [:]
    /// The place of the last call's host, most often the next one's too: comparing keys costs far less than hashing one.
    private var lastPlace = 0
    var total = 0
    var waiting = 0
    let limits: PoolLimits

    init(limits: PoolLimits) { self.limits = limits }

    /// Connections alive or being made.
    var connectionCount: Int { total }

    /// Idle connections.
    var idleCount = 0

    /// Calls that wait.
    var waiterCount: Int { waiting }

    /// Asks for a connection; with `fresh`, one that has carried nothing, or a shared one that was made after `madeSince`.
    /// `kind` is what is known of a new origin.
    mutating func acquire(
        _ key: PoolKey, for waiter: WaiterID, fresh: Bool = false, madeSince: MonotonicInstant? = nil,
        kind: Kind = .single
    ) -> Answer {
        let place = place(key) ?? open(key, kind)
        if hosts[place].waiters.isEmpty {
            if fresh {
                if let madeSince, let stream = takeStream(at: place, madeSince: madeSince) { return .use(stream) }
            } else if hosts[place].shared.isEmpty {
                if let idle = hosts[place].idle.popLast() {
                    idleCount -= 1
                    return .use(idle.id)
                }
            } else if let stream = takeStream(at: place) {
                return .use(stream)
            }
        }
        if hosts[place].kind != .single, hosts[place].joinsPending {
            hosts[place].waiters.append(Waiter(id: waiter, fresh: fresh))
            waiting += 1
            return .join
        }
        if hosts[place].count < limits.connectionsPerHost {
            if total < limits.connections {
                countPending(at: place)
                return .connect(evicting: nil)
            }
            if let victim = oldestIdle(besides: key) {
                forget(victim.idle.id, victim.key)
                // The place may be another now: the victim may have been its host's last connection.
                countPending(at: self.place(key) ?? open(key, kind))
                return .connect(evicting: victim.idle.id)
            }
            if let own = popOldestIdle(at: place) { return .connect(evicting: own) }
        } else if fresh, let own = popOldestIdle(at: place) {
            return .connect(evicting: own)
        }
        hosts[place].waiters.append(Waiter(id: waiter, fresh: fresh))
        waiting += 1
        return .wait
    }

    /// Takes a waiter out of the queue.
    mutating func leave(_ key: PoolKey, waiter: WaiterID) {
        guard let place = place(key) else { return }
        let count = hosts[place].waiters.count
        hosts[place].waiters.removeAll { $0.id == waiter }
        waiting -= count - hosts[place].waiters.count
        closeIfUnused(place)
    }

    /// What becomes of a connection that can carry another call.
    enum Release: Equatable {
        /// It goes to this waiter.
        case handTo(WaiterID)
        /// It is idle from now on.
        case idle
        /// It is closed, so that a waiter of another origin may connect; the newcomer is counted.
        case close(thenConnect: WaiterID)
    }

    /// A connection can carry another call.
    mutating func release(_ id: ConnectionID, _ key: PoolKey, at now: MonotonicInstant) -> Release {
        guard var place = place(key) else { return .idle }
        if !hosts[place].waiters.isEmpty {
            let waiter = hosts[place].waiters.removeFirst()
            waiting -= 1
            return .handTo(waiter.id)
        }
        if waiting > 0, total >= limits.connections {
            forget(id, key)
            if let waiter = admitWaiter(preferring: key) { return .close(thenConnect: waiter) }
            place = self.place(key) ?? open(key, .single)
            count(1, at: place)
        }
        hosts[place].idle.append(Idle(id: id, since: now))
        idleCount += 1
        return .idle
    }

    /// A connection is gone, or was not made (0): the waiter who may connect instead, counted from now on.
    mutating func remove(_ id: ConnectionID, _ key: PoolKey) -> WaiterID? {
        if id == 0 { endPending(key) }
        forget(id, key)
        return admitWaiter(preferring: key)
    }

    /// Connections that have been idle since `instant` or longer; they stay in the book until they are removed.
    func idleConnections(since instant: MonotonicInstant) -> [(ConnectionID, PoolKey)] {
        var expired: [(ConnectionID, PoolKey)] = []
        for host in hosts {
            for idle in host.idle {
                guard idle.since <= instant else { break }
                expired.append((idle.id, host.key))
            }
        }
        return expired
    }

    /// Since when the longest idle connection has been so.
    var oldestIdleSince: MonotonicInstant? {
        hosts.compactMap { $0.idle.first?.since }.min()
    }

    /// All idle connections.
    var idleConnections: [(ConnectionID, PoolKey)] {
        hosts.flatMap { host in host.idle.map { ($0.id, host.key) } }
    }

    private func oldestIdle(besides key: PoolKey) -> (key: PoolKey, idle: Idle)? {
        var oldest: (key: PoolKey, idle: Idle)?
        for host in hosts where host.key != key {
            guard let idle = host.idle.first else { continue }
            if let current = oldest, current.idle.since <= idle.since { continue }
            oldest = (host.key, idle)
        }
        return oldest
    }

    /// Takes the host's oldest idle connection; its count goes to the newcomer.
    private mutating func popOldestIdle(at place: Int) -> ConnectionID? {
        guard let oldest = hosts[place].idle.first else { return nil }
        hosts[place].idle.removeFirst()
        hosts[place].shared.removeAll { $0.id == oldest.id }
        hosts[place].pending += 1
        idleCount -= 1
        return oldest.id
    }

    mutating func forget(_ id: ConnectionID, _ key: PoolKey) {
        guard let place = place(key) else { return }
        if !hosts[place].shared.isEmpty { hosts[place].shared.removeAll { $0.id == id } }
        if let index = hosts[place].idle.firstIndex(where: { $0.id == id }) {
            hosts[place].idle.remove(at: index)
            idleCount -= 1
        }
        count(-1, at: place)
        closeIfUnused(place)
    }

    mutating func admitWaiter(preferring key: PoolKey) -> WaiterID? {
        guard waiting > 0, total < limits.connections else { return nil }
        if let place = place(key), let waiter = popWaiter(at: place) { return waiter }
        for place in hosts.indices {
            if let waiter = popWaiter(at: place) { return waiter }
        }
        return nil
    }

    private mutating func popWaiter(at place: Int) -> WaiterID? {
        guard !hosts[place].waiters.isEmpty, hosts[place].count < limits.connectionsPerHost,
            !hosts[place].waitersArePromised
        else { return nil }
        waiting -= 1
        countPending(at: place)
        return hosts[place].waiters.removeFirst().id
    }

    // MARK: Hosts

    /// Counts a connection that is being made.
    mutating func countPending(at place: Int) {
        hosts[place].pending += 1
        count(1, at: place)
    }

    private mutating func count(_ change: Int, at place: Int) {
        hosts[place].count += change
        total += change
    }

    mutating func place(_ key: PoolKey) -> Int? {
        if lastPlace < hosts.count, hosts[lastPlace].key == key { return lastPlace }
        guard let place = places[key] else { return nil }
        lastPlace = place
        return place
    }

    private mutating func open(_ key: PoolKey, _ kind: Kind) -> Int {
        hosts.append(Host(key: key, kind: kind))
        lastPlace = hosts.count - 1
        places[key] = lastPlace
        return lastPlace
    }

    /// Forgets a host without connections and waiters; the last one moves into its place.
    mutating func closeIfUnused(_ place: Int) {
        guard hosts[place].isUnused else { return }
        places[hosts[place].key] = nil
        let moved = hosts.removeLast()
        guard place < hosts.count else { return }
        hosts[place] = moved
        places[moved.key] = place
    }
}
#endif
