// The bridge from callback to consumer: what is promised about its order, its pauses and its end.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct ByteChannelTests {
    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    private func append(_ text: String, to channel: ByteChannel) -> Bool {
        bytes(text).withUnsafeBytes { channel.append(copying: $0) }
    }

    @Test func smallPartsThatWaitAreJoined() async throws {
        let channel = ByteChannel(source: Source())
        for part in ["a", "", "b", "c"] { #expect(!append(part, to: channel)) }
        channel.finish()
        #expect(try await channel.next() == bytes("abc"))
        #expect(try await channel.next() == nil)
        #expect(try await channel.next() == nil)
    }

    @Test func errorComesAfterWhatWaits() async throws {
        let channel = ByteChannel(source: Source())
        _ = append("a", to: channel)
        channel.fail(MartletError(.bodyTruncated, "Cut."))
        channel.finish()
        #expect(try await channel.next() == bytes("a"))
        await #expect(throws: MartletError.self) { try await channel.next() }
        await #expect(throws: MartletError.self) { try await channel.next() }
    }

    @Test func discardingErrorComesAtOnce() async {
        let channel = ByteChannel(source: Source())
        _ = append("a", to: channel)
        channel.fail(MartletError(.clientShutDown, "Over."), discarding: true)
        await #expect(throws: MartletError.self) { try await channel.next() }
    }

    @Test func producerPausesAtTheHighMarkAndGoesOnBelowTheLowOne() async throws {
        let source = Source()
        let channel = ByteChannel(marks: .init(high: 10, low: 4), source: source)
        #expect(!channel.append(Data(count: 6)))
        #expect(channel.append(Data(count: 4)))
        #expect(channel.isPaused)
        #expect(try await channel.next()?.count == 6)
        #expect(source.resumed == 1)
        #expect(!channel.isPaused)
        #expect(try await channel.next()?.count == 4)
        #expect(source.resumed == 1)
    }

    @Test func endedChannelAsksForNoMore() async throws {
        let source = Source()
        let channel = ByteChannel(marks: .init(high: 4, low: 4), source: source)
        #expect(channel.append(Data(count: 4)))
        channel.finish()
        #expect(try await channel.next()?.count == 4)
        #expect(source.resumed == 0)
    }

    @Test func abandonedChannelEndsItsTransferOnce() {
        let source = Source()
        let channel = ByteChannel(source: source)
        channel.abandon()
        #expect(source.abandoned == 1)
        channel.finish()
        channel.abandon()
        #expect(source.abandoned == 1)
    }

    @Test func cancelledConsumerGetsNothingThatWaits() async throws {
        let source = Source()
        let channel = ByteChannel(source: source)
        source.onCancel = { channel.fail(CancellationError(), discarding: true) }
        _ = append("a", to: channel)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await channel.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(source.cancelled == 1)
    }

    /// Bytes that are on their way when the consumer is cancelled must not be taken for the end of the transfer.
    @Test func cancelledConsumerReturnsWhenItsTransferHasEnded() async {
        let source = Source()
        let channel = ByteChannel(source: source)
        let hasEnded = TestSignal()
        source.onCancel = {
            _ = channel.append(Data([1]))
            Task {
                for _ in 0..<50 { await Task.yield() }
                _ = channel.append(Data([2]))
                hasEnded.fire()
                channel.fail(CancellationError(), discarding: true)
            }
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try? await channel.next()
            return hasEnded.hasFired
        }
        #expect(await task.value)
    }

    @Test func waitingConsumerThatIsCancelledCancelsItsTransfer() async {
        let source = Source()
        let channel = ByteChannel(source: source)
        source.onCancel = { channel.fail(CancellationError(), discarding: true) }
        let task = Task { try await channel.next() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(source.cancelled == 1)
    }

    @Test(arguments: 0..<4) func everyByteArrivesOnceAndInOrder(_ seed: UInt64) async throws {
        let source = Source()
        let channel = ByteChannel(marks: .init(high: 2_000, low: 500), source: source)
        let total = Soak.count(200_000, soak: 20_000_000)
        let started = DetachedThread.start(name: "producer") {
            var random = SeededNumbers(seed)
            var given = 0
            while given < total {
                let count = min(total - given, Int.random(in: 1...700, using: &random))
                let data = Data((given..<(given + count)).map { UInt8(truncatingIfNeeded: $0) })
                let before = source.resumed
                let pauses =
                    Bool.random(using: &random)
                    ? channel.append(data) : data.withUnsafeBytes { channel.append(copying: $0) }
                // A producer that is paused waits to be told: a lost word would hang the test.
                while pauses, channel.isPaused, source.resumed == before { usleep(50) }
                given += count
            }
            channel.finish()
        }
        #expect(started)
        var taken = 0
        var isInOrder = true
        while let data = try await channel.next() {
            for byte in data {
                isInOrder = isInOrder && byte == UInt8(truncatingIfNeeded: taken)
                taken += 1
            }
        }
        #expect(isInOrder)
        #expect(taken == total)
    }

    /// Counts what the channel tells its source.
    private final class Source: ByteChannelSource {
        private struct State {
            var resumed = 0
            var cancelled = 0
            var abandoned = 0
            var onCancel: @Sendable () -> Void = {}
        }

        private let state = Lock(State())

        var resumed: Int { state.withLock { $0.resumed } }
        var cancelled: Int { state.withLock { $0.cancelled } }
        var abandoned: Int { state.withLock { $0.abandoned } }

        var onCancel: @Sendable () -> Void {
            get { state.withLock { $0.onCancel } }
            set { state.withLock { $0.onCancel = newValue } }
        }

        func resumeSending() { state.withLock { $0.resumed += 1 } }

        func cancelTransfer() {
            state.withLock { $0.cancelled += 1 }
            onCancel()
        }

        func abandonTransfer() { state.withLock { $0.abandoned += 1 } }
    }
}
