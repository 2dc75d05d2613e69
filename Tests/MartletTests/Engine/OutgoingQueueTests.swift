// Bytes on their way to a socket, whichever way they are taken: as vectors, joined, and in pieces of any size.

#if SocketTransport && os(Linux)
import CLinux
import Foundation
import Testing

@testable import Martlet

@Suite struct OutgoingQueueTests {
    @Test(arguments: 0..<12) func everyByteLeavesOnceAndInOrder(_ seed: UInt64) {
        var random = SeededNumbers(seed)
        var queue = OutgoingQueue()
        var expected: [UInt8] = []
        var sent: [UInt8] = []
        var body = 0
        var sentBody = 0
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)
        defer { scratch.deallocate() }
        for _ in 0..<Soak.count(1_000, soak: 10_000) {
            if Bool.random(using: &random) {
                let count = Int.random(in: 0...900, using: &random)
                let bytes = (0..<count).map { UInt8(truncatingIfNeeded: expected.count + $0) }
                if Bool.random(using: &random) {
                    queue.append(body: Data(bytes))
                    body += count
                } else {
                    queue.append(framing: bytes)
                }
                expected += bytes
            }
            guard !queue.isEmpty else { continue }
            let front = take(queue, scratch, joined: Bool.random(using: &random))
            let written = Int.random(in: 0...front.count, using: &random)
            sent += front.prefix(written)
            sentBody += queue.consume(written)
        }
        while !queue.isEmpty {
            let front = take(queue, scratch, joined: true)
            sent += front
            sentBody += queue.consume(front.count)
        }
        #expect(sent == expected)
        #expect(sentBody == body)
        #expect(queue.count == 0)
    }

    private func take(_ queue: OutgoingQueue, _ scratch: UnsafeMutableRawBufferPointer, joined: Bool) -> [UInt8] {
        if joined { return queue.withFront(joiningIn: scratch) { Array($0) } }
        return queue.withVectors { vectors in
            vectors.flatMap { Array(UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len)) }
        }
    }

    @Test func emptyPartsAreNotKept() {
        var queue = OutgoingQueue()
        queue.append(framing: [])
        queue.append(body: Data())
        #expect(queue.isEmpty)
        #expect(queue.withVectors { $0.count } == 0)
    }

    @Test func removingAllLeavesNothing() {
        var queue = OutgoingQueue()
        queue.append(framing: [1, 2, 3])
        _ = queue.consume(1)
        queue.removeAll()
        #expect(queue.isEmpty)
        queue.append(framing: [4])
        #expect(queue.withVectors { $0.first?.iov_len } == 1)
    }
}

@Suite struct ReadBufferTests {
    @Test func dataSharesTheMemoryAndKeepsItAlive() {
        func make() -> Data {
            let buffer = ReadBuffer()
            buffer.bytes.initializeMemory(as: UInt8.self, repeating: 7)
            return buffer.data(10..<20)
        }
        let data = make()
        let others = (0..<40).map { _ in ReadBuffer() }
        for other in others { other.bytes.initializeMemory(as: UInt8.self, repeating: 9) }
        #expect(data == Data(repeating: 7, count: 10))
    }

    @Test func emptyPartHoldsNothing() {
        #expect(ReadBuffer().data(5..<5).isEmpty)
    }
}
#endif
