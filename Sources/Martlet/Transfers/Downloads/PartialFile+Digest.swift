// The digest of what was written, read back from the file: what is compared is what will have the name.

import Foundation

extension PartialFile {
    private static let digestStep = 64 << 20

    /// The digest of the first bytes of the file.
    nonisolated(nonsending) func digest(_ algorithm: MessageDigest.Algorithm, upTo end: Int) async throws -> Data {
        let digest = Lock(try? RunningHash(algorithm.hash))
        var start = 0
        repeat {
            try Task.checkCancellation()
            let range = start..<min(start + Self.digestStep, end)
            try await FileIO.run { try digest.withLock { if let digest = $0 { try self.digest(range, into: digest) } } }
            start = range.upperBound
        } while start < end
        return digest.withLock { Data($0?.finish() ?? []) }
    }
}
