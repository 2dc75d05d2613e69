// A sequence of chunks as an event stream. One connection's worth: connecting again is the business of `eventSource`.

public import Foundation

/// The server-sent events of a sequence of chunks.
///
/// An event that the stream's end leaves unfinished is dropped, as the standard has it.
public struct ServerSentEvents<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable where Chunks.Element == Data {
    /// An event.
    public typealias Element = ServerSentEvent

    private let chunks: Chunks
    private let maximumBytes: Int

    /// Makes a sequence over `chunks`; an event or a line of more bytes than `maximumBytes`, 1 MiB by default, throws
    /// `frameTooLarge`.
    public init(_ chunks: Chunks, maximumBytes: Int = 1 << 20) {
        self.chunks = chunks
        self.maximumBytes = maximumBytes
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(frames: FramingIterator(chunks.makeAsyncIterator(), EventStreamParser(maximumBytes: maximumBytes)))
    }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var frames: FramingIterator<Chunks.AsyncIterator, EventStreamParser>

        init(frames: FramingIterator<Chunks.AsyncIterator, EventStreamParser>) { self.frames = frames }

        /// The next event; nil at the end. Throws `frameTooLarge`, and what the chunks throw.
        public nonisolated(nonsending) mutating func next() async throws -> ServerSentEvent? {
            try await frames.next()
        }

        /// The next event, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            try await next()
        }
    }
}
