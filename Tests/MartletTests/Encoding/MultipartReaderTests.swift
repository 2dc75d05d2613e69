// Multipart responses: parts as they arrive, in whatever pieces, within limits, and never a short one.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

/// A part as a test compares it.
struct ReadPart: Equatable, Sendable {
    var headers: [String]
    var content: String

    init(_ headers: [String], _ content: String) {
        self.headers = headers
        self.content = content
    }
}

@Suite struct MultipartReaderTests {
    private static let sample =
        "preamble\r\n--B \t\r\nContent-Type: text/plain\r\nX-Long: a\r\n  b\r\n\r\nfirst\r\n--Bx\r\n--B-\r\n-\r--B\r\n--B\r\n\r\n"
        + "second\r\n--B\r\nX-Empty: 1\r\n\r\n\r\n--B\r\nX-Short: 1\r\n\r\n--B--\r\nepilogue\r\n--B\r\n\r\nnot a part"

    private static let parts = [
        ReadPart(["Content-Type: text/plain", "X-Long: a b"], "first\r\n--Bx\r\n--B-\r\n-\r--B"),
        ReadPart([], "second"),
        ReadPart(["X-Empty: 1"], ""), ReadPart(["X-Short: 1"], ""),
    ]

    private func read(
        _ text: String, inPiecesOf size: Int = .max, limits: MultipartLimits = MultipartLimits()
    ) async throws -> [ReadPart] {
        let reader = MultipartReader(Pieces(Data(text.utf8), size), boundary: "B", limits: limits)
        var parts: [ReadPart] = []
        for try await part in reader {
            let content = String(decoding: try await part.collect(), as: UTF8.self)
            parts.append(ReadPart(part.headers.map { "\($0.name): \($0.value)" }, content))
        }
        return parts
    }

    @Test(arguments: 1...120) func partsAreTheSameInWhateverPiecesTheyCome(_ size: Int) async throws {
        #expect(try await read(Self.sample, inPiecesOf: size) == Self.parts)
    }

    @Test(
        arguments: [
            ("--B--", []), ("--B\r\n\r\na\r\n--B--", [ReadPart([], "a")]),
            ("\r\n--B\r\n\r\na\r\n--B--\r\n", [ReadPart([], "a")]),
            ("--B\r\n\r\n\n--B\n--B\r\n--B--", [ReadPart([], "\n--B\n--B")]),
            ("--B\r\n\r\n--Bx\r\n--B--", [ReadPart([], "--Bx")]),
            ("--B\r\nA:b \r\nC :  \t\r\n\r\n--B--", nil),
        ] as [(String, [ReadPart]?)]) func oddFormsAreReadOneWay(_ text: String, _ expected: [ReadPart]?) async throws
    {
        for size in [1, 2, 3, 1_000] {
            guard let expected else {
                await expectFailure(.invalidResponse) { try await read(text, inPiecesOf: size) }
                continue
            }
            #expect(try await read(text, inPiecesOf: size) == expected)
        }
    }

    @Test func everyBodyThatIsCutIsAnError() async {
        let whole = Self.sample.utf8
        let end = Self.sample.utf8.count - "\r\nepilogue\r\n--B\r\n\r\nnot a part".utf8.count
        for length in 0..<end {
            let cut = String(decoding: whole.prefix(length), as: UTF8.self)
            await expectFailure(.bodyTruncated) { try await read(cut) }
        }
    }

    @Test(arguments: [
        "--B\r\nno colon\r\n\r\n--B--", "--B\r\nA\0: b\r\n\r\n--B--", "--B\r\n: b\r\n\r\n--B--",
        "--B\r\nA: b\u{1}\r\n\r\n--B--",
    ]) func headersThatAreNoneAreRefused(_ text: String) async {
        await expectFailure(.invalidResponse) { try await read(text) }
    }

    @Test func limitsHold() async throws {
        let many = String(repeating: "--B\r\n\r\n\r\n", count: 6) + "--B--"
        #expect(try await read(many, limits: MultipartLimits(parts: 6)).count == 6)
        await expectFailure(.headTooLarge) { try await read(many, limits: MultipartLimits(parts: 5)) }
        let head = "--B\r\nA: \(String(repeating: "x", count: 100))\r\n\r\n\r\n--B--"
        #expect(try await read(head, limits: MultipartLimits(headBytes: 107)).count == 1)
        await expectFailure(.headTooLarge) { try await read(head, limits: MultipartLimits(headBytes: 106)) }
        await expectFailure(.headTooLarge) {
            try await read("--B\r\nA: \(String(repeating: "x", count: 200))", limits: MultipartLimits(headBytes: 106))
        }
        let preamble = String(repeating: "\r\n", count: 50) + "\r\n" + head
        #expect(try await read(preamble, limits: MultipartLimits(preambleBytes: 100)).count == 1)
        await expectFailure(.headTooLarge) { try await read(preamble, limits: MultipartLimits(preambleBytes: 99)) }
    }

