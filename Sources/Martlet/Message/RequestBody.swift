// A body to send: a factory rather than bytes on the move, so that each attempt gets a fresh one. Knows its length when it
// can. What can be read once only says so, and sending it again is a typed error, never a wrong body.

public import Foundation
import Synchronization

/// What is sent after the request head.
public struct RequestBody: Sendable {
    /// Where a streamed body's bytes go; returns when there is room for more.
    package typealias Sink = @Sendable (Data) async throws -> Void

    package enum Kind: Sendable {
        case empty
        case data(Data)
        case file(path: String)
        case stream(length: Int?, isReplayable: Bool, feed: @Sendable (@escaping Sink) async throws -> Void)
        /// Made of other bodies: opened anew for each attempt.
        case composed(length: Int?, isReplayable: Bool, open: @Sendable () async throws -> OpenedBody)
    }

    package let kind: Kind
    /// The media type that a verb or a builder sets with the body; used when the request has no `Content-Type`.
    package var contentType: String?
    /// Whether the media type comes in place of the one that the request has: it holds what the body cannot be read without.
    package var fixesContentType = false

    private init(_ kind: Kind, contentType: String? = nil) {
        self.kind = kind
        self.contentType = contentType
    }

    /// A body made of others.
    static func composed(
        length: Int?, isReplayable: Bool, contentType: String, open: @escaping @Sendable () async throws -> OpenedBody
    ) -> RequestBody {
        var body = RequestBody(
            .composed(length: length, isReplayable: isReplayable, open: open), contentType: contentType)
        body.fixesContentType = true
        return body
    }

    /// The same body, opened in another way.
    func opened(by open: @escaping @Sendable () async throws -> OpenedBody) -> RequestBody {
        var body = RequestBody(
            .composed(length: length, isReplayable: isReplayable, open: open), contentType: contentType)
        body.fixesContentType = fixesContentType
        return body
    }

    /// No body.
    public static let empty = RequestBody(.empty)

    /// Bytes in memory, sent without a copy; without a media type unless one is given.
    public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
        RequestBody(.data(data), contentType: contentType)
    }

    /// A file, read while it is sent. Exactly its length at the start is sent: a file that grows is cut there, one that
    /// shrinks ends the call with `bodyLengthMismatch`. One that cannot be opened or is not a regular file ends it with
    /// `fileUnreadable`. Its media type goes by its extension unless one is given.
    public static func file(_ path: String, contentType: String? = nil) -> RequestBody {
        RequestBody(.file(path: path), contentType: contentType ?? FileMediaType.type(ofPath: path))
    }

    /// Chunks from a sequence that `make` makes for each attempt; pulled only as fast as the peer takes them. What
    /// `make` or the sequence throws ends the call with `bodyFailed`.
    ///
    /// Empty chunks are skipped. With a `length` (in bytes) exactly that many must come, else the call ends with
    /// `bodyLengthMismatch`; without one the body is sent in the chunked coding.
    public static func stream<Chunks: AsyncSequence & SendableMetatype>(
        length: Int? = nil, contentType: String? = nil, _ make: @escaping @Sendable () async throws -> Chunks
    ) -> RequestBody where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        RequestBody(
            .stream(length: length, isReplayable: true) { sink in
                for try await chunk in try await make() { try await sink(chunk) }
            }, contentType: contentType)
    }

    /// Chunks from one sequence, which can be read once: sending the request again throws `bodyNotReplayable`. In all
    /// else as ``stream(length:contentType:_:)``.
    public static func oneShot<Chunks: AsyncSequence & Sendable>(
        length: Int? = nil, contentType: String? = nil, _ chunks: Chunks
    ) -> RequestBody where Chunks.Element == Data {
        let used = Used()
        return RequestBody(
            .stream(length: length, isReplayable: false) { sink in
                guard !used.flag.exchange(true, ordering: .relaxed) else {
                    throw MartletError(
                        .bodyNotReplayable,
                        "The request has to be sent again, but its body can be read only once. Give a factory instead.")
                }
                for try await chunk in chunks { try await sink(chunk) }
            }, contentType: contentType)
    }

    private final class Used: Sendable {
        let flag = Atomic(false)
    }

    /// The length in bytes when it is known before the body is opened; nil for a file and for a stream without one.
    public var length: Int? {
        switch kind {
        case .empty: 0
        case .data(let data): data.count
        case .file: nil
        case .stream(let length, _, _), .composed(let length, _, _): length
        }
    }

    /// Whether each attempt gets the same bytes again.
    public var isReplayable: Bool {
        switch kind {
        case .empty, .data, .file: true
        case .stream(_, let isReplayable, _), .composed(_, let isReplayable, _): isReplayable
        }
    }

    /// Whether there is no body at all.
    public var isEmpty: Bool {
        if case .empty = kind { true } else { false }
    }
}
