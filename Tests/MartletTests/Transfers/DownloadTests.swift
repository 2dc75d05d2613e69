// Downloads to a file: what is there when, what is refused before a byte is written, and under which name.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite("Downloads", .timeLimit(.minutes(5))) struct DownloadTests {
    private static let content = RangedPeer.bytes(300_000)

    @Test func theFileHasItsNameWhenItIsCompleteAndNotBefore() async throws {
        let folder = DownloadFolder()
        try await withPeer(RangedPeer(Self.content).peer) { client, server in
            var seen: [String] = []
            var last: TransferProgress?
            for try await step in client.download("/file", to: folder.path("file")).progress(every: .zero) {
                switch step {
                case .started(let head):
                    seen.append("started \(head.status.code)")
                case .resumed(let offset): seen.append("resumed \(offset)")
                case .progress(let progress):
                    #expect(progress.wireBytes >= last?.wireBytes ?? 0)
                    #expect((0...1).contains(progress.fractionCompleted ?? 2))
                    last = progress
                case .finished(let file):
                    seen.append("finished")
                    #expect(file.path == folder.path("file"))
                    #expect(file.byteCount == Self.content.count)
                    #expect(file.bytesFetched == Self.content.count)
                    #expect(file.interruptions == 0)
                }
            }
            #expect(seen == ["started 200", "finished"])
            #expect(last?.fractionCompleted == 1)
            #expect(folder.read("file") == Self.content)
            #expect(folder.names == ["file"])
            #expect(server.requests.first?["Accept-Encoding"] == "identity")
            #expect(server.requests.first?["Range"] == nil)
        }
    }

    @Test func nothingIsUnderTheNameWhileBytesAreMissing() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [.init(cut: .stall(after: 100_000))])
        try await withPeer(ranged.peer) { client, _ in
            let task = Task { try await client.get("/file").download(to: folder.path("file")) }
            try await ranged.hasStalled.wait(timeout: .seconds(60))
            while folder.names.count < 2 { await Task.yield() }
            #expect(folder.names == ["file.partial", "file.partial.json"])
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            // What is left depends on whether a byte had come.
            #expect(folder.read("file") == nil)
        }
    }

    @Test func aFileThatIsThereIsNotReplacedUnlessAsked() async throws {
        let folder = DownloadFolder()
        folder.write(Data("old".utf8), "file")
        try await withPeer(RangedPeer(Self.content).peer) { client, server in
            await expectFailure(.fileExists) { try await client.get("/file").download(to: folder.path("file")) }
            #expect(server.requests.isEmpty)
            #expect(folder.read("file") == Data("old".utf8))
            try await client.get("/file").download(to: .file(folder.path("file")).replacing())
            #expect(folder.read("file") == Self.content)
            #expect(folder.names == ["file"])
        }
    }

    @Test func anErrorPageReplacesNothing() async throws {
        let folder = DownloadFolder()
        folder.write(Data("good".utf8), "file")
        try await withPeer(.answers { _ in .text("no such file", status: 404) }) { client, _ in
            let error = await expectFailure(.unacceptableStatus) {
                try await client.get("/file").download(to: .file(folder.path("file")).replacing())
            }
            #expect(error?.response?.bodyPrefix == Data("no such file".utf8))
            #expect(folder.read("file") == Data("good".utf8))
            #expect(folder.names == ["file"])
        }
    }

    @Test func whatTheCallDoesNotAcceptIsNotWritten() async throws {
        let folder = DownloadFolder()
        try await withPeer(.answers { _ in .text("<html>", headers: ["Content-Type": "text/html"]) }) { client, _ in
            await expectFailure(.unacceptableContentType) {
                try await client.get("/file").accepting(contentTypes: ["application/zip"])
                    .download(to: folder.path("file"))
            }
            #expect(folder.names == [])
        }
    }

    @Test func anEmptyFileIsAFileAndNoContentIsNone() async throws {
        let folder = DownloadFolder()
        try await withPeer(.answers { $0.path == "/none" ? .status(204) : .ok }) { client, _ in
            try await client.get("/empty").download(to: folder.path("empty"))
            #expect(folder.read("empty") == Data())
            await expectFailure(.emptyBody) { try await client.get("/none").download(to: folder.path("none")) }
            #expect(folder.names == ["empty"])
        }
    }

    @Test func foldersAreMadeWhereThatIsAsked() async throws {
        let folder = DownloadFolder()
        try await withPeer(RangedPeer(Self.content).peer) { client, _ in
            let path = folder.path("a/b/file")
            await expectFailure(.fileUnwritable) { try await client.get("/file").download(to: path) }
            try await client.get("/file").download(to: .file(path).creatingDirectories())
            #expect(folder.read("a/b/file") == Self.content)
        }
    }

    @Test(arguments: [
        ("attachment; filename=report.pdf", "report.pdf"), ("attachment; filename=\"../../etc/passwd\"", "passwd"),
        ("attachment; filename=\"C:\\\\temp\\\\x.txt\"", "x.txt"), ("attachment; filename=\".bashrc\"", "bashrc"),
        ("attachment; filename*=UTF-8''%E2%82%AC%2F..%2Frates", "rates"), ("attachment; filename=\"..\"", "file.bin"),
        ("attachment", "file.bin"),
    ])
    func theServersNameStaysInTheFolder(disposition: String, name: String) async throws {
        let folder = DownloadFolder()
        let peer = RangedPeer(Self.content, [.init(fields: ["Content-Disposition": disposition])])
        try await withPeer(peer.peer) { client, _ in
            let file = try await client.get("/a/file.bin?x=1").download(to: .directory(folder.path))
            #expect(file.path == folder.path(name))
            #expect(folder.names == [name])
        }
    }

    @Test func theServersNameReplacesNothing() async throws {
        let folder = DownloadFolder()
        folder.write(Data("old".utf8), "report.pdf")
        let peer = RangedPeer(Self.content, [.init(fields: ["Content-Disposition": "attachment; filename=report.pdf"])])
        try await withPeer(peer.peer) { client, _ in
            await expectFailure(.fileExists) { try await client.get("/file").download(to: .directory(folder.path)) }
            #expect(folder.names == ["report.pdf"])
            #expect(folder.read("report.pdf") == Data("old".utf8))
        }
    }

    @Test func aLinkInThePlaceOfTheUnfinishedFileIsNotFollowed() async throws {
        let folder = DownloadFolder()
        folder.write(Data("precious".utf8), "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("file.partial"), withDestinationPath: folder.path("target"))
        try await withPeer(RangedPeer(Self.content).peer) { client, _ in
            await expectFailure(.fileUnwritable) { try await client.get("/file").download(to: folder.path("file")) }
            #expect(folder.read("target") == Data("precious".utf8))
        }
    }

    @Test func twoDownloadsDoNotWriteIntoEachOther() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [.init(cut: .stall(after: 100_000))])
        try await withPeer(ranged.peer) { client, _ in
            let first = Task { try await client.get("/file").download(to: folder.path("file")) }
            try await ranged.hasStalled.wait(timeout: .seconds(60))
            while folder.names.count < 2 { await Task.yield() }
            await expectFailure(.fileUnwritable) { try await client.get("/file").download(to: folder.path("file")) }
            first.cancel()
            _ = await first.result
        }
    }

    @Test func aFolderThatGoesAwayIsATypedError() async throws {
        let folder = DownloadFolder()
        let gate = TestSignal()
        let peer = Peer.script(
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nETag: \"a\"\r\n\r\nhalf"), .wait(for: gate),
            .send("half"), .waitForClose)
        try await withPeer(peer) { client, _ in
            await expectFailure(.fileUnwritable) {
                for try await step in client.download("/file", to: folder.path("file")) {
                    guard case .started = step else { continue }
                    try FileManager.default.removeItem(atPath: folder.path)
                    gate.fire()
                }
            }
        }
    }

    @Test func whatIsNotToBeKeptIsTakenAway() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [.init(cut: .stall(after: 100_000))])
        try await withPeer(ranged.peer) { client, _ in
            let download = client.download("/file", to: folder.path("file")).keepingPartial(false)
            let task = Task { try await download.file() }
            try await ranged.hasStalled.wait(timeout: .seconds(60))
            while folder.names.count < 2 { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(folder.names == [])
        }
    }

    @Test func leavingTheLoopEndsTheTransfer() async throws {
        let folder = DownloadFolder()
        let ranged = RangedPeer(Self.content, [.init(cut: .stall(after: 100_000))])
        try await withPeer(ranged.peer) { client, _ in
            for try await step in client.download("/file", to: folder.path("file")) {
                if case .started = step { break }
            }
            try await client.waitUntil { $0.exchanges == 0 }
        }
    }

    @Test(arguments: [ENOSPC, EDQUOT, EFBIG]) func aFullDiskHasACodeOfItsOwn(number: Int32) {
        #expect(FileFailure.of(number, "/a").code == .diskFull)
    }

    @Test(arguments: [true, false]) func theCallersDigestDecides(isRight: Bool) async throws {
        let folder = DownloadFolder()
        let right = try #require(MessageDigest.sha256(of: Self.content)?.hexadecimal)
        let digest = isRight ? right.uppercased() : String(repeating: "0", count: 64)
        try await withPeer(RangedPeer(Self.content).peer) { client, _ in
            let download = client.download("/file", to: folder.path("file")).verifying(sha256: digest)
            if isRight {
                try await download.file()
                #expect(folder.names == ["file"])
            } else {
                await expectFailure(.digestMismatch) { try await download.file() }
                #expect(folder.names == [])
            }
        }
    }

    @Test func aDigestThatIsNoneIsRefusedAtOnce() async throws {
        try await withPeer(RangedPeer(Self.content).peer) { client, server in
            await expectFailure(.invalidRequest) {
                try await client.download("/file", to: "/nowhere/file").verifying(sha256: "abc").file()
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"], [true, false])
    func theServersDigestDecidesWhereItIsAskedFor(field: String, isRight: Bool) async throws {
        let folder = DownloadFolder()
        let digest = try #require(MessageDigest.sha256(of: isRight ? Self.content : Data()))
        let value = "unixsum=:AAA=:, sha-256=:\(digest.base64EncodedString()):"
        let ranged = RangedPeer(Self.content, [.init(fields: [field: value]), .init(fields: [field: value])])
        try await withPeer(ranged.peer) { client, _ in
            let download = client.download("/file", to: folder.path("file"))
            if isRight {
                try await download.verifyingDigest().file()
            } else {
                await expectFailure(.digestMismatch) { try await download.verifyingDigest().file() }
                try await download.file()
            }
            #expect(folder.read("file") == Self.content)
        }
    }
}
