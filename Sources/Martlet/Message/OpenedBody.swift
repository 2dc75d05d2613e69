// A request body made ready for one attempt: opened, its length known when it can be, its bytes behind one closure.

package import Foundation

/// A request body for one attempt.
package struct OpenedBody: Sendable {
    package enum Content: Sendable {
        case empty
        case data(Data)
        case feed(@Sendable (@escaping RequestBody.Sink) async throws -> Void)
    }

    /// The exact length in bytes; nil for the chunked coding.
    package let length: Int?
    package let content: Content

    static let empty = OpenedBody(length: 0, content: .empty)
}

extension OpenedBody {
    init(_ data: Data) { self.init(length: data.count, content: data.isEmpty ? .empty : .data(data)) }
}

extension RequestBody {
    /// The body opened, when that takes no waiting.
    package var openedAtOnce: OpenedBody? {
        switch kind {
        case .empty: .empty
        case .data(let data): OpenedBody(data)
        case .file, .stream, .composed: nil
        }
    }

    /// Opens the body for one attempt.
    ///
    /// - Throws: `fileUnreadable`, `invalidRequest` for a negative length.
    nonisolated(nonsending) package func open() async throws -> OpenedBody {
        switch kind {
        case .empty:
            return .empty
        case .data(let data):
            return OpenedBody(data)
        case .file(let path):
            let file = try await BodyFile.open(path)
            return OpenedBody(length: file.length, content: .feed { try await file.feed($0) })
        case .stream(let length, _, let feed):
            guard let length else { return OpenedBody(length: nil, content: .feed(feed)) }
            guard length >= 0 else {
                throw MartletError(.invalidRequest, "The length of the request body is negative: \(length).")
            }
            return OpenedBody(length: length, content: .feed { try await Self.feed(feed, exactly: length, into: $0) })
        case .composed(_, _, let open):
            return try await open()
        }
    }

    /// Feeds exactly `length` bytes: what comes beyond is not sent, and too little is an error.
    private static func feed(
        _ feed: @Sendable (@escaping Sink) async throws -> Void, exactly length: Int, into sink: @escaping Sink
    ) async throws {
        let sent = Lock(0)
        try await feed { chunk in
            let total = sent.withLock { $0 + chunk.count }
            guard total <= length else {
                throw MartletError(
                    .bodyLengthMismatch,
                    "The request body gave more than the \(length) bytes that were declared.")
            }
            try await sink(chunk)
            sent.withLock { $0 = total }
        }
        let total = sent.withLock { $0 }
        guard total == length else {
            throw MartletError(
                .bodyLengthMismatch,
                "The request body gave \(total) of the \(length) bytes that were declared.")
        }
    }
}
