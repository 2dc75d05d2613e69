// A decompression bomb of 10 GiB in 10 MiB, in a process of its own: it stops at the limit, and memory stays where it was.

#if Zlib
import Foundation
import MartletTesting
import Testing

extension SoakTests {
    @Suite(.enabled(if: !Soak.isThreadSanitized, "the sanitizer's own memory would be measured"))
    struct Bomb {
        private static let mebibytes = Soak.isOn ? 10 << 10 : 256

        /// Sends a bomb to whoever asks, over and over where the path says so.
        private static func start() async throws -> TestServer {
            let zeros = Coded.zeros
            return try await TestServer.start { connection in
                _ = try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
                try await connection.send(zeros.head)
                try await connection.sendRepeating(zeros.mebibyte, count: mebibytes)
                try await connection.send(zeros.end)
            }
        }

        enum Way: String, CaseIterable, Sendable { case byDefault, limited, collected, unlimited }

        @Test(arguments: Way.allCases) func stopsAtTheLimitInLittleMemory(_ way: Way) async throws {
            let limit = Self.mebibytes << 19
            let server = try await Self.start()
            let figures = try await ProbeProcess.run(
                "decode-bomb", ["url": server.url("/"), "way": way.rawValue, "limit": limit], within: .seconds(240))
            await server.stop()
            #expect(figures["peakKiB", default: .max] < 64 << 10)
            let decoded = try #require(figures["decoded"])
            switch way {
            case .byDefault, .collected:
                #expect(figures["sizeExceeded"] == 1)
                #expect(decoded <= 1 << 20)
            case .limited:
                #expect(figures["sizeExceeded"] == 1)
                #expect(limit - (1 << 20)...limit ~= decoded)
            case .unlimited:
                // Its sums are wrong, which shows at the end alone.
                #expect(figures["invalid"] == 1)
                #expect(decoded == Self.mebibytes << 20)
            }
            Soak.tell("bomb, \(way)", figures)
        }
    }
}
#endif
