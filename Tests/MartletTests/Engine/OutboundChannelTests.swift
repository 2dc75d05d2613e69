// The bridge from a request body to its connection: nothing is pulled before it is wanted, and nobody is left waiting.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct OutboundChannelTests {
    @Test func nothingIsPulledBeforeTheConnectionWantsIt() async {
        let hasStarted = TestSignal()
        let channel = OutboundChannel {}
        let pump = Task { await channel.pump { _ in hasStarted.fire() } }
        for _ in 0..<20 { await Task.yield() }
        #expect(!hasStarted.hasFired)
        channel.open()
        await pump.value
        #expect(hasStarted.hasFired)
    }

    @Test func chunksComeInOrderAndTheEndLast() async {
        let channel = OutboundChannel {}
        channel.open()
        await channel.pump { sink in
            for text in ["a", "", "b"] { try await sink(Data(text.utf8)) }
        }
        let (chunks, ending) = channel.take()
        #expect(chunks == [Data("a".utf8), Data("b".utf8)])
        guard case .finished = ending else {
            Issue.record("the ending is \(String(describing: ending))")
            return
        }
    }

    @Test func errorOfTheBodyIsTheEnding() async {
        struct Broken: Error {}
        let channel = OutboundChannel {}
        channel.open()
        await channel.pump { _ in throw Broken() }
        guard case .failed(let error) = channel.take().ending else {
            Issue.record("no failure")
            return
        }
        #expect(error is Broken)
    }

    @Test func pumpIsHeldWhileEnoughWaits() async {
        let given = Lock(0)
        let channel = OutboundChannel {}
        channel.open()
        let pump = Task {
            await channel.pump { sink in
                for _ in 0..<40 {
                    given.withLock { $0 += 1 }
                    try await sink(Data(count: 64 << 10))
                }
            }
        }
        while given.withLock({ $0 }) < 8 { await Task.yield() }
        for _ in 0..<50 { await Task.yield() }
        #expect(given.withLock { $0 } == 8)
        var taken = 0
        while taken < 40 {
            taken += channel.take().chunks.count
            await Task.yield()
        }
        await pump.value
        #expect(given.withLock { $0 } == 40)
    }

    /// Closing comes at any moment: before the start, while the pump is held, while it runs.
    @Test(arguments: 0..<60) func closingEndsThePumpWhereverItIs(_ moment: Int) async {
        let channel = OutboundChannel {}
        let pump = Task {
            await channel.pump { sink in
                while true { try await sink(Data(count: 100 << 10)) }
            }
        }
        for step in 0..<moment {
            if step == 5 { channel.open() }
            if step % 7 == 6 { _ = channel.take() }
            await Task.yield()
        }
        channel.close()
        channel.open()
        await pump.value
        #expect(channel.take().chunks.isEmpty)
    }

    @Test func connectionIsToldOfTheFirstChunkAndOfTheEnd() async {
        let told = Lock(0)
        let channel = OutboundChannel { told.withLock { $0 += 1 } }
        channel.open()
        await channel.pump { sink in
            for _ in 0..<3 { try await sink(Data([1])) }
        }
        #expect(told.withLock { $0 } == 2)
        #expect(!channel.isWaitingForCaller)
    }
}
