// The book of the pool: its counts are right, nobody waits while there is room, and nobody who waits is forgotten.

import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct ConnectionPoolTests {
    static func key(_ number: Int) -> PoolKey {
        PoolKey(origin: Origin(scheme: .http, host: .name("h\(number).test"), port: 80))
    }

    private let key = Self.key(0)
    private let other = Self.key(1)
    private let start = MonotonicInstant(nanoseconds: 0)

    private func pool(perHost: Int, total: Int = 100) -> ConnectionPool {
        ConnectionPool(limits: PoolLimits(connectionsPerHost: perHost, connections: total))
    }

    @Test func newestIdleConnectionIsTakenFirst() {
        var pool = pool(perHost: 2)
        _ = pool.acquire(key, for: 1)
        _ = pool.acquire(key, for: 2)
        #expect(pool.release(10, key, at: start) == .idle)
        #expect(pool.release(20, key, at: start + .seconds(1)) == .idle)
        #expect(pool.acquire(key, for: 3) == .use(20))
        #expect(pool.acquire(key, for: 4) == .use(10))
        #expect(pool.acquire(key, for: 5) == .wait)
    }

    @Test func callThatWantsFreshConnectionReplacesTheOldestIdleOne() {
        var pool = pool(perHost: 1)
        _ = pool.acquire(key, for: 1)
        _ = pool.release(10, key, at: start)
        #expect(pool.acquire(key, for: 2, fresh: true) == .connect(evicting: 10))
        #expect(pool.connectionCount == 1)
        #expect(pool.idleCount == 0)
    }

    @Test func waitersAreServedInTheirOrder() {
        var pool = pool(perHost: 1)
        _ = pool.acquire(key, for: 1)
        for waiter in [2, 3, 4] as [UInt64] { #expect(pool.acquire(key, for: waiter) == .wait) }
        pool.leave(key, waiter: 3)
        #expect(pool.release(10, key, at: start) == .handTo(2))
        #expect(pool.remove(10, key) == 4)
        #expect(pool.waiterCount == 0)
        #expect(pool.connectionCount == 1)
    }

    @Test func idleConnectionMakesWayForAnotherOrigin() {
        var pool = pool(perHost: 5, total: 1)
        _ = pool.acquire(key, for: 1)
        _ = pool.release(10, key, at: start)
        #expect(pool.acquire(other, for: 2) == .connect(evicting: 10))
        #expect(pool.connectionCount == 1)
    }

    @Test func releasedConnectionIsClosedForWaiterOfAnotherOrigin() {
        var pool = pool(perHost: 5, total: 1)
        _ = pool.acquire(key, for: 1)
        #expect(pool.acquire(other, for: 2) == .wait)
        #expect(pool.release(10, key, at: start) == .close(thenConnect: 2))
        #expect(pool.connectionCount == 1)
        #expect(pool.waiterCount == 0)
    }

    @Test func connectionsIdleForTooLongAreNamed() {
        var pool = pool(perHost: 3)
        for id in 1...3 as ClosedRange<UInt64> { _ = pool.acquire(key, for: id) }
        for id in 1...3 as ClosedRange<UInt64> { _ = pool.release(id, key, at: start + .seconds(Int(id))) }
        #expect(pool.oldestIdleSince == start + .seconds(1))
        #expect(pool.idleConnections(since: start + .seconds(2)).map(\.0) == [1, 2])
    }

    @Test(arguments: 0..<20) func anyMixOfOperationsKeepsTheBooksRight(_ seed: UInt64) {
        var model = PoolModel(seed: seed)
        for _ in 0..<Soak.count(1_000, soak: 10_000) { model.step() }
        model.drain()
        #expect(model.pool.connectionCount == 0)
        #expect(model.pool.waiterCount == 0)
        #expect(model.pool.idleCount == 0)
    }
}

/// Plays a registry: keeps what it was given and checks the book against it.
private struct PoolModel {
    private static let limits = PoolLimits(connectionsPerHost: 3, connections: 6)

    var pool = ConnectionPool(limits: limits)
    private var random: SeededNumbers
    private var last: UInt64 = 0
    private var now = MonotonicInstant(nanoseconds: 0)
    private var busy: [UInt64: PoolKey] = [:]
    private var idle: [UInt64: PoolKey] = [:]
    private var waiting: [(id: UInt64, key: PoolKey)] = []

    init(seed: UInt64) { random = SeededNumbers(seed) }

    private mutating func newID() -> UInt64 {
        last += 1
        return last
    }

    mutating func step() {
        now = now + .seconds(1)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: acquire()
        case 4..<7: release()
        case 7: removeBusy()
        case 8: removeIdle()
        default: leave()
        }
        check()
    }

    /// Everything ends: first those who wait, then what is open.
    mutating func drain() {
        while !waiting.isEmpty { leave() }
        while !busy.isEmpty { removeBusy() }
        while !idle.isEmpty { removeIdle() }
    }

    private mutating func acquire() {
        let id = newID()
        let key = ConnectionPoolTests.key(Int.random(in: 0..<4, using: &random))
        switch pool.acquire(key, for: id, fresh: Int.random(in: 0..<5, using: &random) == 0) {
        case .use(let used):
            #expect(idle.removeValue(forKey: used) == key)
            busy[used] = key
        case .connect(let evicted):
            if let evicted { #expect(idle.removeValue(forKey: evicted) != nil) }
            busy[id] = key
        case .wait, .join:
            waiting.append((id, key))
        }
    }

    private mutating func release() {
        guard let (id, key) = busy.randomElement(using: &random) else { return }
        switch pool.release(id, key, at: now) {
        case .handTo(let waiter): expectFirstWaiter(waiter, of: key)
        case .idle:
            busy[id] = nil
            idle[id] = key
        case .close(let waiter):
            busy[id] = nil
            admit(waiter)
        }
    }

    private mutating func removeBusy() {
        guard let (id, key) = busy.randomElement(using: &random) else { return }
        busy[id] = nil
        admit(pool.remove(id, key))
    }

    private mutating func removeIdle() {
        guard let (id, key) = idle.randomElement(using: &random) else { return }
        idle[id] = nil
        admit(pool.remove(id, key))
    }

    private mutating func leave() {
        guard let index = waiting.indices.randomElement(using: &random) else { return }
        let waiter = waiting.remove(at: index)
        pool.leave(waiter.key, waiter: waiter.id)
    }

    private mutating func admit(_ waiter: UInt64?) {
        guard let waiter else { return }
        guard let key = waiting.first(where: { $0.id == waiter })?.key else {
            Issue.record("\(waiter) does not wait")
            return
        }
        expectFirstWaiter(waiter, of: key)
        busy[newID()] = key
    }

    private mutating func expectFirstWaiter(_ waiter: UInt64, of key: PoolKey) {
        let index = waiting.firstIndex { $0.key == key }
        #expect(index.map { waiting[$0].id } == waiter)
        if let index { waiting.remove(at: index) }
    }

    private func check() {
        #expect(pool.connectionCount == busy.count + idle.count)
        #expect(pool.idleCount == idle.count)
        #expect(pool.waiterCount == waiting.count)
        #expect(pool.connectionCount <= Self.limits.connections)
        for key in Set(busy.values).union(idle.values).union(waiting.map(\.key)) {
            let count = busy.values.count { $0 == key } + idle.values.count { $0 == key }
            #expect(count <= Self.limits.connectionsPerHost)
            if waiting.contains(where: { $0.key == key }) {
                let isFull = count == Self.limits.connectionsPerHost
                let isTotalFull = pool.connectionCount == Self.limits.connections
                #expect(isFull || isTotalFull, "\(key) waits while there is room")
            }
        }
    }
}
#endif
