// Downloads in a process of their own: killed in the middle, and at full speed in little memory.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

extension SoakTests {
    @Suite struct Downloads {
        private static let size = Soak.isOn ? 1 << 30 : 16 << 20

        @Test func aProcessThatIsKilledFiveTimesHasTheSameFileInTheEnd() async throws {
            let folder = DownloadFolder()
            let content = RangedPeer.bytes(Self.size)
            let part = Self.size / 6
            let ranged = RangedPeer(content, (0..<5).map { _ in .init(cut: .stall(after: part)) })
            let server = try await ranged.peer.start(.init())
            var confirmed = 0
            for number in 1...5 {
                let process = try ProbeProcess.make(
                    "file-download", ["url": server.url("/file"), "file": folder.path("file")])
                let ended = TestSignal()
                process.terminationHandler = { _ in ended.fire() }
                process.standardError = FileHandle.nullDevice
                try process.run()
                // What was sent is written, but for one buffer.
                try await Self.wait { folder.fileSize("file.partial") > confirmed + part - (256 << 10) }
                kill(process.processIdentifier, SIGKILL)
                try await ended.wait(timeout: .seconds(60))
                #expect(folder.read("file") == nil)
                // No byte that was there was asked for again.
                #expect(ranged.starts.count == number)
                #expect(ranged.starts.last == (confirmed == 0 ? -1 : confirmed))
                confirmed = folder.fileSize("file.partial")
            }
            let figures = try await ProbeProcess.run(
                "file-download", ["url": server.url("/file"), "file": folder.path("file")], within: .seconds(120))
            await server.stop()
            #expect(ranged.starts.last == confirmed)
            #expect(figures["fetched"] == Self.size - confirmed)
            #expect(folder.read("file") == content)
            #expect(folder.names == ["file"])
            Soak.tell("download, 5 kills", figures)
        }

        @Test(.enabled(if: !Soak.isThreadSanitized, "the sanitizer's own memory would be measured"))
        func aFileOfAnySizeTakesLittleMemory() async throws {
            let folder = DownloadFolder()
            let mebibyte = [UInt8](RangedPeer.bytes(1 << 20))
            let count = Self.size >> 20
            let server = try await TestServer.start { connection in
                _ = try await connection.readHead()
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count << 20)\r\n\r\n")
                try await connection.sendRepeating(mebibyte, count: count)
            }
            let figures = try await ProbeProcess.run(
                "file-download", ["url": server.url("/file"), "file": folder.path("file")], within: .seconds(120))
            await server.stop()
            #expect(figures["bytes"] == Self.size)
            #expect(figures["peakKiB", default: .max] < 40 << 10)
            #expect(folder.fileSize("file") == Self.size)
            Soak.tell("download to a file", figures)
        }

        private static func wait(until isReached: () -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(60)
            while !isReached() {
                guard ContinuousClock.now < end else { throw TestServerError.timedOut("the unfinished file to grow") }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}

extension DownloadFolder {
    func fileSize(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
