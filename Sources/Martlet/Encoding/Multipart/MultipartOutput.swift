// Where the parts of one attempt go. Small pieces are joined, so that a thousand short fields are not a thousand chunks; large ones
// go through as they are.

import Foundation

final class MultipartOutput: Sendable {
    private struct State {
        var pending = Data()
        var search: DelimiterSearch?
    }

    private static let chunkSize = 64 << 10

    private let sink: RequestBody.Sink
    private let state: Lock<State>

    init(_ sink: @escaping RequestBody.Sink, guarding boundary: MultipartBoundary) {
        self.sink = sink
        state = Lock(State(search: boundary.isChosen ? DelimiterSearch(boundary: boundary.text) : nil))
    }

    /// Writes a delimiter with the head of the part that it begins.
    func writeHead(_ head: Data) async throws {
        state.withLock { $0.search?.restart() }
        try await put(head)
    }

    /// Writes content; throws `encodingFailed` when the boundary is in it.
    func write(_ content: Data) async throws {
        guard !state.withLock({ $0.search?.isFound(in: content) ?? false }) else {
            throw MartletError(
                .encodingFailed,
                "The content of a part holds the multipart boundary; choose another, or leave it to Martlet.")
        }
        try await put(content)
    }

    /// Writes the last delimiter, and all that waits.
    func finish(_ end: Data) async throws {
        try await put(end)
        let rest = state.withLock { state in
            defer { state.pending = Data() }
            return state.pending
        }
        if !rest.isEmpty { try await sink(rest) }
    }

    private func put(_ data: Data) async throws {
        let ready = state.withLock { state -> [Data] in
            if state.pending.count + data.count < Self.chunkSize {
                state.pending.append(data)
                return []
            }
            defer { state.pending = Data() }
            return state.pending.isEmpty ? [data] : [state.pending, data]
        }
        for chunk in ready { try await sink(chunk) }
    }
}
