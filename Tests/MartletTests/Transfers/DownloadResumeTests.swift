// Downloads that go on: after lost connections, in another run, with a token; and every way in which the rest may not be the rest.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Resumed downloads", .timeLimit(.minutes(5))) struct DownloadResumeTests {
    private static let content = RangedPeer.bytes(400_000)
    private static let other = RangedPeer.bytes(350_000, seed: 8)
    private typealias Answer = RangedPeer.Answer

    /// Downloads from a peer with these answers; the outcome and where each request began.
    private func download(
        _ answers: [Answer], etag: String? = "\"v1\"", expecting content: Data = Self.content,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (file: DownloadedFile, starts: [Int], steps: [String]) {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, etag: etag, answers)
        return try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, _ in
            var steps: [String] = []
            var file: DownloadedFile?
            for try await step in client.download("/file", to: folder.path("file")) {
                switch step {
                case .started: steps.append("started")
                case .resumed(let offset): steps.append("resumed \(offset)")
                case .progress: break
                case .finished(let finished): file = finished
                }
            }
            #expect(folder.read("file") == content, sourceLocation: sourceLocation)
            #expect(folder.names == ["file"], sourceLocation: sourceLocation)
            return (try #require(file, sourceLocation: sourceLocation), ranged.starts, steps)
        }
    }

    @Test func theRestComesOverAnotherConnection() async throws {
        let (file, starts, steps) = try await download([Answer(cut: .close(after: 100_000))])
        #expect(starts == [-1, 100_000])
        #expect(steps == ["started", "resumed 100000"])
        #expect(file.interruptions == 1)
        #expect(file.bytesFetched == Self.content.count)
        #expect(file.head.status == .partialContent)
    }

    @Test func brokenAtRandomPointsItIsTheSameFile() async throws {
        let size = Soak.isOn ? 1 << 30 : 16 << 20
        let content = RangedPeer.bytes(size)
        var random = SeededRandom(seed: 11)
        let answers = (0..<20).map { index in
            let count = Int.random(in: 0..<size / 25, using: &random)
            return Answer(cut: index % 2 == 0 ? .close(after: count) : .reset(after: count))
        }
        let folder = DownloadFolder()
        let ranged = RangedPeer(content, answers)
        try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, _ in
            let start = ContinuousClock.now
            let file = try await client.download("/file", to: folder.path("file")).interruptions(upTo: 20).file()
            #expect(file.interruptions == 20)
            // None of them twice.
            #expect(file.bytesFetched == size)
            #expect(folder.read("file") == content)
            #expect(ranged.starts.count == 21)
            Soak.tell(
                "download, 20 breaks",
                [
                    "bytes": size, "fetched": file.bytesFetched,
                    "ms": Int((ContinuousClock.now - start) / .milliseconds(1)),
                ])
        }
    }

    @Test func anotherTagBeginsAnew() async throws {
        let (file, starts, steps) = try await download(
            [Answer(cut: .close(after: 100_000)), Answer(content: Self.other, etag: "\"v2\"")], expecting: Self.other)
        #expect(starts == [-1, 100_000])
        #expect(steps == ["started", "started"])
        #expect(file.byteCount == Self.other.count)
    }

    @Test func aPartOfAnotherVersionIsNotUsed() async throws {
        // A server that does not look at If-Range.
        let lie = Answer(etag: "\"v2\"", status: 206, fields: ["Content-Range": "bytes 100000-399999/400000"])
        let (_, starts, _) = try await download([Answer(cut: .close(after: 100_000)), lie])
        #expect(starts == [-1, 100_000, -1])
    }

    @Test func aServerThatIgnoresRangesBeginsAnew() async throws {
        let (file, _, steps) = try await download([Answer(cut: .close(after: 100_000)), Answer(ignoresRange: true)])
        #expect(steps == ["started", "started"])
        #expect(file.bytesFetched == Self.content.count + 100_000)
    }

    @Test(arguments: [
        "bytes 0-299999/400000", "bytes 100001-399999/400000", "bytes 100000-399998/400000", "bytes */400000",
        "items 1-2/3",
        "bytes 100000-400000/400000", "",
    ])
    func anotherRangeIsNotUsed(range: String) async throws {
        let (_, starts, steps) = try await download(
            [Answer(cut: .close(after: 100_000)), Answer(contentRange: range)])
        #expect(starts == [-1, 100_000, -1])
        #expect(steps == ["started", "started"])
    }

    @Test func aPartThatNobodyAskedForIsRefused() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [Answer(contentRange: "bytes 0-399999/400000", status: 206)])
        try await withPeer(ranged.peer) { client, _ in
            await expectFailure(.invalidResponse) { try await client.get("/file").download(to: folder.path("file")) }
            #expect(folder.names == [])
        }
    }

    @Test func aFileThatHasShrunkBeginsAnew() async throws {
        let small = Data(Self.content.prefix(50_000))
        let (_, starts, _) = try await download(
            [Answer(cut: .close(after: 100_000)), Answer(content: small), Answer(content: small)], expecting: small)
        #expect(starts == [-1, 50_000, -1])
    }

    @Test func aFileThatHasGrownBeginsAnew() async throws {
        let large = Self.content + Data("more".utf8)
        let (_, starts, _) = try await download(
            [Answer(cut: .close(after: 100_000)), Answer(content: large), Answer(content: large)], expecting: large)
        #expect(starts == [-1, 100_000, -1])
    }

    @Test(arguments: ["W/\"v1\"", "v1", nil]) func aWeakValidatorBeginsAnew(etag: String?) async throws {
        let (_, starts, steps) = try await download([Answer(cut: .close(after: 100_000))], etag: etag)
        #expect(starts == [-1, -1])
        #expect(steps == ["started", "started"])
    }

    @Test(arguments: [("Mon, 01 Jan 2024 00:00:00 GMT", [-1, 100_000]), ("Tue, 02 Jan 2024 00:00:00 GMT", [-1, -1])])
    func aDateIsAsGoodAsATagWhenItIsOld(modified: String, starts: [Int]) async throws {
        let fields = ["Last-Modified": modified, "Date": "Tue, 02 Jan 2024 00:00:30 GMT"]
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, etag: nil, [Answer(cut: .close(after: 100_000), fields: fields)])
        ranged.then(Answer(ignoresRange: starts[1] < 0, fields: fields))
        try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, server in
            try await client.get("/file").download(to: folder.path("file"))
            #expect(server.requests.last?["If-Range"] == (starts[1] < 0 ? nil : modified))
        }
    }

    @Test func nothingBehindWhatIsThereMeansThatItIsDone() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content)
        try await withPeer(ranged.peer) { client, server in
            let url = try client.get("/file").makeRequest().url
            var validators = DownloadValidators()
            (validators.etag, validators.ifRange) = ("\"v1\"", "\"v1\"")
            let record = DownloadRecord(url, validators, total: Self.content.count)
            folder.write(Self.content, "file.partial")
            folder.write(try JSONEncoder().encode(record), "file.partial.json")
            let file = try await client.get("/file").download(to: folder.path("file"))
            #expect(file.bytesFetched == 0)
            #expect(server.requests.map { $0["Range"] } == ["bytes=400000-"])
            #expect(folder.read("file") == Self.content)
            #expect(folder.names == ["file"])
        }
    }

    @Test func aConnectionThatIsLostTooOftenEndsItAndTheNextOneGoesOn() async throws {
        let folder = DownloadFolder()
        let vain = (0..<3).map { _ in Answer(cut: .close(after: 0)) }
        let ranged = RangedPeer(Self.content, [Answer(cut: .close(after: 100_000))] + vain)
        try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, server in
            let download = client.download("/file?token=secret", to: folder.path("file")).interruptions(upTo: 2)
            await expectFailure(.bodyTruncated) { try await download.file() }
            #expect(server.requests.count == 4)
            #expect(folder.names == ["file.partial", "file.partial.json"])
            #expect(folder.read("file.partial") == Self.content.prefix(100_000))
            let record = String(decoding: folder.read("file.partial.json") ?? Data(), as: UTF8.self)
            #expect(!record.contains("secret"))
            let token = try #require(try await download.resumeToken())
            #expect((token.byteCount, token.total ?? 0) == (100_000, Self.content.count))
            let file = try await download.file()
            #expect(file.bytesFetched == 300_000)
            #expect(ranged.starts.last == 100_000)
            #expect(folder.names == ["file"])
            #expect(try await download.resumeToken() == nil)
        }
    }

    @Test func aTokenGoesOnAtAnotherURLAndTheRecordAloneDoesNot() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [Answer(cut: .close(after: 100_000))])
        try await withPeer(ranged.peer) { client, _ in
            let first = client.download("/file?signature=1", to: folder.path("file")).interruptions(upTo: 0)
            await expectFailure(.bodyTruncated) { try await first.file() }
            let token = try #require(try await first.resumeToken())
            let kept = try JSONDecoder().decode(ResumeToken.self, from: try JSONEncoder().encode(token))
            #expect(kept == token)
            let second = client.download("/file?signature=2", to: folder.path("file"))
            try await second.resuming(from: kept).file()
            #expect(folder.read("file") == Self.content)
            ranged.then(Answer(cut: .close(after: 50_000)))
            let third = client.download("/file?signature=3", to: folder.path("other")).interruptions(upTo: 0)
            await expectFailure(.bodyTruncated) { try await third.file() }
            try await client.download("/file?signature=4", to: folder.path("other")).file()
            #expect(ranged.starts == [-1, 100_000, -1, -1])
        }
    }

    @Test func aRecordThatCannotBeReadBeginsAnew() async throws {
        let folder = DownloadFolder()
        folder.write(Data("junk".utf8), "file.partial")
        folder.write(Data("{\"format\": 1".utf8), "file.partial.json")
        try await withPeer(RangedPeer(Self.content).peer) { client, _ in
            try await client.get("/file").download(to: folder.path("file"))
            #expect(folder.read("file") == Self.content)
            #expect(folder.names == ["file"])
        }
    }

    @Test func whatIsNoGetIsNotSentAgain() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [Answer(cut: .close(after: 100_000))])
        try await withPeer(ranged.peer) { client, server in
            await expectFailure(.bodyTruncated) {
                try await client.post("/export", json: ["a"]).download(to: folder.path("file"))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func aServerThatIsDownForAMomentIsAskedAgain() async throws {
        let (file, starts, _) = try await download([
            Answer(cut: .close(after: 100_000)), Answer(status: 503, fields: ["Retry-After": "1"]),
        ])
        #expect(starts == [-1, 100_000, 100_000])
        #expect(file.interruptions == 2)
    }

    @Test func theRangeGoesAlongARedirectToAnotherOrigin() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [Answer(cut: .close(after: 100_000))])
        let change = { @Sendable (configuration: inout ClientConfiguration) in
            configuration.waitNot()
            configuration.defaults.allowsOtherOrigins = true
        }
        try await withPeer(ranged.peer, client: change) { client, server in
            try await withPeer(.answers { _ in .redirect(to: server.url("/file")) }) { _, front in
                try await client.get(front.url("/file")).download(to: folder.path("file"))
            }
            #expect(folder.read("file") == Self.content)
            #expect(ranged.starts == [-1, 100_000])
        }
    }

    @Test func theTotalTimeoutBoundsAllAttempts() async throws {
        let folder = DownloadFolder()
        let stall = Answer(cut: .stall(after: 100_000))
        try await withPeer(RangedPeer(Self.content, [stall]).peer) { client, _ in
            await expectFailure(.deadlineExceeded) {
                try await client.get("/file").timeout(.milliseconds(300)).download(to: folder.path("file"))
            }
        }
    }
}
