// Bytes on their way: an AsyncSequence of `Data` that is pulled. Its iterator ends the transfer when it is dropped, the body
// does when it is dropped without having been iterated, and a second iteration is a typed error.

public import Foundation
import Synchronization

/// A response body as it arrives.
///
/// ```swift
/// let response = try await client.get(url).stream()
/// for try await chunk in response.body { sink.write(chunk) }
/// ```
///
/// Leaving the loop early ends the transfer. A body can be iterated once; the second iteration throws
/// `bodyAlreadyConsumed`.
public struct ResponseBody: AsyncSequence, Sendable {
    /// The bytes of one step.
    public typealias Element = Data

    private let storage: Storage

    /// A body of bytes that are there already.
    public init(_ data: Data) {
        storage = Storage(.data(data))
    }

    /// A body that another sequence makes; its end is the end of the body.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        storage = Storage(.other { SequencePuller(chunks.makeAsyncIterator()) })
    }

    package init(_ channel: ByteChannel, _ record: any TransferRecord) {
        storage = Storage(.channel(channel), record: record)
    }

    package init(_ data: Data, _ record: any TransferRecord) {
        storage = Storage(.data(data), record: record)
    }

    /// A body that is made of another one's; `make` gives its one iterator.
    init(_ record: (any TransferRecord)?, _ make: @escaping @Sendable () -> any ChunkPuller) {
        storage = Storage(.other(make), record: record)
    }

    /// Where the transfer leaves its outcome; nil for a body without a transfer.
    var record: (any TransferRecord)? { storage.record }

    /// The call's metrics: those at the head, and the final ones once the body has ended. Nil for a body without a transfer.
    public var metrics: ResponseMetrics? { storage.record?.outcome.metrics }

    /// The trailer fields, once the body has ended; nil when there are none.
    public var trailers: HTTPHeaders? { storage.record?.outcome.trailers }

    /// Both at once; nil for a body without a transfer.
    package var outcome: TransferOutcome? { storage.record?.outcome }

    /// Where the end of a body shows.
    enum Course {
        /// It is here already.
        case whole
        /// In the engine, under this number.
        case transfer(UInt64)
        /// In its iterator alone.
        case other
    }

    /// Where the end of this body shows.
    var course: Course {
        switch storage.source {
        case .data: .whole
        case .channel: storage.record?.transferID.map { .transfer($0) } ?? .other
        case .other: .other
        }
    }

    /// Whether reading the rest waits for nobody.
    var isAtHand: Bool {
        if case .data = storage.source { true } else { outcome?.metrics?.total != nil }
    }

    /// Starts the one iteration.
    public func makeAsyncIterator() -> Iterator {
        guard storage.claim() else { return Iterator(.refused) }
        switch storage.source {
        case .data(let data): return Iterator(.data(data))
        case .channel(let channel): return Iterator(.channel(ChannelHold(channel)))
        case .other(let make): return Iterator(.other(make()))
        }
    }

    /// The whole body, of at most `limit` bytes; 64 MiB by default.
    ///
    /// - Throws: `bodyTooLarge` when the body is larger, and then the transfer has ended; what the transfer failed with.
    nonisolated(nonsending) public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
        try await collect(upTo: limit, expecting: nil)
    }

    /// The whole body, for which room is made at once when its length is told.
    nonisolated(nonsending) func collect(
        upTo limit: Int, expecting length: @autoclosure () -> Int?
    ) async throws -> Data {
        if case .data(let data) = storage.source, data.count <= limit, storage.claim() { return data }
        var iterator = makeAsyncIterator()
        guard var whole = try await iterator.next() else { return Data() }
        try Self.check(whole.count, limit)
        guard let second = try await iterator.next() else { return whole }
        try Self.check(whole.count + second.count, limit)
        let first = whole
        whole = Data()
        // The peer's word is good for memory that is not touched before its bytes are there.
        whole.reserveCapacity(Swift.min(Swift.max(length() ?? 0, first.count + second.count), limit, Self.roomAtOnce))
        whole.append(first)
        whole.append(second)
        while let chunk = try await iterator.next() {
            try Self.check(whole.count + chunk.count, limit)
            whole.append(chunk)
        }
        return whole
    }

    private static let roomAtOnce = 64 << 20

    private static func check(_ count: Int, _ limit: Int) throws(MartletError) {
        guard count > limit else { return }
        throw MartletError(
            .bodyTooLarge,
            "The response body exceeds the limit of \(limit) bytes. Raise the limit or stream the body.")
    }

    /// The bytes as a stream of the standard type, for code that needs one.
    public var stream: AsyncThrowingStream<Data, any Error> {
        let puller = SharedPuller(self)
        return AsyncThrowingStream { try await puller.next() }
    }

    /// The iterator of a body. Dropping it ends the transfer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case data(Data)
            case channel(ChannelHold)
            case other(any ChunkPuller)
            case done
            case refused
        }

        private var source: Source

        fileprivate init(_ source: Source) { self.source = source }

        /// The next bytes, never empty; nil at the end.
        ///
        /// - Throws: `bodyTruncated` when the body breaks off, `bodyAlreadyConsumed` in a second iteration, and what
        ///   else the transfer may fail with; `CancellationError`.
        public nonisolated(nonsending) mutating func next() async throws -> Data? {
            switch source {
            case .channel(let hold):
                if let chunk = try await hold.channel.next() { return chunk }
                source = .done
                return nil
            case .data(let data):
                source = .done
                return data.isEmpty ? nil : data
            case .other(let puller):
                while let chunk = try await puller.next() {
                    if !chunk.isEmpty { return chunk }
                }
                source = .done
                return nil
            case .done:
                return nil
            case .refused:
                throw MartletError(
                    .bodyAlreadyConsumed,
                    "The response body was iterated a second time. Keep its bytes, or collect it once.")
            }
        }

        /// The next bytes, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await next()
        }
    }
}

