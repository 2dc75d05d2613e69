import Foundation
import Testing

@testable import Martlet

@Suite struct LengthPrefixTests {
    static let cases: [(prefix: LengthPrefix, bytes: [UInt8], frames: [[UInt8]])] = [
        (.bigEndian(bytes: 4), [0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0, 0, 1, 9], [[7, 8], [], [9]]),
        (.littleEndian(bytes: 2), [2, 0, 7, 8, 0, 0, 1, 0, 9], [[7, 8], [], [9]]),
        (.bigEndian(bytes: 1), [1, 5, 2, 6, 7], [[5], [6, 7]]),
        (.littleEndian(bytes: 8), [1, 0, 0, 0, 0, 0, 0, 0, 5], [[5]]),
        (.varint, [0x81, 0x00, 5, 0, 0x02, 6, 7], [[5], [], [6, 7]]),
        (.varint, [], []),
    ]

    @Test(arguments: cases)
    func framesAreTheSameWhereverTheStreamIsCut(prefix: LengthPrefix, bytes: [UInt8], frames: [[UInt8]]) throws {
        try expectAtEveryCut(bytes, frames.map { Data($0) }) { LengthFramer(prefix: prefix, maximumBytes: 100) }
    }

    @Test(arguments: [
        (LengthPrefix.bigEndian(bytes: 4), [0, 0, 0, 101], MartletError.Code.frameTooLarge),
        (.bigEndian(bytes: 8), [UInt8](repeating: 0xFF, count: 8), .frameTooLarge),
        (.varint, [UInt8](repeating: 0xFF, count: 9) + [1], .frameTooLarge),
        (.varint, [UInt8](repeating: 0xFF, count: 10), .invalidResponse),
        (.varint, [UInt8](repeating: 0x80, count: 11), .invalidResponse),
        (.bigEndian(bytes: 4), [0, 0, 0, 2, 1], .bodyTruncated), (.bigEndian(bytes: 4), [0, 0], .bodyTruncated),
        (.varint, [0x80], .bodyTruncated), (.bigEndian(bytes: 0), [1], .invalidRequest),
        (.littleEndian(bytes: 9), [1], .invalidRequest),
    ])
    func whatIsNoFrameIsAnError(prefix: LengthPrefix, bytes: [UInt8], code: MartletError.Code) {
        for cut in 0...bytes.count {
            let error = #expect(throws: MartletError.self) {
                try LengthFramer.frames(
                    { LengthFramer(prefix: prefix, maximumBytes: 100) }, [bytes[..<cut], bytes[cut...]])
            }
            #expect(error?.code == code)
        }
    }
}
