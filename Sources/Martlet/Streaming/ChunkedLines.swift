// A sequence of chunks, line by line.

public import Foundation

/// The lines of a sequence of chunks, as UTF-8 text without their ends.
public struct ChunkedLines<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable where Chunks.Element == Data {
    /// A line.
    public typealias Element = String

    private let chunks: Chunks
    private let maximumLineBytes: Int

    /// Makes a sequence over `chunks`; a line of more bytes than `maximumLineBytes`, 1 MiB by default, throws
    /// `lineTooLong`.
    public init(_ chunks: Chunks, maximumLineBytes: Int = 1 << 20) {
        self.chunks = chunks
        self.maximumLineBytes = maximumLineBytes
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(chunks.makeAsyncIterator(), LineSplitter(maximumLength: maximumLineBytes))
    }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var frames: FramingIterator<Chunks.AsyncIterator, LineSplitter>

        init(_ chunks: Chunks.AsyncIterator, _ splitter: LineSplitter) {
            frames = FramingIterator(chunks, splitter)
        }

        /// The next line; nil at the end. Throws `lineTooLong`, and what the chunks throw.
        public nonisolated(nonsending) mutating func next() async throws -> String? {
            try await frames.next()
        }

        /// The next line, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            try await next()
        }
    }
}
