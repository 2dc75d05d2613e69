// A call as a sequence: it is sent when iteration begins, and its transfer ends when the iterator goes away. A status that
// the call does not accept throws at the first step.

public import Foundation

extension Call {
    /// The body in chunks as they arrive. Each iteration sends the call anew; `unacceptableStatus` is thrown at its
    /// first step.
    public var chunks: Chunks { Chunks(call: self) }

    /// The body byte by byte; `chunks` is faster.
    public var bytes: ChunkedBytes<Chunks> { ChunkedBytes(chunks) }

    /// The body line by line, in UTF-8. Lines end with LF, CRLF or CR; one above the limit (1 MiB by default) throws
    /// `lineTooLong`.
    public var lines: ChunkedLines<Chunks> { ChunkedLines(chunks, maximumLineBytes: options.maximumLineBytes) }

    /// The chunks of a call's response body.
    public struct Chunks: AsyncSequence, Sendable {
        /// Some bytes of the body, never none.
        public typealias Element = Data

        let call: Call
        var accept = "*/*"

        /// Starts an iteration; the call is sent at its first step.
        public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

        /// The iterator. Dropping it ends the transfer.
        public struct Iterator: AsyncIteratorProtocol {
            let source: Chunks
            private var body: ResponseBody.Iterator?

            init(source: Chunks) { self.source = source }

            /// The next bytes; nil at the end.
            ///
            /// - Throws: `unacceptableStatus` at the first step, `bodyTruncated` when the body breaks off, and what
            ///   else the call may fail with; `CancellationError`.
            public nonisolated(nonsending) mutating func next() async throws -> Data? {
                if body == nil { body = try await source.call.acceptedStream(source.accept).body.makeAsyncIterator() }
                return try await body?.next()
            }

            /// The next bytes, on the caller's actor.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
                try await next()
            }
        }
    }
}

extension ResponseBody {
    /// The body byte by byte; iterating the body itself is faster.
    public var bytes: ChunkedBytes<ResponseBody> { ChunkedBytes(self) }

    /// The body line by line, in UTF-8. Lines end with LF, CRLF or CR; one above 1 MiB throws `lineTooLong`.
    public var lines: ChunkedLines<ResponseBody> { lines(maximumBytes: 1 << 20) }

    /// The body line by line, with another limit of a line's bytes.
    public func lines(maximumBytes: Int) -> ChunkedLines<ResponseBody> {
        ChunkedLines(self, maximumLineBytes: maximumBytes)
    }
}
