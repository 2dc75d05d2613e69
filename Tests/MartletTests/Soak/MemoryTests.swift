// Resident memory stays bounded whatever the size of a body and whichever side is slow. The process that is measured is not
// the one that serves.

import Foundation
import MartletTesting
import Testing

extension SoakTests {
    @Suite(.enabled(if: !Soak.isThreadSanitized, "the sanitizer's own memory would be measured"))
    struct Memory {
        private static let limitKiB = 40 << 10
        private static let pace = 1 << 20

        @Test func slowConsumerOfEndlessBodyStaysSmall() async throws {
            let seconds = Soak.isOn ? 30 : 3
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "consume", ["url": server.url("/endless"), "seconds": seconds, "bytesPerSecond": Self.pace],
                within: .seconds(seconds + 30))
            await server.stop()
            #expect(figures["peakKiB", default: .max] < Self.limitKiB)
            #expect(figures["bytes", default: 0] >= (seconds - 1) * Self.pace)
            Soak.tell("slow consumer", figures)
        }

        @Test func endlessUploadToSlowPeerStaysSmall() async throws {
            let seconds = Soak.isOn ? 30 : 3
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "upload", ["url": server.url("/slow"), "seconds": seconds], within: .seconds(seconds + 30))
            await server.stop()
            #expect(figures["peakKiB", default: .max] < Self.limitKiB)
            #expect(figures["bytes", default: 0] > 0)
            // What the peer took, and what the system's buffers on both sides hold.
            #expect(figures["bytes", default: .max] < (seconds + 1) * Self.pace + (24 << 20))
            Soak.tell("slow peer", figures)
        }

        @Test func wholeDownloadStaysSmall() async throws {
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "whole-download", ["url": server.url("/size/\(Self.wholeBytes)")], within: .seconds(120))
            await server.stop()
            expectWhole(figures, "whole download")
        }

        @Test func wholeUploadFromSequenceStaysSmall() async throws {
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "whole-upload", ["url": server.url("/all"), "bytes": Self.wholeBytes], within: .seconds(120))
            await server.stop()
            expectWhole(figures, "whole upload")
        }

        @Test func wholeUploadOfFileStaysSmall() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
            try Data().write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let handle = try FileHandle(forWritingTo: file)
            // A hole: as long to read as any file, and no work to write.
            try handle.truncate(atOffset: UInt64(Self.wholeBytes))
            try handle.close()
            let server = try await SoakPeer.start()
            let figures = try await ProbeProcess.run(
                "whole-file", ["url": server.url("/all"), "file": file.path], within: .seconds(120))
            await server.stop()
            expectWhole(figures, "whole file")
        }

        private static let wholeBytes = Soak.isOn ? 1 << 30 : 64 << 20

        private func expectWhole(_ figures: [String: Int], _ name: String) {
            #expect(figures["bytes"] == Self.wholeBytes)
            #expect(figures["peakKiB", default: .max] < Self.limitKiB)
            Soak.tell(name, figures)
        }
    }
}
