// Request bodies whose pace a test decides, and what became of them.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

/// A sequence of chunks that goes on when the test says so; counts what was pulled and notices when it is dropped.
struct GatedChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let chunks: [Data]
    /// Awaited before the chunk of that place.
    var gates: [Int: TestSignal] = [:]
    let pulled = Counter()
    let ended = TestSignal()

    init(_ chunks: [String], gates: [Int: TestSignal] = [:]) {
        self.chunks = chunks.map { Data($0.utf8) }
        self.gates = gates
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: self, end: End(signal: ended)) }

    final class End: Sendable {
        let signal: TestSignal
        init(signal: TestSignal) { self.signal = signal }
        deinit { signal.fire() }
    }

    struct Iterator: AsyncIteratorProtocol {
        let base: GatedChunks
        let end: End
        var index = 0

        mutating func next() async throws -> Data? {
            if let gate = base.gates[index] {
                await gate.wait()
                try Task.checkCancellation()
            }
            guard index < base.chunks.count else { return nil }
            defer { index += 1 }
            base.pulled.increment()
            return base.chunks[index]
        }
    }
}

/// A body without end, which knows nothing of cancellation.
struct EndlessChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let chunk: Data
    let pulled = Counter()
    let ended = TestSignal()

    init(of size: Int = 65_536) { chunk = Data(repeating: 0x61, count: size) }

    func makeAsyncIterator() -> Iterator { Iterator(base: self, end: GatedChunks.End(signal: ended)) }

    struct Iterator: AsyncIteratorProtocol {
        let base: EndlessChunks
        let end: GatedChunks.End

        mutating func next() async throws -> Data? {
            base.pulled.increment()
            return base.chunk
        }
    }
}

/// A number that several tasks change.
final class Counter: Sendable {
    private let state = Lock((now: 0, peak: 0))

    var value: Int { state.withLock { $0.now } }
    /// The highest value so far.
    var peak: Int { state.withLock { $0.peak } }

    @discardableResult
    func increment() -> Int {
        state.withLock {
            $0.now += 1
            $0.peak = max($0.peak, $0.now)
            return $0.now
        }
    }

    func decrement() { state.withLock { $0.now -= 1 } }
}

/// Values that several tasks add to.
final class Collected<Value: Sendable>: Sendable {
    private let state = Lock<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func append(_ value: Value) { state.withLock { $0.append(value) } }
}
