#if SocketTransport && os(Linux)
// Header blocks of the test server: compressed where a test gives fields, untouched where it gives bytes.

import Foundation
import Testing

@testable import MartletTesting

@Suite struct HTTP2FieldTests {
    /// Legal or not.
    static let fields: [RecordedRequest.Field] = [
        .init(":status", "200"), .init("Server", "x"), .init("", ""), .init("a", ""), .init("a", "b"), .init("a", "b"),
        .init("a b", "line\nend"), .init(":status", "500"), .init("long", String(repeating: "é", count: 3_000)),
    ]

    @Test func fieldsComeOutAsTheyWentIn() throws {
        let encoder = HTTP2FieldEncoder()
        let decoder = HTTP2FieldDecoder()
        for _ in 0..<3 {
            let decoded = try decoder.decode(encoder.encode(Self.fields))
            #expect(decoded == Self.fields)
        }
    }

    @Test func fieldsThatComeAgainAreTakenFromTheTable() {
        let encoder = HTTP2FieldEncoder()
        let fields = [RecordedRequest.Field(":status", "200"), .init("x-request", "0123456789")]
        let first = encoder.encode(fields)
        let second = encoder.encode(fields)
        #expect(second.count == 2)
        #expect(first.count > second.count)
    }

    @Test func fieldsAreCompressedAndBytesAreNot() async throws {
        let raw = HTTP2FieldBlock.encode([(":status", "200")])
        let large = String(repeating: "\u{1}", count: 20_000)
        let server = try await TestServer.start { connection in
            try await connection.acceptHTTP2()
            var changed = HTTP2Frame.headers(1, [":status": "200"])
            changed.payload += [0xFF]
            try await connection.send(
                .headers(1, [":status": "200"]), .headers(1, block: raw), changed, .headers(1, ["a": large], ends: true)
            )
            connection.close()
        }
        let client = try RawClient(port: server.port)
        try client.send(TestConnection.http2Preface)
        var bytes: [UInt8] = []
        while case let more = try client.receive(), !more.isEmpty { bytes += more }
        var frames: [HTTP2Frame] = []
        while bytes.count >= 9 {
            let length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
            frames.append(
                HTTP2Frame(
                    type: bytes[3], flags: bytes[4], stream: UInt32(bytes[8]), payload: Array(bytes[9..<(9 + length)])))
            bytes.removeFirst(9 + length)
        }
        #expect(frames[0] == .settings())
        // The eighth entry of the static table (RFC 7541, appendix A).
        #expect(frames[1] == .headers(1, block: [0x88]))
        #expect(frames[2] == .headers(1, block: raw))
        #expect(frames[3] == .headers(1, block: raw + [0xFF]))
        #expect(frames[4...].map(\.kind) == [.headers, .continuation])
        #expect(frames[4...].map(\.flags) == [HTTP2Frame.endStream, HTTP2Frame.endHeaders])
        #expect(frames[4...].allSatisfy { $0.payload.count <= 16_384 })
        await server.stop()
    }
}
#endif
