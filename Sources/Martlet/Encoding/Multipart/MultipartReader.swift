// A multipart body as a sequence of parts, each a sequence of bytes, over one iterator of the body. Pulled: nothing is read that was
// not asked for, and nothing of a part is kept.

public import Foundation

/// The parts of a multipart body as they arrive.
///
/// ```swift
/// for try await part in client.get("/batch").parts {
///     print(part.headers.contentType ?? "untyped", try await part.collect().count)
/// }
/// ```
///
/// Leaving the loop ends the transfer. The body must end with its last delimiter, else the loop throws `bodyTruncated`.
public struct MultipartReader<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    /// A part.
    public typealias Element = ReceivedPart

    private let base: Base
    private let boundary: String
    private let limits: MultipartLimits

    /// Makes a reader of bytes whose parts this boundary separates.
    public init(_ base: Base, boundary: String, limits: MultipartLimits = MultipartLimits()) {
        self.base = base
        self.boundary = boundary
        self.limits = limits
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        let parser = MultipartParser(boundary: boundary, limits: limits)
        return Iterator(source: MultipartSource(base.makeAsyncIterator(), parser, limits))
    }

    /// The iterator of the parts. Dropping it, and the parts that it gave, ends the transfer.
    public struct Iterator: AsyncIteratorProtocol {
        let source: MultipartSource<Base.AsyncIterator>

        /// The next part, what is left of the one before being passed over; nil at the end.
        ///
        /// - Throws: `bodyTruncated`, `invalidResponse`, `headTooLarge`; what the body itself throws.
        public nonisolated(nonsending) mutating func next() async throws -> ReceivedPart? {
            guard let (headers, number) = try await source.nextHead() else { return nil }
            return ReceivedPart(headers: headers, number: number, source: source)
        }

        /// The next part, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReceivedPart? {
            try await next()
        }
    }
}

/// The parser and the iterator that feeds it, for one reader at a time.
final class MultipartSource<Bytes: AsyncIteratorProtocol>: PartSource where Bytes.Element == Data {
    private struct State {
        var bytes: Bytes
        var parser: MultipartParser
        var number = 0
        var head: HTTPHeaders?
        var epilogueLeft: Int
    }

    // Taken out while it is in use; gone for good once something has failed, which ends the transfer.
    private let state: Lock<State?>

    init(_ bytes: sending Bytes, _ parser: MultipartParser, _ limits: MultipartLimits) {
        state = Lock(State(bytes: bytes, parser: parser, epilogueLeft: limits.preambleBytes))
    }

    nonisolated(nonsending) func nextHead() async throws -> (HTTPHeaders, number: Int)? {
        var taken = try take()
        while taken.head == nil, try await Self.content(&taken) != nil {}
        guard let head = taken.head else {
            try await Self.drain(&taken)
            putBack(taken)
            return nil
        }
        taken.head = nil
        taken.number += 1
        let number = taken.number
        putBack(taken)
        return (head, number)
    }

    nonisolated(nonsending) func content(of number: Int) async throws -> Data? {
        var taken = try take()
        guard taken.number == number else {
            putBack(taken)
            throw Self.passedOver
        }
        let content = taken.head == nil ? try await Self.content(&taken) : nil
        putBack(taken)
        return content
    }

    private func take() throws -> State {
        let taken = state.withLock { state in
            defer { state = nil }
            return state
        }
        guard let taken else {
            throw MartletError(
                .bodyAlreadyConsumed,
                "The multipart body has failed before, or two tasks read it at a time; read each part before the next.")
        }
        return taken
    }

    private func putBack(_ taken: State) { state.withLock { $0 = taken } }

    private static var passedOver: MartletError {
        MartletError(
            .bodyAlreadyConsumed,
            "The part was passed over: its content has to be read before the next part is asked for.")
    }

    /// More content of the current part; nil when the next part's head or the end has come.
    private static nonisolated(nonsending) func content(_ state: inout State) async throws -> Data? {
        while true {
            switch try state.parser.next() {
            case .content(let content): return content
            case .head(let head):
                state.head = head
                return nil
            case .end: return nil
            case nil:
                if state.parser.isDone { return nil }
                guard let more = try await state.bytes.next(isolation: #isolation) else {
                    try state.parser.end()
                    return nil
                }
                state.parser.append(more)
            }
        }
    }

    /// Takes what follows the last delimiter, so that a body that was cut is noticed and its connection is free; not for ever.
    private static nonisolated(nonsending) func drain(_ state: inout State) async throws {
        while state.epilogueLeft > 0, let more = try await state.bytes.next(isolation: #isolation) {
            state.epilogueLeft -= more.count
        }
    }
}
