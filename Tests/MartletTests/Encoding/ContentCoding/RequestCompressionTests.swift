// Compressed request bodies: when they are, how long they say they are, and that each attempt sends the same.

#if Zlib
import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct RequestCompressionTests {
    /// What came, with its coding taken off by the decoder that is tested elsewhere.
    private static func content(_ request: RecordedRequest) throws -> Data {
        var limits = ContentDecoding()
        limits.maximumRatio = nil
        switch request["Content-Encoding"] {
        case "gzip": return try Coded.decode([request.body], [.gzip], limits: limits)
        case "deflate": return try Coded.decode([request.body], [.deflate], limits: limits)
        default: return request.body
        }
    }

    private static let peer = Peer.answers { _ in .ok }

    @Test(arguments: [RequestCompression.gzip, .deflate]) func bytesAreCompressedAndTheirLengthTold(
        _ compression: RequestCompression
    ) async throws {
        try await withPeer(Self.peer) { client, server in
            try await client.post("/", data: Coded.text, contentType: "text/plain").compressed(compression).discard()
            let request = try #require(server.requests.first)
            #expect(request["Content-Encoding"] == compression.coding.name)
            #expect(request["Content-Type"] == "text/plain")
            #expect(request["Content-Length"] == String(request.body.count))
            #expect(request.body.count < Coded.text.count)
            #expect(try Self.content(request) == Coded.text)
        }
    }

    // C210: what Alamofire's tests assert of its compressor.
    @Test func deflateIsZlibsFormatToTheByte() throws {
        let deflater = Deflater(.deflate)
        deflater.push(Data([0]))
        #expect(try deflater.next(finishing: true) == Data([0x78, 0x5E, 0x63, 0, 0, 0, 1, 0, 1]))
        let words = Deflater(.deflate)
        words.push(Data("Wikipedia".utf8))
        #expect(try words.next(finishing: true)?.suffix(4) == Data([0x11, 0xE6, 0x03, 0x98]))
    }

    @Test func jsonAndFormsAreCompressed() async throws {
        let long = String(repeating: "long ", count: 500)
        try await withPeer(Self.peer) { client, server in
            try await client.post("/", json: ["text": long]).compressed().discard()
            try await client.post("/", form: ["text": long]).compressed(.deflate).discard()
            let bodies = try server.requests.map { String(decoding: try Self.content($0), as: UTF8.self) }
            #expect(bodies == ["{\"text\":\"\(long)\"}", "text=\(long.replacingOccurrences(of: " ", with: "%20"))"])
            #expect(server.requests.map { $0["Content-Type"]?.prefix(16) } == ["application/json", "application/x-ww"])
        }
    }

    @Test(arguments: [0, 1, 1_023, 1_024, 5_000]) func smallBodiesAreSentAsTheyAre(_ count: Int) async throws {
        try await withPeer(Self.peer) { client, server in
            try await client.post("/", data: Data(count: count)).compressed().discard()
            #expect(server.requests.first?["Content-Encoding"] == (count < 1_024 ? nil : "gzip"))
            #expect(try server.requests.first.map { try Self.content($0) } == Data(count: count))
        }
    }

    @Test func bytesThatWouldNotBecomeFewerAreSentAsTheyAre() async throws {
        var random = SeededRandom(seed: 1)
        let noise = Data((0..<100_000).map { _ in UInt8(random.next(below: 256)) })
        try await withPeer(Self.peer) { client, server in
            try await client.post("/", data: noise).compressed().discard()
            #expect(server.requests.first?["Content-Encoding"] == nil)
            #expect(server.requests.first?.body == noise)
        }
    }

    @Test func aCallWithoutABodyIsSentAsItIs() async throws {
        try await withPeer(Self.peer) { client, server in
            try await client.get("/").compressed().discard()
            try await client.post("/").compressed().discard()
            #expect(server.requests.allSatisfy { $0["Content-Encoding"] == nil && $0.body.isEmpty })
        }
    }

    @Test func aCodedBodyIsSentAsItIs() async throws {
        try await withPeer(Self.peer) { client, server in
            let call = client.post("/", data: Coded.text).header("Content-Encoding", "br")
            try await call.compressed().discard()
            try await call.compressed(.init(.gzip, existingCoding: .replace)).discard()
            let error = await expectFailure(.invalidRequest) {
                try await call.compressed(.init(.gzip, existingCoding: .refuse)).discard()
            }
            #expect(error?.request?.method == .post)
            #expect(server.requests.map { $0["Content-Encoding"] } == ["br", "gzip"])
            #expect(try server.requests.map { try Self.content($0) } == [Coded.text, Coded.text])
        }
    }

    @Test func codingsThatAreNotWrittenAreRefused() async throws {
        let client = MartletClient(transport: MockTransport(answers: [.ok]), baseURL: "http://a.example")
        for coding in [ContentCoding.brotli, .zstd] {
            await expectFailure(.unsupported) {
                try await client.post("/", data: Coded.text).compressed(.init(coding)).discard()
            }
        }
    }

    @Test func aDefaultOfTheClientsCanBeUndone() async throws {
        try await withPeer(Self.peer, client: { $0.defaults.options.compression = .gzip }) { client, server in
            try await client.post("/", data: Coded.text).discard()
            try await client.post("/", data: Coded.text).compressed(nil).discard()
            #expect(server.requests.map { $0["Content-Encoding"] } == ["gzip", nil])
        }
    }

    @Test func aRequestMadeBeforehandIsCompressedOnce() async throws {
        try await withPeer(Self.peer) { client, server in
            let request = try client.post("/", data: Coded.text).compressed().makeRequest()
            try await client.request(request).discard()
            #expect(try server.requests.map { try Self.content($0) } == [Coded.text])
        }
    }

    // MARK: Streams

    @Test func aStreamIsCompressedOnItsWay() async throws {
        let chunks = (0..<500).map { Data(String(repeating: "chunk \($0) ", count: 300).utf8) }
        try await withPeer(Self.peer) { client, server in
            let stream = AsyncStream { continuation in
                chunks.forEach { continuation.yield($0) }
                continuation.finish()
            }
            let body = chunks.reduce(Data(), +)
            try await client.post("/", stream: stream, length: body.count).compressed().discard()
            let request = try #require(server.requests.first)
            #expect(request["Transfer-Encoding"] == "chunked")
            #expect(request["Content-Length"] == nil)
            #expect(try Self.content(request) == body)
        }
    }

    @Test(arguments: [0, 10, 3_000_000]) func aFileIsCompressedOnItsWay(_ count: Int) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString).txt")
        let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 100) })
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withPeer(Self.peer) { client, server in
            try await client.post("/", file: file.path).compressed().discard()
            let request = try #require(server.requests.first)
            #expect(request["Content-Encoding"] == "gzip")
            #expect(request["Content-Type"] == "text/plain")
            #expect(try Self.content(request) == content)
        }
    }

    @Test func aFormIsCompressedOnItsWay() async throws {
        var form = MultipartForm()
        form.append("text", .text(String(repeating: "text ", count: 1_000)))
        try await withPeer(Self.peer) { [form] client, server in
            try await client.post("/", multipart: form).compressed().discard()
            let request = try #require(server.requests.first)
            #expect(request["Content-Type"] == form.contentType)
            #expect(try Self.content(request) == (try await form.encode()))
        }
    }

    @Test func aStreamThatIsCutIsNoWholeBody() async throws {
        struct Fault: Error {}
        try await withPeer(Self.peer) { client, server in
            let stream = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Coded.text)
                continuation.finish(throwing: Fault())
            }
            let body = RequestBody.stream { stream }
            await expectFailure(.bodyFailed) { try await client.post("/").body(body).compressed().discard() }
            await expectFailure(.bodyLengthMismatch) {
                let short = RequestBody.stream(length: Coded.text.count + 1) { Pieces(Coded.text, 100) }
                try await client.post("/").body(short).compressed().discard()
            }
            #expect(server.requests.allSatisfy { !$0.isComplete })
        }
    }

    @Test func eachAttemptSendsTheSameBytes() async throws {
        let bodies: [RequestBody] = [
            .data(Coded.text), .stream { Pieces(Coded.text, 7) }, .oneShot(Pieces(Coded.text, 7)),
        ]
        for body in bodies {
            let transport = MockTransport(answers: [.ok])
            let client = MartletClient(transport: transport, baseURL: "http://a.example")
            let request = try client.post("/").body(body).compressed().makeRequest()
            #expect(request.body.isReplayable == body.isReplayable)
            _ = try await transport.send(request)
            guard body.isReplayable else {
                await expectFailure(.bodyNotReplayable) { try await transport.send(request) }
                continue
            }
            _ = try await transport.send(request)
            #expect(transport.requests[0].body == transport.requests[1].body)
            #expect(try Coded.decode([transport.requests[0].body], [.gzip]) == Coded.text)
        }
    }

    @Test(arguments: [-5, 1, 5, 9, 100]) func levelsOutsideAreTakenAsTheNearest(_ level: Int) throws {
        let deflater = Deflater(RequestCompression(.gzip, level: level))
        deflater.push(Coded.text)
        let compressed = try #require(try deflater.next(finishing: true))
        #expect(try Coded.decode([compressed], [.gzip]) == Coded.text)
    }

    @Test func piecesOfAStreamDoNotMatter() throws {
        for size in [1, 1_000, 100_000] {
            let deflater = Deflater(.gzip)
            var compressed = Data()
            for start in stride(from: 0, to: Coded.text.count, by: size) {
                deflater.push(Coded.text[start..<min(start + size, Coded.text.count)])
                while let piece = try deflater.next(finishing: false) { compressed += piece }
            }
            while let piece = try deflater.next(finishing: true) { compressed += piece }
            #expect(compressed == Coded.gzip(Coded.text))
        }
    }
}
#endif
