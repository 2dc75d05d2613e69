// Bodies in content codings, made byte by byte where the form is what a test is about. The checksum is written out here: a
// coder that made the same mistake twice would go unnoticed. Needs the trait Zlib, as all tests of codings do.

#if Zlib
import CZlib
import Foundation
import Testing

@testable import Martlet

/// A coding, a content in it, and its name for parameterised tests.
struct CodedCase: Sendable, CustomTestStringConvertible {
    let name: String
    let coding: ContentCoding
    let bytes: Data

    var testDescription: String { name }
}

enum Coded {
    /// What most of the tests put in a coding.
    static let text = Data((0..<100).map { "Line \($0) of a text that repeats itself.\n" }.joined().utf8)

    /// The text in each coding of this build.
    static let cases: [CodedCase] = {
        var cases = [
            CodedCase(name: "gzip", coding: .gzip, bytes: gzip(text)),
            CodedCase(name: "gzip with all of a header", coding: .gzip, bytes: member(text, flags: 0x1F)),
            CodedCase(name: "deflate", coding: .deflate, bytes: zlib(text)),
            CodedCase(name: "bare deflate", coding: .deflate, bytes: bare(text)),
        ]
        #if Brotli
        cases.append(CodedCase(name: "brotli", coding: .brotli, bytes: brotliText))
        #endif
        #if Zstd
        cases.append(CodedCase(name: "zstd", coding: .zstd, bytes: zstdText))
        #endif
        return cases
    }()

    static func gzip(_ data: Data) -> Data { compressed(data, .gzip) }

    static func zlib(_ data: Data) -> Data { compressed(data, .deflate) }

    /// Without the two bytes before and the four behind that make it zlib's format.
    static func bare(_ data: Data) -> Data { Data(zlib(data).dropFirst(2).dropLast(4)) }

    private static func compressed(_ data: Data, _ compression: RequestCompression) -> Data {
        let deflater = Deflater(compression)
        deflater.push(data)
        var compressed = Data()
        while let piece = try? deflater.next(finishing: true) { compressed.append(piece) }
        return compressed
    }

    /// A member of gzip (RFC 1952, section 2.3) with the fields that its flags say: text 1, checksum of the header 2, extra field
    /// 4, name 8, comment 16.
    static func member(
        _ content: Data, flags: UInt8 = 0, headerSum: UInt16? = nil, sum: UInt32? = nil, size: UInt32? = nil
    ) -> Data {
        var member = Data([0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 3])
        if flags & 4 != 0 { member += [5, 0] + Data("extra".utf8) }
        if flags & 8 != 0 { member += Data("name\0".utf8) }
        if flags & 16 != 0 { member += Data("a comment\0".utf8) }
        if flags & 2 != 0 { member += little(headerSum ?? UInt16(truncatingIfNeeded: checksum(member))) }
        member += bare(content)
        member += little(sum ?? checksum(content))
        member += little(size ?? UInt32(truncatingIfNeeded: content.count))
        return member
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    /// CRC-32 (RFC 1952, section 8).
    static func checksum(_ data: Data) -> UInt32 {
        var sum: UInt32 = .max
        for byte in data {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return ~sum
    }

    /// gzip of zeros, as a head, a block that stands for a MiB of them however often it is sent, and an end whose sums are wrong.
    static let zeros: (head: [UInt8], mebibyte: [UInt8], end: [UInt8]) = {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = [UInt8](repeating: 0, count: 1 << 20)
        var output = [UInt8](repeating: 0, count: 1 << 16)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, Z_FULL_FLUSH)
                return output.count - Int(stream.avail_out)
            }
        }
        return (
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], Array(output[..<count]), [3, 0] + [UInt8](repeating: 0, count: 8)
        )
    }()

    /// gzip of so many MiB of zeros.
    static func zeros(mebibytes: Int) -> Data {
        Data(zeros.head) + Data(repeatElement(zeros.mebibyte, count: mebibytes).joined()) + Data(zeros.end)
    }

    /// The text, by the tools of both formats.
    static let brotliText = base64(
        "EzEPAMQvrp+f0AI17fvsBzyR4JpJCjoICzwB6KJUsBZ5+KA+ZI6lhSoinP7/j/fnjHt8X/GM6/xf8Sv37Hi/6Li3I9mzo7Oru1fvPn0X"
            + "eYAPDNIgDdIgDdIgDdIgAQAAAAAAAAAAAAACAgICAgICAgICAQEBAQEBAQEBAQMDAwMDAwMDA4MCBQoUKFCgQIECBRo0aNCgQYMGDRo0"
            + "GDBgwIABAwYMGDBgwYIFCxYsWLBg2wI=")
    static let zstdText = base64(
        "KLUv/QRg/QQAgsgYGZA1aQOwJLL9WC0H2U+du7K7dybLS2amAQGqqqqqqpmZmZmZiIiIiIh3d3d3d2ZmZmZmVVVVVVX///+/bdu2TURE"
            + "RESaeFY3BQSFoRxrzLGkJArALCnsbEDZIVMgZjDlYBACZKgh/Pr/BtAb1QESSBD4/1cQyD/v9/2+7+X7vt/n+3wfJybiPkzDXZiE62AK"
            + "7j8wCoABmFzRCUCqfrai2w==")

    private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}

extension Coded {
    /// Takes codings off pieces of a body, outermost coding first.
    static func decode(
        _ pieces: [Data], _ codings: [ContentCoding], limits: ContentDecoding = ContentDecoding(),
        each: (Data) -> Void = { _ in }
    ) throws -> Data {
        let decoder = ContentDecoder(codings, limits: limits)
        var decoded = Data()
        for piece in pieces where !piece.isEmpty {
            decoder.push(piece)
            while let data = try decoder.next() {
                each(data)
                decoded.append(data)
            }
        }
        try decoder.finish()
        return decoded
    }
}
#endif
