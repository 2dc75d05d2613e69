// Which connection a call gets, as a pure value: who waits, what is idle, how many there are. It decides; the registry acts.
// Idle connections are taken newest first, so that those not needed age and leave.

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
    }

    private struct Idle {
        let id: ConnectionID
        let since: MonotonicInstant
    }

    private struct Host {
        var count = 0
        var idle: [Idle] = []
        var waiters: [WaiterID] = []
        var isUnused: Bool { count == 0 && waiters.isEmpty }
    }

    private var hosts: [PoolKey: Host] = [:]
    private var total = 0
    private var waiting = 0
    private let limits: PoolLimits

    init(limits: PoolLimits) { self.limits = limits }

    /// Connections alive or being made.
    var connectionCount: Int { total }

    /// Idle connections.
    private(set) var idleCount = 0

    /// Calls that wait.
    var waiterCount: Int { waiting }

    /// Asks for a connection; with `fresh`, one that has carried nothing.
    mutating func acquire(_ key: PoolKey, for waiter: WaiterID, fresh: Bool = false) -> Answer {
        var host = hosts[key] ?? Host()
        defer { hosts[key] = host }
        if !fresh, host.waiters.isEmpty, let idle = host.idle.popLast() {
            idleCount -= 1
            return .use(idle.id)
        }
        if host.count < limits.connectionsPerHost {
            if total < limits.connections {
                total += 1
                host.count += 1
                return .connect(evicting: nil)
            }
            if let victim = oldestIdle(besides: key) ?? (host.idle.isEmpty ? nil : (key, host.idle[0])) {
                // The count moves from the victim to the newcomer.
                if victim.0 == key {
                    host.idle.removeFirst()
                    idleCount -= 1
                } else {
                    forget(victim.1.id, victim.0)
                    host.count += 1
                    total += 1
                }
                return .connect(evicting: victim.1.id)
            }
        } else if fresh, let oldest = host.idle.first {
            host.idle.removeFirst()
            idleCount -= 1
            return .connect(evicting: oldest.id)
        }
        host.waiters.append(waiter)
        waiting += 1
        return .wait
    }

    /// Takes a waiter out of the queue.
    mutating func leave(_ key: PoolKey, waiter: WaiterID) {
        guard var host = hosts[key] else { return }
        let count = host.waiters.count
        host.waiters.removeAll { $0 == waiter }
        waiting -= count - host.waiters.count
        hosts[key] = host.isUnused ? nil : host
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
        guard var host = hosts[key] else { return .idle }
        if !host.waiters.isEmpty {
            let waiter = host.waiters.removeFirst()
            waiting -= 1
            hosts[key] = host
            return .handTo(waiter)
        }
        if waiting > 0, total >= limits.connections {
            forget(id, key)
            if let waiter = admitWaiter(preferring: key) { return .close(thenConnect: waiter) }
            total += 1
            host = hosts[key] ?? Host()
            host.count += 1
        }
        host.idle.append(Idle(id: id, since: now))
        idleCount += 1
        hosts[key] = host
        return .idle
    }

    /// A connection is gone, or was not made: the waiter who may connect instead, counted from now on.
    mutating func remove(_ id: ConnectionID, _ key: PoolKey) -> WaiterID? {
        forget(id, key)
        return admitWaiter(preferring: key)
    }

    /// Connections that have been idle since `instant` or longer; they stay in the book until they are removed.
    func idleConnections(since instant: MonotonicInstant) -> [(ConnectionID, PoolKey)] {
        var expired: [(ConnectionID, PoolKey)] = []
        for (key, host) in hosts {
            for idle in host.idle {
                guard idle.since <= instant else { break }
                expired.append((idle.id, key))
            }
        }
        return expired
    }

    /// Since when the longest idle connection has been so.
    var oldestIdleSince: MonotonicInstant? {
        hosts.values.compactMap { $0.idle.first?.since }.min()
    }

    /// All idle connections.
    var idleConnections: [(ConnectionID, PoolKey)] {
        hosts.flatMap { key, host in host.idle.map { ($0.id, key) } }
    }

    private func oldestIdle(besides key: PoolKey) -> (PoolKey, Idle)? {
        var oldest: (PoolKey, Idle)?
        for (other, host) in hosts where other != key {
            guard let idle = host.idle.first else { continue }
            if let current = oldest, current.1.since <= idle.since { continue }
            oldest = (other, idle)
        }
        return oldest
    }

    private mutating func forget(_ id: ConnectionID, _ key: PoolKey) {
        guard var host = hosts[key] else { return }
        if let index = host.idle.firstIndex(where: { $0.id == id }) {
            host.idle.remove(at: index)
            idleCount -= 1
        }
        host.count -= 1
        total -= 1
        hosts[key] = host.isUnused ? nil : host
    }

    private mutating func admitWaiter(preferring key: PoolKey) -> WaiterID? {
        guard waiting > 0, total < limits.connections else { return nil }
        if let waiter = popWaiter(key) { return waiter }
        for other in hosts.keys where other != key {
            if let waiter = popWaiter(other) { return waiter }
        }
        return nil
    }

    private mutating func popWaiter(_ key: PoolKey) -> WaiterID? {
        guard var host = hosts[key], !host.waiters.isEmpty, host.count < limits.connectionsPerHost else {
            return nil
        }
        let waiter = host.waiters.removeFirst()
        waiting -= 1
        host.count += 1
        total += 1
        hosts[key] = host
        return waiter
    }
}
#endif
