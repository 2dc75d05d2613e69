// Bytes on their way to a socket: heads and framing as byte arrays, body chunks as the caller's own `Data`, uncopied.

#if SocketTransport && os(Linux)
import CLinux
import Foundation
import Glibc

/// What waits to be written on one connection.
struct OutgoingQueue {
    private enum Bytes {
        case framing([UInt8])
        case body(Data)

        var count: Int {
            switch self {
            case .framing(let bytes): bytes.count
            case .body(let data): data.count
            }
        }

        func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch self {
            case .framing(let bytes): bytes.withUnsafeBytes(body)
            case .body(let data): data.withUnsafeBytes(body)
            }
        }
    }

    private var segments: [Bytes] = []
    private var first = 0
    private var offset = 0

    /// Bytes that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(framing bytes: [UInt8]) { add(.framing(bytes)) }

    mutating func append(body data: Data) { add(.body(data)) }

    private mutating func add(_ bytes: Bytes) {
        guard bytes.count > 0 else { return }
        segments.append(bytes)
        count += bytes.count
    }

    mutating func removeAll() { self = OutgoingQueue() }

    /// Drops `written` bytes from the front; returns how many of them were body bytes.
    mutating func consume(_ written: Int) -> Int {
        var left = written
        var body = 0
        count -= written
        while left > 0, first < segments.count {
            let taken = min(segments[first].count - offset, left)
            if case .body = segments[first] { body += taken }
            left -= taken
            offset += taken
            if offset == segments[first].count {
                segments[first] = .framing([])
                first += 1
                offset = 0
            }
        }
        if first == segments.count {
            segments.removeAll(keepingCapacity: segments.count <= 64)
            first = 0
        }
        return body
    }

    /// Whether all that waits lies in one piece.
    var isOnePiece: Bool { first + 1 == segments.count }

    /// Calls `body` with what is left of the first piece.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        segments[first].withBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// The most segments offered to the system at once.
    private static let vectorLimit = 16

    /// Calls `body` with vectors over the bytes at the front.
    func withVectors<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.vectorLimit) { vectors in
            fill(vectors, 0, body)
        }
    }

    // Each segment's pointer is valid inside its closure only, hence the nesting.
    private func fill<Result>(
        _ vectors: UnsafeMutableBufferPointer<iovec>, _ index: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        guard index < vectors.count, first + index < segments.count else {
            return body(UnsafeMutableBufferPointer(rebasing: vectors[..<index]))
        }
        return segments[first + index].withBytes { bytes in
            let skipped = index == 0 ? offset : 0
            let base = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) + skipped }
            var vector = iovec()
            vector.iov_base = base
            vector.iov_len = bytes.count - skipped
            vectors.initializeElement(at: index, to: vector)
            return fill(vectors, index + 1, body)
        }
    }

    /// Calls `body` with the bytes at the front in one piece: small segments are joined in `scratch`.
    func withFront<Result>(
        joiningIn scratch: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let lead = segments[first].count - offset
        if lead >= scratch.count || isOnePiece { return withFirst(body) }
        var filled = 0
        var index = first
        while index < segments.count, filled < scratch.count {
            segments[index].withBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[(index == first ? offset : 0)...])
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(scratch.count - filled))
                UnsafeMutableRawBufferPointer(rebasing: scratch[filled...]).copyMemory(from: part)
                filled += part.count
            }
            index += 1
        }
        return body(UnsafeRawBufferPointer(rebasing: scratch[..<filled]))
    }
}
#endif
