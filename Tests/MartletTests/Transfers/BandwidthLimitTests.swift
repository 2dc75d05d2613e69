// Transfers held to a number of bytes a second, on a clock that jumps.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Bandwidth limits", .timeLimit(.minutes(5))) struct BandwidthLimitTests {
    private static func instant(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    @Test func whatComesTooEarlyIsWaitedFor() {
        var bucket = TokenBucket(perSecond: 100, at: Self.instant(0))
        #expect(bucket.take(50, at: Self.instant(0)) == .seconds(0.5))
        #expect(bucket.take(50, at: Self.instant(0.5)) == .seconds(0.5))
        #expect(bucket.take(100, at: Self.instant(3)) == .zero)
    }

    @Test func noMoreThanASecondIsSavedUp() {
        var bucket = TokenBucket(perSecond: 100, at: Self.instant(0))
        #expect(bucket.take(150, at: Self.instant(1_000)) == .seconds(0.5))
    }

    @Test func aClockThatGoesBackGivesNothing() {
        var bucket = TokenBucket(perSecond: 100, at: Self.instant(10))
        #expect(bucket.take(100, at: Self.instant(5)) == .seconds(1))
    }

    @Test(arguments: [1, 4]) func aDownloadTakesAsLongAsItMay(segments: Int) async throws {
        let (folder, clock) = (DownloadFolder(), TestClock(advancesItself: true))
        let content = RangedPeer.bytes(400_000)
        try await withPeer(RangedPeer(content).peer, client: { $0.clock = clock }) { client, _ in
            let limit = BandwidthLimit(bytesPerSecond: 100_000)
            try await client.download("/file", to: folder.path("file")).bandwidth(limit)
                .parallel(segments, minimumSegmentBytes: 10_000).file()
            #expect(folder.read("file") == content)
            let time = clock.sleeps.reduce(.zero, +)
            #expect(time >= .seconds(3.9))
            if segments == 1 { #expect(time <= .seconds(4.1)) }
        }
    }

    @Test func anUploadTakesAsLongAsItMay() async throws {
        let clock = TestClock(advancesItself: true)
        let content = RangedPeer.bytes(400_000)
        try await withPeer(.answers { .text("\($0.body.count)") }, client: { $0.clock = clock }) { client, server in
            let upload = client.post("/", data: content).uploading()
                .bandwidth(BandwidthLimit(bytesPerSecond: 100_000))
            for try await _ in upload {}
            #expect(server.requests.first?.body == content)
            let time = clock.sleeps.reduce(.zero, +)
            #expect((.seconds(3.9)...(.seconds(4.1))).contains(time))
        }
    }
}
