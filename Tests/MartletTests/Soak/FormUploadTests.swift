// A form with a huge file: it is neither held nor spooled, and what the peer gets is, byte for byte, what it should be.

#if SocketTransport && os(Linux)
import COpenSSL
import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension SoakTests {
    @Suite struct FormUpload {
        private static let fileBytes = Soak.isOn ? 5 << 30 : 192 << 20

        @Test func hugeFormIsSentExactlyAndStaysSmall() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString).bin")
            try Data().write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let handle = try FileHandle(forWritingTo: file)
            // Holes, with marks between them that show where each byte belongs.
            try handle.truncate(atOffset: UInt64(Self.fileBytes))
            for offset in stride(from: 1_000_003, to: Self.fileBytes, by: Self.fileBytes / 7) {
                try handle.seek(toOffset: UInt64(offset))
                try handle.write(contentsOf: Data("mark at \(offset)".utf8))
            }
            try handle.close()

            let sums = Collected<[UInt8]>()
            let boundaries = Collected<String>()
            let peer = try await TestServer.start { connection in
                while true {
                    let request = try await connection.readHead()
                    boundaries.append(request["Content-Type"]?.components(separatedBy: "boundary=").last ?? "")
                    var left = request["Content-Length"].flatMap { Int($0) } ?? 0
                    var digest = Digest()
                    while left > 0 {
                        guard let data = try await connection.read(upTo: min(left, 65_536)) else { break }
                        digest.update(data)
                        left -= data.count
                    }
                    sums.append(digest.finish())
                    try await connection.respond(.ok)
                }
            }
            let figures = try await ProbeProcess.run(
                "whole-form", ["url": peer.url("/"), "file": file.path], within: .seconds(Soak.isOn ? 600 : 120))
            await peer.stop()

            let expected = try Self.expected(file, boundary: boundaries.values.first ?? "")
            #expect(boundaries.values.count == 2)
            #expect(sums.values == [expected.sum, expected.sum])
            #expect(figures["bytes"] == 2 * expected.count)
            if !Soak.isThreadSanitized { #expect(figures["peakKiB", default: .max] < 64 << 10) }
            Soak.tell("huge form", figures)
        }

        /// What the peer should have got, put together without any code of the library.
        private static func expected(_ file: URL, boundary: String) throws -> (sum: [UInt8], count: Int) {
            let name = file.lastPathComponent
            let before =
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"first\"\r\n\r\n1\r\n--\(boundary)\r\n"
                + "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: application/octet-stream\r\n\r\n"
            let after =
                "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n2\r\n--\(boundary)--\r\n"
            var digest = Digest()
            digest.update(Data(before.utf8))
            let handle = try FileHandle(forReadingFrom: file)
            while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty { digest.update(data) }
            try handle.close()
            digest.update(Data(after.utf8))
            return (digest.finish(), before.utf8.count + fileBytes + after.utf8.count)
        }
    }
}

/// SHA-256 of bytes that come in pieces.
private struct Digest: ~Copyable {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit { EVP_MD_CTX_free(context) }

    mutating func update(_ data: Data) {
        data.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }

    mutating func finish() -> [UInt8] {
        var sum = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &sum, nil)
        return sum
    }
}
#endif
