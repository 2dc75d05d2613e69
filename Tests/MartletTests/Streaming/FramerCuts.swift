// A stream cut everywhere: what a framer gives may not depend on where the chunks end.

import Foundation
import Testing

@testable import Martlet

extension StreamFramer {
    /// The frames of chunks, to the end.
    static func frames(_ make: () -> Self, _ chunks: [some Sequence<UInt8>]) throws -> [Frame] {
        var framer = make()
        var frames: [Frame] = []
        for chunk in chunks {
            try framer.append(Data(chunk))
            while let frame = try framer.next() { frames.append(frame) }
        }
        while let frame = try framer.finish() { frames.append(frame) }
        return frames
    }
}

/// Expects the same frames of a text that comes whole, byte by byte, in two pieces cut anywhere, and in three cut at each
/// pair of places not more than 64 bytes apart.
func expectAtEveryCut<Framer: StreamFramer>(
    _ bytes: [UInt8], _ expected: [Framer.Frame], sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () -> Framer
) throws where Framer.Frame: Equatable {
    func expect(_ chunks: [[UInt8]], _ place: String) throws {
        let frames = try Framer.frames(make, chunks)
        if frames != expected {
            Issue.record("cut \(place): \(frames), not \(expected)", sourceLocation: sourceLocation)
        }
    }
    try expect([bytes], "nowhere")
    try expect(bytes.map { [$0] }, "everywhere")
    for first in 0...bytes.count {
        for second in first...min(bytes.count, first + 64) {
            try expect(
                [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])],
                "at \(first) and \(second)")
        }
    }
}
