// A part of a multipart response while it arrives: its fields at once, its bytes when they are pulled.

public import Foundation

/// A part of a multipart body that is being received.
///
/// Its content is read, if at all, before the next part is asked for; what is left of it is then passed over.
public struct ReceivedPart: Sendable {
    /// The part's header fields.
    public let headers: HTTPHeaders
    /// The part's bytes as they arrive; they can be iterated once.
    public let body: Body

    init(headers: HTTPHeaders, number: Int, source: any PartSource) {
        self.headers = headers
        body = Body(number: number, source: source)
    }

    /// The name of a form's part.
    public var name: String? { headers.disposition?.name }

    /// The file name, as the sender wrote it: never to be used as a path; see ``ContentDisposition/safeFilename``.
    public var filename: String? { headers.disposition?.filename }

    /// The part's bytes, at most `limit` of them (64 MiB by default).
    ///
    /// - Throws: `bodyTooLarge` above the limit; `bodyAlreadyConsumed` when the part was passed over.
    nonisolated(nonsending) public func collect(upTo limit: Int = 64 << 20) async throws -> Data {
        var data = Data()
        var iterator = body.makeAsyncIterator()
        while let chunk = try await iterator.next() {
            guard data.count + chunk.count <= limit else {
                throw MartletError(.bodyTooLarge, "The part exceeds the limit of \(limit) bytes; stream it.")
            }
            data.append(chunk)
        }
        return data
    }

    /// The part as text, in the charset that its `Content-Type` names, else UTF-8.
    ///
    /// - Throws: `decodingFailed` when it is not text in that charset; what ``collect(upTo:)`` throws.
    nonisolated(nonsending) public func text() async throws -> String {
        try TextEncoding.decode(try await collect(), contentType: headers.contentType)
    }

    /// The bytes of a part.
    public struct Body: AsyncSequence, Sendable {
        /// Some bytes, never none.
        public typealias Element = Data

        let number: Int
        let source: any PartSource

        /// Starts the iteration.
        public func makeAsyncIterator() -> Iterator { Iterator(number: number, source: source) }

        /// The iterator of a part's bytes.
        public struct Iterator: AsyncIteratorProtocol {
            let number: Int
            let source: any PartSource

            /// The next bytes; nil at the end of the part.
            public nonisolated(nonsending) mutating func next() async throws -> Data? {
                try await source.content(of: number)
            }

            /// The next bytes, on the caller's actor.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
                try await next()
            }
        }
    }
}

/// Where parts come from.
protocol PartSource: AnyObject, Sendable {
    /// More of the content of the part of that number; nil at its end.
    nonisolated(nonsending) func content(of number: Int) async throws -> Data?
}
