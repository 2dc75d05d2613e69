// Buffers of 256 KiB that are lent and come back. Freshly allocated ones of this size would cost page faults on every use,
// more than copying their bytes does.

package import Foundation

/// A lent buffer; its memory goes back to the process-wide stock when the last reference to it is dropped.
///
/// `@unchecked Sendable`: the memory is written by its one holder before it is handed out, and only read afterwards.
package final class ReadBuffer: @unchecked Sendable {
    /// The size of every buffer in bytes.
    package static let size = 256 << 10

    package let bytes: UnsafeMutableRawBufferPointer

    // 32 buffers are 8 MiB: what a busy process reads at once, not what it ever read at once.
    private static let stock = Lock<[UnsafeMutableRawBufferPointer]>([])
    private static let stockLimit = 32

    package init() {
        let lent = Self.stock.withLock { $0.popLast() }
        bytes = lent ?? .allocate(byteCount: Self.size, alignment: 64)
    }

    deinit {
        let memory = bytes
        let isKept = Self.stock.withLock { stock in
            guard stock.count < Self.stockLimit else { return false }
            stock.append(memory)
            return true
        }
        if !isKept { memory.deallocate() }
    }

    /// A part of the buffer as `Data`, without a copy; the buffer lives as long as the data does.
    package func data(_ range: Range<Int>) -> Data {
        guard let base = bytes.baseAddress, !range.isEmpty else { return Data() }
        return Data(
            bytesNoCopy: base + range.lowerBound, count: range.count, deallocator: .custom { _, _ in _ = self })
    }
}
