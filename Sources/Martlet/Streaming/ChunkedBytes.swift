// A sequence of chunks, byte by byte: a step is a load from the current chunk, and awaits only when that is used up.

public import Foundation

/// The bytes of a sequence of chunks.
public struct ChunkedBytes<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable where Chunks.Element == Data {
    /// A byte.
    public typealias Element = UInt8

    private let chunks: Chunks

    /// Makes a sequence over `chunks`.
    public init(_ chunks: Chunks) { self.chunks = chunks }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator()) }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: Chunks.AsyncIterator
        @usableFromInline var storage: ByteStorage
        @usableFromInline var position = 0
        @usableFromInline var count = 0

        init(_ chunks: Chunks.AsyncIterator) {
            self.chunks = chunks
            storage = ByteStorage()
        }

        /// The next byte; nil at the end. Throws what the chunks throw.
        @inlinable
        public nonisolated(nonsending) mutating func next() async throws -> UInt8? {
            if position < count {
                defer { position += 1 }
                return storage.bytes[position]
            }
            return try await nextChunk()
        }

        /// The next byte, on the caller's actor.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UInt8? {
            if position < count {
                defer { position += 1 }
                return storage.bytes[position]
            }
            return try await nextChunk()
        }

        @usableFromInline
        nonisolated(nonsending) mutating func nextChunk() async throws -> UInt8? {
            while let chunk = try await chunks.next(isolation: #isolation) {
                guard !chunk.isEmpty else { continue }
                if !isKnownUniquelyReferenced(&storage) { storage = ByteStorage() }
                storage.fill(chunk)
                count = chunk.count
                position = 1
                return storage.bytes[0]
            }
            count = 0
            position = 0
            return nil
        }
    }
}

/// Memory for the chunk at hand, so that a step is a load and no more.
@usableFromInline
final class ByteStorage {
    @usableFromInline private(set) var bytes: UnsafeMutableRawBufferPointer

    init() { bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { bytes.deallocate() }

    func fill(_ data: Data) {
        if bytes.count < data.count {
            bytes.deallocate()
            bytes = .allocate(byteCount: Swift.max(data.count, 16 << 10), alignment: 16)
        }
        bytes.copyBytes(from: data)
    }
}

@available(*, unavailable)
extension ChunkedBytes.Iterator: Sendable {}
