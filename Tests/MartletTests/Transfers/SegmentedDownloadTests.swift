// Downloads over several connections: the same bytes, whatever becomes of one of them.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Downloads in segments", .timeLimit(.minutes(5))) struct SegmentedDownloadTests {
    private static let content = RangedPeer.bytes(400_000)
    private typealias Answer = RangedPeer.Answer

    private func download(
        _ ranged: RangedPeer, _ folder: DownloadFolder, segments: Int = 4, minimum: Int = 10_000
    ) async throws -> DownloadedFile {
        try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, _ in
            try await client.download("/file", to: folder.path("file"))
                .parallel(segments, minimumSegmentBytes: minimum).file()
        }
    }

    @Test func fourSegmentsAreOneFile() async throws {
        let (ranged, folder) = (RangedPeer(Self.content), DownloadFolder())
        let file = try await download(ranged, folder)
        #expect(folder.read("file") == Self.content)
        #expect(folder.names == ["file"])
        #expect(ranged.starts.sorted() == [-1, 100_000, 200_000, 300_000])
        #expect(file.bytesFetched == Self.content.count)
    }

    @Test func progressIsThatOfTheWholeFile() async throws {
        let folder = DownloadFolder()
        try await withPeer(RangedPeer(Self.content).peer) { client, _ in
            let download = client.download("/file", to: folder.path("file"))
                .parallel(4, minimumSegmentBytes: 10_000).progress(every: .zero)
            var last = TransferProgress()
            for try await case .progress(let progress) in download {
                #expect(progress.wireBytes >= last.wireBytes)
                #expect(progress.total == Self.content.count)
                last = progress
            }
            #expect(last.fractionCompleted == 1)
        }
    }

    @Test func aSegmentThatIsLostGoesOnByItself() async throws {
        let answers =
            [Answer()] + (0..<6).map { Answer(cut: $0 % 2 == 0 ? .close(after: 30_000) : .reset(after: 1_000)) }
        let (ranged, folder) = (RangedPeer(Self.content, answers), DownloadFolder())
        let file = try await download(ranged, folder)
        #expect(folder.read("file") == Self.content)
        #expect(file.interruptions == 6)
        #expect(file.bytesFetched == Self.content.count)
    }

    @Test(arguments: ["whole", "changed", "wrong range", "refused"])
    func whatIsNotThePartMeansOneStream(kind: String) async throws {
        let answer: Answer =
            switch kind {
            case "whole": Answer(ignoresRange: true)
            case "changed": Answer(etag: "\"v2\"")
            case "wrong range": Answer(contentRange: "bytes 0-99/400000")
            default: Answer(status: 403)
            }
        let (ranged, folder) = (RangedPeer(Self.content, [Answer(), answer]), DownloadFolder())
        _ = try await download(ranged, folder)
        #expect(folder.read("file") == Self.content)
        #expect(folder.names == ["file"])
        #expect(ranged.starts.count { $0 < 0 } == 2)
    }

    @Test(arguments: ["small", "no ranges", "weak tag"]) func whatIsNotFitForItComesInOneStream(kind: String)
        async throws
    {
        let etag = kind == "weak tag" ? "W/\"v1\"" : "\"v1\""
        let fields = kind == "no ranges" ? ["Accept-Ranges": "none"] : [:]
        let (ranged, folder) = (RangedPeer(Self.content, etag: etag, [Answer(fields: fields)]), DownloadFolder())
        _ = try await download(ranged, folder, minimum: kind == "small" ? 1 << 20 : 10_000)
        #expect(folder.read("file") == Self.content)
        #expect(ranged.starts == [-1])
    }

    @Test(arguments: [4, 1]) func whatOneRunHasLeftAnotherGoesOnWith(segments: Int) async throws {
        let folder = DownloadFolder()
        let stalls = (0..<4).map { _ in Answer(cut: .close(after: 30_000)) }
        let ranged = RangedPeer(Self.content, stalls)
        try await withPeer(ranged.peer, client: { $0.waitNot() }) { client, _ in
            let download = client.download("/file", to: folder.path("file")).parallel(4, minimumSegmentBytes: 10_000)
            // The first loss ends it: of the segments at least one has its 30,000 bytes.
            await expectFailure(.bodyTruncated) { try await download.interruptions(upTo: 0).file() }
            #expect(folder.names == ["file.partial", "file.partial.json"])
            let token = try #require(try await download.resumeToken())
            #expect(token.byteCount >= 30_000)
            let file = try await download.parallel(segments, minimumSegmentBytes: 10_000).file()
            #expect(folder.read("file") == Self.content)
            #expect(folder.names == ["file"])
            if segments > 1 { #expect(file.bytesFetched == Self.content.count - token.byteCount) }
        }
    }

    @Test func whatIsMissingIsSplit() {
        var spans = SpanSet([.init(start: 10, end: 20), .init(start: 40, end: 50)])
        #expect(spans.gaps(upTo: 60) == [0..<10, 20..<40, 50..<60])
        #expect(spans.segments(upTo: 60, count: 4, minimum: 1) == [0..<10, 20..<30, 30..<40, 50..<60])
        #expect(spans.segments(upTo: 60, count: 4, minimum: 100) == [0..<10, 20..<40, 50..<60])
        spans.add(20..<41)
        #expect(spans.spans == [.init(start: 10, end: 50)])
        spans.add(0..<60)
        #expect(spans.gaps(upTo: 60) == [])
        #expect(spans.count == 60)
    }
}
