// Forms on the wire: exact lengths, no spooling, and no short body whatever becomes of the parts meanwhile.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct MultipartWireTests {
    @Test func knownLengthsMakeAContentLength() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("a.bin")
            let content = Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try content.write(to: file)
            let form: MultipartForm = [
                "text": "ü", "file": .file(file), "stream": .stream(length: 4) { GatedChunks(["ab", "cd"]) },
                "again": .file(file.path, filename: "b"),
            ]
            let expected = try await form.encode()
            try await withPeer(.answers { _ in .ok }) { client, server in
                try await client.post("/", multipart: form).discard()
                try await client.post("/", multipart: form).discard()
                for request in server.requests {
                    #expect(request["Content-Length"] == "\(expected.count)")
                    #expect(request["Content-Type"] == form.contentType)
                    #expect(request.body == expected)
                }
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func anUnknownLengthMakesChunks() async throws {
        var form: MultipartForm = ["stream": .stream { GatedChunks(["ab", "", "cd"]) }]
        for index in 0..<1_000 { form.append("field \(index)", "\(index)") }
        let expected = try await form.encode()
        try await withPeer(.answers { _ in .ok }) { client, server in
            try await client.post("/", multipart: form).discard()
            let request = try #require(server.requests.first)
            #expect(request["Transfer-Encoding"] == "chunked")
            #expect(request["Content-Length"] == nil)
            #expect(request.body == expected)
            // Short parts travel together.
            #expect(request.chunkLengths.count < 10)
        }
    }

    enum Change: CaseIterable, Sendable { case removed, grown, shrunk, replacedByFolder, unreadable }

    @Test(arguments: Change.allCases) func aFileThatChangesBeforeItsTurnEndsTheCall(_ change: Change) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("second")
            try Data(repeating: 0x62, count: 1_000).write(to: file)
            let changed = TestSignal()
            let form: MultipartForm = [
                "first": .stream(length: 6) { GatedChunks(["one", "two"], gates: [1: changed]) },
                "second": .file(file),
            ]
            let peer = Peer.connection { connection in
                _ = try await connection.readHead()
                switch change {
                case .removed, .unreadable: try FileManager.default.removeItem(at: file)
                case .grown: try Data(count: 1_001).write(to: file)
                case .shrunk: try Data(count: 999).write(to: file)
                case .replacedByFolder:
                    try FileManager.default.removeItem(at: file)
                    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
                }
                changed.fire()
                while try await connection.read(upTo: 1 << 20) != nil {}
            }
            try await withPeer(peer) { client, server in
                let code: MartletError.Code =
                    change == .grown || change == .shrunk ? .bodyLengthMismatch : .fileUnreadable
                let error = await expectFailure(code) { try await client.post("/", multipart: form).data() }
                #expect(error?.mayHaveReachedServer == true)
                try await server.waitUntilAllClosed()
            }
        }
    }

    @Test func aFormWithAMissingFileIsNotSent() async throws {
        let form: MultipartForm = ["a": "b", "f": .file("/nowhere/at/all.txt")]
        try await withPeer(.answers { _ in .ok }) { client, server in
            let error = await expectFailure(.fileUnreadable) { try await client.post("/", multipart: form).data() }
            #expect(error?.mayHaveReachedServer == false)
            #expect(server.connectionCount == 0)
        }
    }

    @Test func aPartThatCanBeReadOnceMakesAFormOfThatKind() async throws {
        var form = MultipartForm()
        form.append("once", MultipartPart(body: .oneShot(GatedChunks(["once"]))))
        #expect(try form.requestBody().isReplayable == false)
        try await withPeer(.answers { .text($0.bodyText) }) { client, _ in
            let call = client.post("/", multipart: form)
            let text = try await call.string()
            #expect(text.contains("once"))
            await expectFailure(.bodyNotReplayable) { try await call.string() }
        }
    }

    @Test func aRecoveredCallSendsTheSameBytes() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("a")
            try Data("content".utf8).write(to: file)
            let form: MultipartForm = ["f": .file(file), "s": .stream { GatedChunks(["x", "y"]) }]
            let peer = Peer.scripts(
                [.readRequest, .respond(.text("first")), .readRequest, .close],
                [.readRequest, .respond(.text("second"))])
            try await withPeer(peer) { client, server in
                try await client.expectText("first")
                let text = try await client.put("/", multipart: form).string()
                #expect(text == "second")
                let bodies = server.requests.suffix(2).map(\.body)
                let expected = try await form.encode()
                #expect(bodies == [expected, expected])
            }
        }
    }

    @Test func cancellingEndsTheStreamOfAPart() async throws {
        let chunks = EndlessChunks()
        let form: MultipartForm = ["a": "b", "endless": .stream { chunks }]
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let call = Task { try await client.post("/", multipart: form).data() }
            try await server.waitForRequests(1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await chunks.ended.wait(timeout: .seconds(60))
        }
    }

    @Test func aStreamThatThrowsEndsTheCallWithItsCause() async throws {
        struct Cause: Error {}
        let form: MultipartForm = [
            "a": .stream { AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Cause()) } }
        ]
        try await withPeer(.script(.readHead, .waitForClose)) { client, server in
            let error = await expectFailure(.bodyFailed) { try await client.post("/", multipart: form).data() }
            #expect(error?.underlying is Cause)
            try await server.waitUntilAllClosed()
        }
    }

    @Test func aThousandFilesNeedOneDescriptor() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("a")
            try Data("x".utf8).write(to: file)
            var form = MultipartForm()
            for index in 0..<1_000 { form.append("f\(index)", .file(file)) }
            try await withPeer(.answers { .text("\($0.body.count)") }) { client, _ in
                let count = try await client.post("/", multipart: form).string()
                let expected = try await form.encode().count
                #expect(count == "\(expected)")
            }
        }
    }
}
