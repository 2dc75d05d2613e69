// Frames that each begin with their length: what many binary protocols put on a stream. The rule is the caller's: how many
// bytes the length has, in which order, or a varint as protocol buffers write it.

public import Foundation

/// How a frame says its length.
public enum LengthPrefix: Sendable, Hashable {
    /// A number of 1 to 8 bytes, the highest first (network byte order).
    case bigEndian(bytes: Int)
    /// A number of 1 to 8 bytes, the lowest first.
    case littleEndian(bytes: Int)
    /// Seven bits a byte, the lowest first, the high bit set on all but the last (protocol buffers), of 10 bytes at most.
    case varint
}

/// The frames of a sequence of chunks, each without the length before it.
public struct LengthPrefixedFrames<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element == Data {
    /// The bytes of a frame; none is a frame too.
    public typealias Element = Data

    private let chunks: Chunks
    private let framer: LengthFramer

    /// Makes a sequence over `chunks`; a frame of more bytes than `maximumBytes`, 1 MiB by default, throws
    /// `frameTooLarge` before any of it is kept.
    public init(_ chunks: Chunks, prefix: LengthPrefix, maximumBytes: Int = 1 << 20) {
        self.chunks = chunks
        framer = LengthFramer(prefix: prefix, maximumBytes: maximumBytes)
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(frames: FramingIterator(chunks.makeAsyncIterator(), framer))
    }

    /// The iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private var frames: FramingIterator<Chunks.AsyncIterator, LengthFramer>

        init(frames: FramingIterator<Chunks.AsyncIterator, LengthFramer>) { self.frames = frames }

        /// The next frame; nil at the end. Throws `frameTooLarge`, `bodyTruncated` when the stream ends inside a frame,
        /// `invalidResponse` for a length that is no number, and what the chunks throw.
        public nonisolated(nonsending) mutating func next() async throws -> Data? { try await frames.next() }

        /// The next frame, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? { try await next() }
    }
}

/// Splits a stream at the lengths that it names.
struct LengthFramer: StreamFramer {
    let prefix: LengthPrefix
    /// The most bytes of one frame.
    let maximumBytes: Int

    private var buffer: [UInt8] = []
    private var start = 0

    init(prefix: LengthPrefix, maximumBytes: Int) {
        self.prefix = prefix
        self.maximumBytes = maximumBytes
    }

    mutating func append(_ data: Data) throws(MartletError) {
        buffer.removeSubrange(..<start)
        start = 0
        data.withUnsafeBytes { buffer.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
    }

    mutating func next() throws(MartletError) -> Data? {
        guard let (length, size) = try length() else { return nil }
        guard length <= UInt64(max(0, maximumBytes)) else {
            throw MartletError(
                .frameTooLarge,
                "A frame says that it has \(length) bytes, more than the limit of \(maximumBytes); raise the limit.")
        }
        let from = start + size
        guard buffer.count - from >= Int(length) else { return nil }
        start = from + Int(length)
        return Data(buffer[from..<start])
    }

    mutating func finish() throws(MartletError) -> Data? {
        if let frame = try next() { return frame }
        guard start == buffer.count else {
            throw MartletError(.bodyTruncated, "The body ends inside a frame.")
        }
        return nil
    }

    /// The length at `start` and how many bytes say it; nil as long as they are not all there.
    private func length() throws(MartletError) -> (length: UInt64, size: Int)? {
        let rest = buffer[start...]
        switch prefix {
        case .bigEndian(let size):
            guard rest.count >= (try Self.checked(size)) else { return nil }
            return (rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }, size)
        case .littleEndian(let size):
            guard rest.count >= (try Self.checked(size)) else { return nil }
            return (rest.prefix(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }, size)
        case .varint:
            var length: UInt64 = 0
            for (index, byte) in rest.enumerated() {
                // The tenth byte has room for one bit.
                guard index < 9 || (index == 9 && byte <= 1) else {
                    throw MartletError(.invalidResponse, "The length of a frame is a varint of more than 64 bits.")
                }
                length |= UInt64(byte & 0x7F) << UInt64(7 * index)
                if byte < 0x80 { return (length, index + 1) }
            }
            return nil
        }
    }

    private static func checked(_ size: Int) throws(MartletError) -> Int {
        guard (1...8).contains(size) else {
            throw MartletError(.invalidRequest, "A length prefix has 1 to 8 bytes, not \(size).")
        }
        return size
    }
}
