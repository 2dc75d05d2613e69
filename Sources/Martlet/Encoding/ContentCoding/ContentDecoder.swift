// Takes all codings of a body off, pull by pull: a chunk off the wire goes in, and pieces of at most one buffer come out until
// another chunk is wanted. Memory is what the formats' windows take and one lent buffer a coding, whatever the body does.
// What each coding gives counts against the limits, not the last alone: a stack may expand in its middle.

import Foundation

/// The codings of one body, outermost first. Confined to the one iterator of that body.
final class ContentDecoder {
    private struct Level {
        let coding: ContentCoding
        let stage: any DecodingStage
        var input = Data()
        var position = 0
        var produced = 0
        /// Why it does not go on, kept until what was decoded before has been given.
        var failure: MartletError?

        /// Whether a step gives something: bytes, or the failure.
        var canStep: Bool { position < input.count || stage.hasOutput || failure != nil }
    }

    private var levels: [Level] = []
    private let limits: ContentDecoding
    /// Bytes off the wire.
    private(set) var received = 0

    /// Pieces smaller than this are copied, so that a small body does not keep a whole buffer.
    private static let copyLimit = ReadBuffer.size / 4

    init(_ codings: [ContentCoding], limits: ContentDecoding) {
        self.limits = limits
        levels = codings.compactMap { coding in coding.makeStage().map { Level(coding: coding, stage: $0) } }
    }

    /// Adds a chunk off the wire; only when `next()` has given nil.
    func push(_ chunk: Data) {
        guard !levels.isEmpty else { return }
        received += chunk.count
        levels[0].input = chunk
        levels[0].position = 0
    }

    /// The next decoded bytes, never empty; nil when another chunk is wanted.
    ///
    /// - Throws: `invalidContentCoding`, `decompressedSizeExceeded`.
    func next() throws(MartletError) -> Data? {
        guard levels.contains(where: \.canStep) else { return nil }
        let buffer = ReadBuffer()
        let count = try fill(levels.count - 1, buffer.bytes)
        guard count > 0 else { return nil }
        guard count < Self.copyLimit else { return buffer.data(0..<count) }
        return Data(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
    }

    /// Says that the last chunk has come; after `next()` has given nil.
    ///
    /// - Throws: `bodyTruncated` when a coding has not reached its end.
    func finish() throws(MartletError) {
        for level in levels where !level.stage.isComplete { throw level.coding.truncated }
    }

    /// Fills some of `output` from a level, which asks the one below for input; zero when that has none.
    private func fill(_ index: Int, _ output: UnsafeMutableRawBufferPointer) throws(MartletError) -> Int {
        while true {
            if levels[index].canStep {
                let count = try step(index, output)
                if count > 0 { return count }
            } else {
                guard index > 0 else { return 0 }
                let buffer = ReadBuffer()
                let count = try fill(index - 1, buffer.bytes)
                guard count > 0 else { return 0 }
                levels[index].input = buffer.data(0..<count)
                levels[index].position = 0
            }
        }
    }

    private func step(_ index: Int, _ output: UnsafeMutableRawBufferPointer) throws(MartletError) -> Int {
        if let failure = levels[index].failure { throw failure }
        let (stage, position) = (levels[index].stage, levels[index].position)
        let hadOutput = stage.hasOutput
        let step = levels[index].input.withUnsafeBytes { bytes in
            stage.decode(UnsafeRawBufferPointer(rebasing: bytes[position...]), into: output)
        }
        if let failure = step.failure {
            guard step.produced > 0 else { throw failure }
            levels[index].failure = failure
        }
        guard step.consumed > 0 || step.produced > 0 || hadOutput else {
            throw levels[index].coding.invalid("it does not go on")
        }
        levels[index].position += step.consumed
        levels[index].produced += step.produced
        if levels[index].position == levels[index].input.count {
            // Its memory goes back at once, not with the next chunk.
            levels[index].input = Data()
            levels[index].position = 0
        }
        let unread = levels[0].input.count - levels[0].position
        try limits.check(decoded: levels[index].produced, received: received - unread)
        return step.produced
    }
}
