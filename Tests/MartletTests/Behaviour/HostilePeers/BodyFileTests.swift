// Row 62 of the hostile peers, the files: request bodies whose file is not there, cannot be read, or changes while it is sent.

import Foundation
import Martlet
import MartletTesting
import Testing

@Suite("Row 62: body files", .timeLimit(.minutes(5))) struct BodyFileTests {
    /// Gives `body` a folder that is removed afterwards.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    enum Unreadable: CaseIterable, Sendable {
        case missing, directory, emptyPath, nulInPath, danglingLink, throughFile, pipe
    }

    @Test(arguments: Unreadable.allCases) func aFileThatCannotBeReadEndsTheCallBeforeItConnects(
        _ kind: Unreadable
    ) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("body").path
            let path: String
            switch kind {
            case .missing: path = file
            case .directory: path = folder.path
            case .emptyPath: path = ""
            case .nulInPath: path = file + "\0"
            case .danglingLink:
                path = file
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
            case .throughFile:
                try Data("x".utf8).write(to: URL(filePath: file))
                path = file + "/below"
            case .pipe:
                // Opening one waits for a writer, who never comes here.
                path = file
                #expect(mkfifo(path, 0o600) == 0)
            }
            try await withPeer(.answers { _ in .ok }) { client, server in
                let error = await expectFailure(.fileUnreadable) { try await client.put("/", file: path).data() }
                #expect(error?.mayHaveReachedServer == false)
                #expect(server.connectionCount == 0)
            }
        }
    }

    @Test(arguments: [0, 1, 100, 262_144, 1_000_003]) func aFileIsSentWholeWithItsLength(_ size: Int) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("body")
            let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try content.write(to: file)
            try await withPeer(.answers { _ in .ok }) { client, server in
                try await client.put("/", file: file.path).discard()
                #expect(server.requests.first?["Content-Length"] == "\(size)")
                #expect(server.requests.first?.body == content)
            }
        }
    }

    @Test func aFileThatSaysItIsEmptyAndIsNotIsSentWhole() async throws {
        let content = try Data(contentsOf: URL(filePath: "/proc/version"))
        try #require(!content.isEmpty)
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.put("/", file: "/proc/version").discard()
            #expect(server.requests.first?.body == content)
        }
    }

    @Test func aFileThatShrinksEndsTheCallAndItsConnection() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("body")
            try Data(repeating: 0x61, count: 16 << 20).write(to: file)
            let peer = Peer.connection { connection in
                _ = try await connection.readHead()
                // Most of it is not read yet: the buffers between hold less.
                try FileManager.default.truncate(file.path, to: 1 << 20)
                _ = try await connection.readToEnd()
            }
            try await withPeer(peer) { client, server in
                let error = await expectFailure(.bodyLengthMismatch) {
                    try await client.put("/", file: file.path).data()
                }
                #expect(error?.mayHaveReachedServer == true)
                try await server.waitUntilAllClosed()
            }
        }
    }

    @Test func aFileThatGrowsIsSentUpToTheLengthThatWasPromised() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("body")
            let content = Data(repeating: 0x61, count: 2 << 20)
            try content.write(to: file)
            let peer = Peer.connection { connection in
                let head = try await connection.readHead()
                let handle = try FileHandle(forWritingTo: file)
                try handle.seekToEnd()
                try handle.write(contentsOf: Data(repeating: 0x62, count: 1 << 20))
                try handle.close()
                let request = try await connection.readBody(of: head)
                // Not the bodies themselves: to tell how two of this size differ takes minutes.
                #expect((request.body == content) as Bool)
                try await connection.respond(.ok)
                _ = try await connection.readRequest()
                try await connection.respond(.text("again"))
            }
            try await withPeer(peer) { client, server in
                try await client.put("/", file: file.path).discard()
                try await client.expectText("again")
                #expect(server.connectionCount == 1)
            }
        }
    }

    @Test func aRecoveredCallReadsTheFileAnew() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("body")
            try Data("content".utf8).write(to: file)
            let peer = Peer.scripts(
                [.readRequest, .respond(.text("first")), .readRequest, .close],
                [.readRequest, .respond(.text("second"))])
            try await withPeer(peer) { client, server in
                try await client.expectText("first")
                let text = try await client.put("/", file: file.path).string()
                #expect(text == "second")
                #expect(server.requests.suffix(2).map(\.bodyText) == ["content", "content"])
            }
        }
    }
}

extension FileManager {
    fileprivate func truncate(_ path: String, to length: UInt64) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: length)
        try handle.close()
    }
}

@Suite("Request bodies that do not keep their word", .timeLimit(.minutes(5))) struct BodyLengthTests {
    @Test func aBodyOfWhichAllIsSentNeedNotEndForItsConnectionToGoOn() async throws {
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("abcd".utf8))
        try await withPeer(.answers { .text($0.bodyText) }) { client, server in
            let text = try await client.put("/", stream: chunks, length: 4).string()
            #expect(text == "abcd")
            continuation.finish()
            try await client.expectText("", at: "/next")
            #expect(server.connectionCount == 1)
        }
    }

    @Test(arguments: [3, 9]) func aStreamOfAnotherLengthEndsTheCall(_ length: Int) async throws {
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let error = await expectFailure(.bodyLengthMismatch) {
                try await client.put("/", stream: GatedChunks(["ab", "cd"]), length: length).data()
            }
            #expect(error?.code == .bodyLengthMismatch)
            try await server.waitUntilAllClosed()
        }
    }

    @Test(arguments: Wire.allCases) func aStreamOfTheLengthPromisedIsSentWithIt(_ wire: Wire) async throws {
        try await withPeer(.answers { .text($0["Content-Length"] ?? "none") }, over: wire) { client, server in
            let text = try await client.put("/", stream: GatedChunks(["ab", "", "cd"]), length: 4).string()
            #expect(text == "4")
            #expect(server.requests.first?.bodyText == "abcd")
        }
    }

    @Test func aStreamThatThrowsEndsTheCallWithItsCause() async throws {
        struct Cause: Error {}
        let chunks = AsyncThrowingStream<Data, any Error> {
            $0.yield(Data("ab".utf8))
            $0.finish(throwing: Cause())
        }
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let error = await expectFailure(.bodyFailed) { try await client.put("/", stream: chunks).data() }
            #expect(error?.underlying is Cause)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aStreamThatCancelsItselfDoesNotCancelTheCall() async throws {
        let chunks = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CancellationError()) }
        try await withPeer(.script(.readHead, .waitForClose)) { client, _ in
            let error = await expectFailure(.bodyFailed) { try await client.put("/", stream: chunks).data() }
            #expect(error?.underlying is CancellationError)
        }
    }

    @Test(arguments: Wire.allCases) func aNegativeLengthIsRefused(_ wire: Wire) async throws {
        try await withPeer(.answers { _ in .ok }, over: wire) { client, server in
            await expectFailure(.invalidRequest) {
                try await client.put("/", stream: GatedChunks(["ab"]), length: -1).data()
            }
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: Wire.allCases) func aOneShotBodyCannotBeSentTwice(_ wire: Wire) async throws {
        try await withPeer(.answers { .text($0.bodyText) }, over: wire) { client, _ in
            let call = client.put("/", stream: GatedChunks(["once"]))
            let text = try await call.string()
            #expect(text == "once")
            await expectFailure(.bodyNotReplayable) { try await call.string() }
        }
    }
}