    @Test func blanksBehindADelimiterAreNotHeldForEver() async throws {
        let parser = MultipartParser(boundary: "B")
        var blanks = parser
        blanks.append(Data("--B\r\n\r\n".utf8))
        guard case .head = try blanks.next() else { throw TestServerError.timedOut("the head") }
        blanks.append(Data(("x\r\n--B" + String(repeating: " ", count: 10_000)).utf8))
        var content = 0
        while case .content(let data) = try blanks.next() { content += data.count }
        #expect(content == 10_006)
    }

    @Test func whatIsLeftOfAPartIsPassedOver() async throws {
        let reader = MultipartReader(Pieces(Data(Self.sample.utf8), 7), boundary: "B")
        var iterator = reader.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        let second = try #require(try await iterator.next())
        await expectFailure(.bodyAlreadyConsumed) { try await first.collect() }
        #expect(try await second.text() == "second")
        #expect(try await second.collect().isEmpty)
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == 2)
        #expect(try await iterator.next() == nil)
    }

    @Test func formsAreReadByTheirNames() async throws {
        var form = MultipartForm()
        form.append("title", "Grüße")
        form.append("photo", .data(Data([0, 13, 10, 45, 45]), filename: "a b.jpg", contentType: "image/jpeg"))
        form.append("latin", .data(Data([0xFC]), contentType: "text/plain; charset=iso-8859-1"))
        let reader = MultipartReader(Pieces(try await form.encode(), 5), boundary: form.boundary)
        var seen: [String] = []
        for try await part in reader {
            seen.append("\(part.name ?? "-") \(part.filename ?? "-") \(part.headers.contentType ?? "-")")
            if part.name == "photo" {
                #expect(try await part.collect() == Data([0, 13, 10, 45, 45]))
            } else {
                #expect(try await part.text() == (part.name == "latin" ? "ü" : "Grüße"))
            }
        }
        #expect(seen == ["title - -", "photo a b.jpg image/jpeg", "latin - text/plain; charset=iso-8859-1"])
    }

    @Test func fileNamesWrittenTwiceAreReadFromTheLongerForm() async throws {
        var form = MultipartForm()
        form.writesExtendedFilenames = true
        form.append("a", .data(Data(), filename: "grün '名'.txt"))
        form.append(
            "b", MultipartPart(headers: ["Content-Disposition": "x; filename=y; filename*=latin'de'%FC"], body: .empty))
        var seen: [String?] = []
        for try await part in MultipartReader(Pieces(try await form.encode(), 9), boundary: form.boundary) {
            seen.append(part.filename)
        }
        #expect(seen == ["grün '名'.txt", "y"])
    }

    @Test func twoReadersAtATimeAreRefused() async throws {
        let entered = TestSignal()
        let gate = TestSignal()
        let count = Counter()
        let chunks = AsyncStream<Data>(unfolding: {
            switch count.increment() {
            case 1: return Data("--B\r\n\r\nfirst".utf8)
            case 2:
                entered.fire()
                await gate.wait()
                return Data("second\r\n--B--".utf8)
            default: return nil
            }
        })
        var iterator = MultipartReader(chunks, boundary: "B").makeAsyncIterator()
        let part = try #require(try await iterator.next())
        let waiting = Task { try await part.collect() }
        try await entered.wait(timeout: .seconds(60))
        await expectFailure(.bodyAlreadyConsumed) { try await part.collect() }
        gate.fire()
        #expect(try await waiting.value == Data("firstsecond".utf8))
        #expect(try await iterator.next() == nil)
    }

    @Test func nestedPartsAreReadInPlace() async throws {
        var form = MultipartForm()
        form.append("files", try .multipart(MultipartBody(.mixed, boundary: "in side", ["one", "two"])))
        form.append("after", "x")
        var seen: [String] = []
        for try await part in MultipartReader(Pieces(try await form.encode(), 3), boundary: form.boundary) {
            guard part.name == "files" else {
                seen.append(try await part.text())
                continue
            }
            for try await inner in try part.parts() { seen.append(try await inner.text()) }
        }
        #expect(seen == ["one", "two", "x"])
    }

    @Test func aPartIsCollectedWithinALimit() async throws {
        let reader = MultipartReader(Pieces(Data("--B\r\n\r\n12345\r\n--B--".utf8), 2), boundary: "B")
        for try await part in reader { await expectFailure(.bodyTooLarge) { try await part.collect(upTo: 4) } }
    }

    @Test(arguments: 0..<20) func randomBytesNeverTrapAndPiecesDoNotMatter(_ block: UInt64) async {
        for seed in (block * 100)..<((block + 1) * 100) {
            var random = SeededRandom(seed: seed)
            let alphabet = Array("\r\n\r\n--B--B:a \t\0".utf8)
            let bytes = Data("--B\r\n".utf8) + Data((0..<200).map { _ in alphabet[random.next(below: alphabet.count)] })
            var outcomes = Set<String>()
            for size in [1, 3, 1_000] {
                do {
                    outcomes.insert("\(try await read(String(decoding: bytes, as: UTF8.self), inPiecesOf: size))")
                } catch {
                    outcomes.insert("\((error as? MartletError)?.code ?? .other)")
                }
            }
            #expect(outcomes.count == 1, "seed \(seed): \(outcomes)")
        }
    }

    @Test(arguments: 0..<4) func aMegabyteOfRandomBytesNeverTraps(_ seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let start = seed.isMultiple(of: 2) ? Data() : Data("--B\r\n\r\n".utf8)
        let bytes = start + ByteParser.noise(1 << 20, &random)
        let code: MartletError.Code = seed.isMultiple(of: 2) ? .headTooLarge : .bodyTruncated
        await expectFailure(code) {
            for try await part in MultipartReader(Pieces(bytes, 65_536), boundary: "B") { _ = try await part.collect() }
        }
    }

    @Test func aMegabyteOfLineEndsIsOneMatter() async throws {
        let text = "--B\r\n\r\n" + String(repeating: "\r\n--", count: 262_144) + "\r\n--B--"
        let time = try await ContinuousClock().measure {
            let parts = try await read(text, inPiecesOf: 65_536)
            #expect(parts.first?.content.utf8.count == 1 << 20)
        }
        #expect(time < .seconds(60))
    }
}

