// The body of a request on its way into DATA frames: the caller's own chunks, cut where the peer's window and frame size
// say, never copied.

#if SocketTransport && os(Linux)
import Foundation

/// What waits to be sent on one stream.
struct HTTP2Upload {
    /// How the bytes end.
    enum Ending { case none, finished, stopped }

    private var chunks: [Data] = []
    private var first = 0
    private var offset = 0
    /// Bytes that wait.
    private(set) var count = 0
    var ending = Ending.none

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        chunks.append(data)
        count += data.count
    }

    mutating func removeAll() {
        chunks = []
        first = 0
        offset = 0
        count = 0
    }

    /// Takes exactly `length` bytes, of those that wait, as parts of the chunks.
    mutating func take(_ length: Int, _ body: (Data) -> Void) {
        var left = min(length, count)
        count -= left
        while left > 0, first < chunks.count {
            let chunk = chunks[first]
            let start = chunk.startIndex + offset
            let taken = min(chunk.count - offset, left)
            body(chunk[start..<(start + taken)])
            left -= taken
            offset += taken
            if offset == chunk.count {
                chunks[first] = Data()
                first += 1
                offset = 0
            }
        }
        if first == chunks.count {
            chunks.removeAll(keepingCapacity: true)
            first = 0
        }
    }
}
#endif