extension ResponseBody {
    fileprivate enum Source: Sendable {
        case data(Data)
        case channel(ByteChannel)
        case other(@Sendable () -> any ChunkPuller)
    }

    fileprivate final class Storage: Sendable {
        let source: Source
        let record: (any TransferRecord)?
        private let isClaimed = Atomic(false)

        init(_ source: Source, record: (any TransferRecord)? = nil) {
            self.source = source
            self.record = record
        }

        /// Whether the caller is the first who iterates.
        func claim() -> Bool {
            !isClaimed.exchange(true, ordering: .acquiringAndReleasing)
        }

        deinit {
            if case .channel(let channel) = source, claim() { channel.abandon() }
        }
    }

    /// Held by the iterator alone, so that its end is the iterator's.
    fileprivate final class ChannelHold: Sendable {
        let channel: ByteChannel
        init(_ channel: ByteChannel) { self.channel = channel }
        deinit { channel.abandon() }
    }

    /// For the closure of an `AsyncThrowingStream`, which one consumer calls, one call at a time.
    private actor SharedPuller {
        private let body: ResponseBody
        private var iterator: ResponseBody.Iterator?

        init(_ body: ResponseBody) { self.body = body }

        func next() async throws -> Data? {
            var current = iterator ?? body.makeAsyncIterator()
            defer { iterator = current }
            return try await current.next()
        }
    }
}

/// What a transfer has come to.
package struct TransferOutcome: Sendable {
    package var metrics: ResponseMetrics?
    package var trailers: HTTPHeaders?

    package init(metrics: ResponseMetrics? = nil, trailers: HTTPHeaders? = nil) {
        self.metrics = metrics
        self.trailers = trailers
    }
}

/// Where a body's transfer leaves its outcome.
package protocol TransferRecord: AnyObject, Sendable {
    var outcome: TransferOutcome { get }
    /// The number under which its transport tells observers of the transfer; nil where it does not.
    var transferID: UInt64? { get }
}

extension TransferRecord {
    package var transferID: UInt64? { nil }
}

/// The iterator of some sequence of chunks, without its type.
protocol ChunkPuller: AnyObject {
    nonisolated(nonsending) func next() async throws -> Data?
}

private final class SequencePuller<Source: AsyncIteratorProtocol>: ChunkPuller where Source.Element == Data {
    private var iterator: Source

    init(_ iterator: Source) { self.iterator = iterator }

    nonisolated(nonsending) func next() async throws -> Data? {
        try await iterator.next(isolation: #isolation)
    }
}
