// Name look-ups: one at a time for each name, shared by all who wait; who leaves is not told; too many is an error.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct LookUpPoolTests {
    private static let address = SocketAddress(ipv4: SocketAddress.loopback4, port: 0)

    @Test func lookUpsOfOneNameAreOne() async {
        let asked = Lock(0)
        let gate = DispatchSemaphore(value: 0)
        let pool = LookUpPool { _ in
            asked.withLock { $0 += 1 }
            gate.wait()
            return .success([Self.address])
        }
        let (answers, signal) = AsyncStream.makeStream(of: Int.self)
        for _ in 0..<50 {
            _ = pool.lookUp("one.test") { signal.yield((try? $0.get().count) ?? -1) }
        }
        gate.signal()
        var count = 0
        for await answer in answers.prefix(50) { count += answer }
        #expect(count == 50)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func slowNameDoesNotHoldUpOthers() async {
        let gate = DispatchSemaphore(value: 0)
        let pool = LookUpPool { name in
            if name != "fast.test" { gate.wait() }
            return .success([Self.address])
        }
        for number in 0..<12 { _ = pool.lookUp("slow\(number).test") { _ in } }
        await withCheckedContinuation { continuation in
            _ = pool.lookUp("fast.test") { _ in continuation.resume() }
        }
        for _ in 0..<12 { gate.signal() }
    }

    @Test func whoLeavesIsNotToldAndTheOthersAre() async {
        let gate = DispatchSemaphore(value: 0)
        let pool = LookUpPool { _ in
            gate.wait()
            return .success([Self.address])
        }
        let left = Lock(0)
        let ticket = pool.lookUp("one.test") { _ in left.withLock { $0 += 1 } }
        await withCheckedContinuation { continuation in
            _ = pool.lookUp("one.test") { _ in continuation.resume() }
            ticket.cancel()
            ticket.cancel()
            gate.signal()
        }
        #expect(left.withLock { $0 } == 0)
    }

    @Test func nameThatNobodyWantsAnyMoreIsNotAsked() async {
        let asked = Lock<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let pool = LookUpPool(limit: 1) { name in
            asked.withLock { $0.append(name) }
            if name == "first.test" { gate.wait() }
            return .success([Self.address])
        }
        _ = pool.lookUp("first.test") { _ in }
        pool.lookUp("unwanted.test") { _ in }.cancel()
        await withCheckedContinuation { continuation in
            _ = pool.lookUp("last.test") { _ in continuation.resume() }
            gate.signal()
        }
        #expect(asked.withLock { $0 } == ["first.test", "last.test"])
    }

    @Test func tooManyAreATypedErrorAtOnce() async {
        let gate = DispatchSemaphore(value: 0)
        let pool = LookUpPool(limit: 1, queueLimit: 1) { _ in
            gate.wait()
            return .success([Self.address])
        }
        let codes = Lock<[MartletError.Code]>([])
        for number in 0..<10 {
            _ = pool.lookUp("name\(number).test") { result in
                if case .failure(let error) = result { codes.withLock { $0.append(error.code) } }
            }
        }
        // One may have left the queue for its thread before the next came.
        let refused = codes.withLock { $0 }
        #expect(refused.count >= 8)
        #expect(Set(refused) == [.lookUpSaturated])
        for _ in 0..<10 { gate.signal() }
    }
}

@Suite struct AddressOrderTests {
    private static func four(_ last: UInt32) -> SocketAddress { SocketAddress(ipv4: 0x0a00_0000 | last, port: 1) }

    private static func six(_ last: UInt8) throws -> SocketAddress {
        try #require(SocketAddress(ipv6: [0xfd] + [UInt8](repeating: 0, count: 14) + [last], port: 1))
    }

    @Test func familiesTakeTurnsTheFirstOnesFirst() throws {
        let found = [try Self.six(1), try Self.six(2), try Self.six(3), Self.four(1), Self.four(2)]
        let expected = [try Self.six(1), Self.four(1), try Self.six(2), Self.four(2), try Self.six(3)]
        #expect(ConnectAttempt.ordered(found) == expected)
    }

    @Test func oneFamilyKeepsItsOrder() {
        let found = (1...5).map { Self.four($0) }
        #expect(ConnectAttempt.ordered(found) == found)
        #expect(ConnectAttempt.ordered([]).isEmpty)
    }

    @Test(arguments: [(3_000, 0), (0, 3_000), (3_000, 3_000), (15, 1), (16, 1)])
    func noMoreThanTheLimitAreTried(_ fours: Int, _ sixes: Int) throws {
        let found =
            (0..<fours).map { Self.four(UInt32($0)) }
            + (try (0..<sixes).map { try Self.six(UInt8(truncatingIfNeeded: $0)) })
        let ordered = ConnectAttempt.ordered(found)
        #expect(ordered.count == min(fours + sixes, ConnectAttempt.addressLimit))
        if sixes > 0, fours > 0 { #expect(ordered.contains { $0.family == .ipv6 }) }
    }
}
#endif
