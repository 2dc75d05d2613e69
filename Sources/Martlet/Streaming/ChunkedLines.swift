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
    // By itself rather than over `FramingIterator`: another generic parameter, which users' modules do not specialise, made
    // a line cost three times as much.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: Chunks.AsyncIterator?
        private var splitter: LineSplitter

        init(_ chunks: Chunks.AsyncIterator, _ splitter: LineSplitter) {
            self.chunks = chunks
            self.splitter = splitter
        }

        /// The next line; nil at the end. Throws `lineTooLong`, and what the chunks throw.
        public nonisolated(nonsending) mutating func next() async throws -> String? {
            while true {
                if let line = splitter.next() { return line }
                guard chunks != nil else { return nil }
                if let chunk = try await chunks?.next(isolation: #isolation) {
                    do throws(MartletError) {
                        try splitter.append(chunk)
                    } catch {
                        // Dropped here, so that the transfer ends with the error and not with the iterator.
                        chunks = nil
                        throw error
                    }
                } else {
                    chunks = nil
                    return try splitter.finish()
                }
            }
        }

        /// The next line, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            try await next()
        }
    }
}
