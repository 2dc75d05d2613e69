// Compressing over zlib, piece by piece: the pure part, bytes in and bytes out. Deterministic: the header of gzip says nothing
// of time or name.

#if Zlib
import CZlib
import Foundation

/// Compresses one body.
///
/// Push bytes and take pieces with `next(finishing: false)` until it gives nil; at the end with `finishing: true`.
final class Deflater {
    /// The size of a piece, the last one apart.
    private static let pieceSize = 64 << 10

    // At an address that stays: zlib's own state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private let piece: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var input = Data()
    private var position = 0
    private var hasEnded = false

    init(_ compression: RequestCompression) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        piece = .allocate(byteCount: Self.pieceSize, alignment: 16)
        let status = deflateInit2_(
            stream, Int32(min(max(compression.level, 1), 9)), Z_DEFLATED, compression.coding == .gzip ? 31 : 15, 8,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        isReady = status == Z_OK
    }

    deinit {
        if isReady { deflateEnd(stream) }
        stream.deallocate()
        piece.deallocate()
    }

    /// Adds bytes; only when `next` has given nil.
    func push(_ data: Data) {
        input = data
        position = 0
    }

    /// The next compressed bytes; nil when more input is wanted or, when finishing, at the end.
    ///
    /// - Throws: `encodingFailed` when there is no memory left.
    func next(finishing: Bool) throws(MartletError) -> Data? {
        guard isReady else {
            throw MartletError(.encodingFailed, "There is not enough memory to compress the request body.")
        }
        while !hasEnded, filled < piece.count, finishing || position < input.count {
            let flush = finishing ? Z_FINISH : Z_NO_FLUSH
            let (start, room) = (position, UnsafeMutableRawBufferPointer(rebasing: piece[filled...]))
            let status = input.withUnsafeBytes { bytes in
                deflate(UnsafeRawBufferPointer(rebasing: bytes[start...]), into: room, flush)
            }
            hasEnded = status == Z_STREAM_END
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw MartletError(.encodingFailed, "The request body could not be compressed: zlib says \(status).")
            }
        }
        guard filled == piece.count || (hasEnded && filled > 0) else { return nil }
        defer { filled = 0 }
        return Data(UnsafeRawBufferPointer(rebasing: piece[..<filled]))
    }

    private func deflate(
        _ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, _ flush: Int32
    ) -> Int32 {
        let given = min(bytes.count, 1 << 30)
        // zlib does not write to its input; its header says so only when asked to.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(given)
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(room.count)
        let status = CZlib.deflate(stream, given < bytes.count ? Z_NO_FLUSH : flush)
        position += given - Int(stream.pointee.avail_in)
        filled += room.count - Int(stream.pointee.avail_out)
        return status
    }
}
#endif