@Suite(.timeLimit(.minutes(5))) struct MultipartResponseTests {
    private static let body = "--B\r\nX-N: 1\r\n\r\none\r\n--B\r\nX-N: 2\r\n\r\ntwo\r\n--B--\r\n"

    @Test func aCallGivesItsParts() async throws {
        let peer = Peer.answers { _ in .data(Data(Self.body.utf8), type: "multipart/mixed; boundary=\"B\"") }
        try await withPeer(peer) { client, server in
            for _ in 0..<2 {
                var seen: [String] = []
                for try await part in client.get("/").parts {
                    seen.append("\(part.headers["X-N"] ?? "") \(try await part.text())")
                }
                #expect(seen == ["1 one", "2 two"])
            }
            #expect(server.requests.first?["Accept"] == "multipart/*")
            // Read to its end, the connection carries the next call.
            #expect(server.connectionCount == 1)
        }
    }

    @Test func leavingTheLoopEndsTheTransfer() async throws {
        let peer = Peer.connection { connection in
            _ = try await connection.readHead()
            try await connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nX-N: 1\r\n\r\n")
            try await connection.sendRepeating([UInt8](repeating: 0x61, count: 65_536), count: .max)
        }
        try await withPeer(peer) { client, server in
            for try await part in client.get("/").parts {
                var taken = 0
                for try await chunk in part.body {
                    taken += chunk.count
                    if taken > 200_000 { break }
                }
                break
            }
            try await server.waitUntilAllClosed()
        }
    }

    @Test(arguments: ["text/plain", "multipart/mixed", "multipart/mixed; boundary=", "multipart/mixed; boundary=\"\""])
    func whatNamesNoBoundaryIsRefused(_ type: String) async throws {
        try await withPeer(.answers { _ in .data(Data(Self.body.utf8), type: type) }) { client, _ in
            await expectFailure(.invalidResponse) { for try await _ in client.get("/").parts {} }
        }
    }

    @Test func aResponseThatIsCutIsAnError() async throws {
        let cut = Self.body.dropLast(6)
        let peer = Peer.answers { _ in .data(Data(cut.utf8), type: "multipart/mixed; boundary=B") }
        try await withPeer(peer) { client, _ in
            await expectFailure(.bodyTruncated) { for try await _ in client.get("/").parts {} }
        }
    }
}

/// Bytes in pieces of a size.
struct Pieces: AsyncSequence, Sendable {
    typealias Element = Data

    let data: Data
    let size: Int

    init(_ data: Data, _ size: Int) {
        self.data = data
        self.size = size
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: data, size: size) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: Data
        let size: Int

        mutating func next() async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Data(rest.prefix(size))
        }
    }
}
