// JSON values decoded one by one as they arrive: lines, elements of an array, data of events. Only the value that is being
// read is in memory.

public import Foundation

/// The values of a stream of JSON, each decoded when it is whole.
///
/// Made by `jsonLines(of:)`, `jsonArray(of:)` and `events(decoding:)`.
public struct JSONValues<Chunks: AsyncSequence & Sendable, Value: Decodable>: AsyncSequence, Sendable
where Chunks.Element == Data {
    /// A decoded value.
    public typealias Element = Value

    private let chunks: Chunks
    private let framer: JSONFramer
    private let decoder: @Sendable () -> JSONDecoder

    init(_ chunks: Chunks, _ framer: JSONFramer, decoder: @escaping @Sendable () -> JSONDecoder) {
        self.chunks = chunks
        self.framer = framer
        self.decoder = decoder
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(frames: FramingIterator(chunks.makeAsyncIterator(), framer), decoder: decoder())
    }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var frames: FramingIterator<Chunks.AsyncIterator, JSONFramer>
        private let decoder: JSONDecoder
        private var count = 0

        init(frames: FramingIterator<Chunks.AsyncIterator, JSONFramer>, decoder: JSONDecoder) {
            self.frames = frames
            self.decoder = decoder
        }

        /// The next value; nil at the end. Throws `decodingFailed`, `frameTooLarge`, and what the chunks throw.
        public nonisolated(nonsending) mutating func next() async throws -> Value? {
            guard let text = try await frames.next() else { return nil }
            count += 1
            do {
                return try decoder.decode(Value.self, from: text)
            } catch {
                frames.stop()
                throw MartletError(
                    .decodingFailed, "Value \(count) of the stream could not be decoded as \(Value.self).",
                    underlying: error)
            }
        }

        /// The next value, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            try await next()
        }
    }
}
