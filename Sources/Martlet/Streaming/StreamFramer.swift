// From chunks, which are cut anywhere, to what they are made of: events, JSON values, frames. A framer is a pure value; one
// iterator drives them all, so that the rules of errors, ends and dropping are the same for each. Lines have their own.

import Foundation

/// Bytes in, frames out.
///
/// Chunks are appended, then frames taken with `next()` until it gives nil; at the end of the stream what is left is
/// taken with `finish()` until it gives nil.
protocol StreamFramer: Sendable {
    /// What the stream is made of.
    associatedtype Frame

    /// Whether no frame comes any more, whatever the stream still brings.
    var isFinished: Bool { get }

    mutating func append(_ data: Data) throws(MartletError)
    mutating func next() throws(MartletError) -> Frame?
    mutating func finish() throws(MartletError) -> Frame?
}

extension StreamFramer {
    var isFinished: Bool { false }
}

/// Pulls chunks and gives the frames that they hold.
struct FramingIterator<Chunks: AsyncIteratorProtocol, Framer: StreamFramer> where Chunks.Element == Data {
    // Nil once the stream has ended or failed, so that its transfer ends then and not with this iterator.
    private var chunks: Chunks?
    private(set) var framer: Framer

    init(_ chunks: Chunks, _ framer: Framer) {
        self.chunks = chunks
        self.framer = framer
    }

    /// The next frame; nil at the end.
    nonisolated(nonsending) mutating func next() async throws -> Framer.Frame? {
        while true {
            do throws(MartletError) {
                if let frame = try framer.next() { return frame }
            } catch {
                chunks = nil
                throw error
            }
            guard chunks != nil, !framer.isFinished else {
                chunks = nil
                return nil
            }
            if let chunk = try await chunks?.next(isolation: #isolation) {
                do throws(MartletError) {
                    try framer.append(chunk)
                } catch {
                    chunks = nil
                    throw error
                }
            } else {
                chunks = nil
                return try framer.finish()
            }
        }
    }

    /// Ends the stream: no frame comes any more.
    mutating func stop() { chunks = nil }
}
