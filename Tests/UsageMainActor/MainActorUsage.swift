// The public API from a target whose default isolation is the main actor: that this compiles without a warning is the test.

import Foundation
import Martlet
import MartletTesting
import Testing

/// Decoded from a response; isolated to the main actor, as everything here is.
final class MainActorNote: Codable {
    var text = ""
}

@Suite struct MainActorUsage {
    @Test func typeOfTheMainActorIsDecoded() async throws {
        try await withUsageClient { client in
            let note: MainActorNote = try await client.get("/note").json()
            #expect(note.text == "hi")
            let again = try await client.post("/note", json: note).json(as: MainActorNote.self)
            again.text += "!"
            #expect(again.text == "hi!")
        }
    }

    @Test func everyTerminalAndSequenceIsUsable() async throws {
        try await withUsageClient { client in
            let call = client.get("/note").header("X-Test", "1").query("q", 2).timeout(.seconds(60))
            #expect(try await call.data().count == 13)
            #expect(try await call.string() == #"{"text":"hi"}"#)
            #expect(try await call.response().status == .ok)
            #expect(try await call.json()["text"] == "hi")
            try await call.discard()
            let streamed = try await call.stream()
            #expect(try await streamed.body.collect().count == 13)
            var chunks = 0
            for try await chunk in call.chunks { chunks += chunk.count }
            #expect(chunks == 13)
            var bytes = 0
            for try await _ in call.bytes { bytes += 1 }
            #expect(bytes == 13)
            for try await line in call.lines { #expect(line == #"{"text":"hi"}"#) }
            for try await chunk in try await call.stream().body.stream { #expect(chunk.count == 13) }
        }
    }

    @Test func bodyFormsAndExecutorAreUsable() async throws {
        try await withUsageClient { client in
            let chunks = AsyncStream<Data> { continuation in
                continuation.yield(Data("a".utf8))
                continuation.finish()
            }
            try await client.put("/note", stream: chunks, length: 1).discard()
            try await client.post("/note").body(.stream { chunks }).discard()
            try await client.patch("/note", data: Data("b".utf8), contentType: "text/plain").discard()
            try await client.request(.query, "/note").body(json: ["a": 1]).discard()
            try await withTaskExecutorPreference(client.executor) {
                _ = try await client.delete("/note").data()
            }
            async let first = client.get("/note").data()
            async let second = client.scoped { $0.headers["X-Other"] = "1" }.get("/note").data()
            #expect(try await first == second)
        }
    }

    @Test func errorsAreUsable() async throws {
        try await withUsageClient { client in
            do {
                _ = try await client.get("/missing").data()
                Issue.record("a status of 404 was taken")
            } catch let error as MartletError {
                #expect(error.code == .unacceptableStatus)
                #expect(error.response?.head.status == .notFound)
            }
        }
    }
}

/// Gives a client of a server that answers `/note`.
private func withUsageClient(_ body: (MartletClient) async throws -> Void) async throws {
    try await TestServer.serving { request in
        request.path == "/note" ? .json(["text": "hi"]) : .notFound
    } run: { server in
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = server.baseURL
        try await MartletClient.withClient(configuration) { try await body($0) }
    }
}
