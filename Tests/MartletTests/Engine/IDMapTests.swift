// The registry's map is a map: checked against a dictionary, with ids that collide and leave in any order.

#if SocketTransport && os(Linux)
import Testing

@testable import Martlet

@Suite("ID map")
struct IDMapTests {
    @Test func behavesAsADictionaryDoes() {
        var random = SeededNumbers(11)
        var map = IDMap<Int>()
        var model: [UInt64: Int] = [:]
        for step in 0..<50_000 {
            // Few homes and many laps, so that ids meet; now and then a crowd, so that the table grows and shrinks.
            let id = UInt64.random(in: 1...(step / 10_000 % 2 == 0 ? 40 : 2_000), using: &random) * 16
            if Bool.random(using: &random) {
                map[id] = step
                model[id] = step
            } else {
                map[id] = nil
                model[id] = nil
            }
            #expect(map.count == model.count)
            let other = UInt64.random(in: 1...32_000, using: &random)
            if map[id] != model[id] || map[other] != model[other] {
                Issue.record("The map differs at step \(step)")
                return
            }
        }
        #expect(map.values.sorted() == model.values.sorted())
    }

    @Test func holdsNothingOnceAllIsRemoved() {
        final class Thing {}
        var map = IDMap<Thing>()
        var thing: Thing? = Thing()
        weak let watched = thing
        map[7] = thing
        map[23] = thing
        thing = nil
        map[7] = nil
        #expect(watched != nil)
        map[23] = nil
        #expect(watched == nil && map.isEmpty && map[7] == nil)
    }
}
#endif
