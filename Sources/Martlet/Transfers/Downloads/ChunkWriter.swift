// Chunks on their way into a file: written a few at a time, so that a change of threads is paid for once for many of them.

import Foundation

/// Chunks that wait to be written.
struct ChunkWriter {
    // Chunks hold on to buffers that are larger than they are: a few of them, and not many.
    private static let mostChunks = 16

    let file: PartialFile
    let size: Int
    private var waiting: [Data] = []
    /// How many bytes wait.
    private(set) var count = 0

    init(file: PartialFile, size: Int) {
        self.file = file
        self.size = size
    }

    /// Adds a chunk; true when it is time to write.
    mutating func add(_ chunk: Data) -> Bool {
        waiting.append(chunk)
        count += chunk.count
        return count >= size || waiting.count >= Self.mostChunks
    }

    /// Writes what waits, and says how much that was.
    nonisolated(nonsending) mutating func flush(at offset: Int) async throws -> Int {
        guard count > 0 else { return 0 }
        let (file, chunks, written) = (file, waiting, count)
        waiting = []
        count = 0
        try await FileIO.run { try file.write(chunks, at: offset) }
        return written
    }
}
