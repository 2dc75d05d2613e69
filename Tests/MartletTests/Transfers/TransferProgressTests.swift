// Progress as a value, and the steps of a transfer as they wait.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Progress", .timeLimit(.minutes(5))) struct TransferProgressTests {
    private static func instant(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
    }

    @Test func itNeverGoesBackAndNeverExceedsOne() {
        var meter = ProgressMeter(total: 100, at: Self.instant(0))
        meter.note(wire: 60, decoded: 60, at: Self.instant(1))
        meter.note(wire: 40, decoded: 40, at: Self.instant(2))
        #expect(meter.progress.wireBytes == 60)
        #expect(meter.progress.fractionCompleted == 0.6)
        meter.note(wire: 150, decoded: 150, at: Self.instant(3))
        #expect(meter.progress.fractionCompleted == 1)
        #expect(meter.progress.estimatedTimeRemaining == .zero)
    }

    @Test func whatIsNotKnownIsNotSaid() {
        var meter = ProgressMeter(total: nil, at: Self.instant(0))
        meter.note(wire: 60, decoded: 60, at: Self.instant(1))
        #expect(meter.progress.fractionCompleted == nil)
        #expect(meter.progress.estimatedTimeRemaining == nil)
        #expect(TransferProgress(total: 0).fractionCompleted == 1)
        #expect(TransferProgress(total: 10).estimatedTimeRemaining == nil)
    }

    @Test func theRateFollowsWhatComes() {
        var meter = ProgressMeter(from: 1_000, total: 101_000, at: Self.instant(0))
        for step in 1...100 { meter.note(wire: 1_000 + step * 100, decoded: 0, at: Self.instant(Double(step) / 10)) }
        #expect(abs(meter.progress.bytesPerSecond - 1_000) < 1)
        let left = meter.progress.estimatedTimeRemaining ?? .zero
        #expect(abs(left / .seconds(1) - 90) < 1)
        meter.note(wire: 11_000, decoded: 0, at: Self.instant(40))
        #expect(meter.progress.bytesPerSecond < 10)
    }

    @Test func ofProgressTheNewestIsKeptAndEveryOtherStep() async throws {
        let steps = TransferSteps<String>()
        steps.post("started")
        for count in 0..<100 { steps.post("\(count)", isProgress: true) }
        steps.post("resumed")
        steps.post("a", isProgress: true)
        steps.post("b", isProgress: true)
        steps.finish(.success(()))
        var taken: [String] = []
        while let step = try await steps.next() { taken.append(step) }
        #expect(taken == ["started", "99", "resumed", "b"])
    }

    enum Body: String, CaseIterable, Sendable { case data, file, stream, oneShot, form, compressed }

    @Test(arguments: Body.allCases) func everyBodyTellsHowFarItIs(body: Body) async throws {
        let folder = DownloadFolder()
        let bytes = RangedPeer.bytes(1 << 20)
        folder.write(bytes, "file")
        let chunks = stride(from: 0, to: bytes.count, by: 50_000).map { bytes[$0..<min($0 + 50_000, bytes.count)] }
        @Sendable func stream() -> AsyncStream<Data> {
            AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            }
        }
        try await withPeer(.answers { .text("\($0.body.count)") }) { client, server in
            let post = client.post("/")
            let call =
                switch body {
                case .data: post.body(data: bytes)
                case .file: post.body(file: folder.path("file"))
                case .stream: post.body(.stream(length: bytes.count) { stream() })
                case .oneShot: post.body(stream: stream())
                case .form: post.body(multipart: ["file": .file(folder.path("file"))] as MultipartForm)
                case .compressed: post.body(data: bytes).compressed(RequestCompression(.gzip))
                }
            var last = TransferProgress()
            var count = 0
            var response: Response<Data>?
            for try await step in call.uploading().progress(every: .zero) {
                switch step {
                case .progress(let progress):
                    #expect(progress.wireBytes >= last.wireBytes && progress.decodedBytes >= last.decodedBytes)
                    #expect((0...1).contains(progress.fractionCompleted ?? 0))
                    last = progress
                    count += 1
                case .finished(let finished): response = finished
                }
            }
            #expect(count > 0)
            #expect(last.fractionCompleted == 1)
            #expect(response?.metrics.bodyBytesSent == last.wireBytes)
            #expect(last.wireBytes == server.requests.first?.body.count)
            if body != .form { #expect(last.decodedBytes == bytes.count) }
        }
    }

    @Test func aPacedUploadTellsSeveralTimes() async throws {
        let chunks = AsyncStream<Data> { continuation in
            for _ in 0..<5 { continuation.yield(Data(count: 10)) }
            continuation.finish()
        }
        try await withPeer(.answers { _ in .ok }) { client, _ in
            let seen = Lock<[Int]>([])
            let count = UploadCount(client.core.time, .zero) { progress in
                seen.withLock { $0.append(progress.wireBytes) }
            }
            let request = try client.post("/", stream: chunks, length: 50).counting(count)
            _ = try await client.core.send(request, through: client.prepared.layers).body.collect()
            #expect(seen.withLock { $0 } == [10, 20, 30, 40, 50])
        }
    }

    @Test func aRefusedUploadThrowsAtItsStep() async throws {
        try await withPeer(.answers { _ in .text("no", status: 403) }) { client, _ in
            await expectFailure(.unacceptableStatus) {
                for try await _ in client.post("/", data: Data(count: 10)).uploading() {}
            }
        }
    }

    @Test func leavingTheLoopEndsTheUpload() async throws {
        try await withPeer(.script(.readHead, .stall)) { client, _ in
            for try await _ in client.post("/", data: Data(count: 64 << 20)).uploading() { break }
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }

    @Test func anUploadThatIsCancelledLeavesNothing() async throws {
        try await withPeer(.script(.readHead, .stall)) { client, server in
            let task = Task { for try await _ in client.post("/", data: Data(count: 64 << 20)).uploading() {} }
            try await server.waitForRequests(1, timeout: .seconds(60))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await client.ledger.exchanges == 0)
        }
    }
}
