// The registry's books: what belongs to an id. The ids are numbers that the engine gives out itself, which nobody can choose to
// make them collide, so that one multiplication spreads them and nothing is hashed.

#if SocketTransport && os(Linux)

/// A map from ids to values, by linear probing. No id is 0.
struct IDMap<Value> {
    /// 0 where nothing is.
    private var ids: [UInt64]
    private var entries: [Value?]

    /// How many ids have a value.
    private(set) var count = 0

    init() {
        ids = Array(repeating: 0, count: 16)
        entries = Array(repeating: nil, count: 16)
    }

    var isEmpty: Bool { count == 0 }

    /// All values, in no order.
    var values: [Value] { entries.compactMap { $0 } }

    /// The value of an id; nil when it has none.
    subscript(id: UInt64) -> Value? {
        get {
            let place = place(of: id)
            return ids[place] == id ? entries[place] : nil
        }
        set {
            if let newValue { insert(newValue, id) } else { remove(id) }
        }
    }

    /// Where the id is, or would be.
    private func place(of id: UInt64) -> Int {
        var place = home(id)
        while ids[place] != 0, ids[place] != id { place = (place + 1) & (ids.count - 1) }
        return place
    }

    private func home(_ id: UInt64) -> Int {
        Int(truncatingIfNeeded: (id &* 0x9E37_79B9_7F4A_7C15) &>> 32) & (ids.count - 1)
    }

    private mutating func insert(_ value: Value, _ id: UInt64) {
        if 2 * (count + 1) > ids.count { resize(to: 2 * ids.count) }
        let place = place(of: id)
        if ids[place] == 0 {
            ids[place] = id
            count += 1
        }
        entries[place] = value
    }

    private mutating func remove(_ id: UInt64) {
        var hole = place(of: id)
        guard ids[hole] == id else { return }
        count -= 1
        // Entries behind the hole move up, so that none is cut off from its home.
        let mask = ids.count - 1
        var next = (hole + 1) & mask
        while ids[next] != 0 {
            if (next &- home(ids[next])) & mask >= (next &- hole) & mask {
                ids[hole] = ids[next]
                entries.swapAt(hole, next)
                hole = next
            }
            next = (next + 1) & mask
        }
        ids[hole] = 0
        entries[hole] = nil
        // A burst must not hold memory for good; a busy registry must not shrink and grow all the time.
        if ids.count > 1_024, 32 * count < ids.count { resize(to: ids.count / 4) }
    }

    private mutating func resize(to size: Int) {
        let old = (ids, entries)
        ids = Array(repeating: 0, count: size)
        entries = Array(repeating: nil, count: size)
        for index in old.0.indices where old.0[index] != 0 {
            let place = place(of: old.0[index])
            ids[place] = old.0[index]
            entries[place] = old.1[index]
        }
    }
}
#endif
