import Foundation
import Martlet
import MartletTesting
import Testing

private struct Part: Decodable { var text: String }

@Suite struct EventStreamsSnippets {
    @Test func events() async throws {
        try await serving("event: new\ndata: A bird\n\n") { client in
            // snippet
            for try await event in client.get("/news").events {
                print(event.type, event.data)
            }
            // end
        } prints: {
            ["new A bird"]
        }
    }

    @Test func eventsOverManyConnections() async throws {
        try await serving("retry: 1\nid: 7\ndata: A bird\n\n") { client in
            // snippet
            for try await event in client.eventSource("/news") { print(event.data) }
            // end
        } prints: {
            ["A bird"]
        }
    }

    @Test func answersOfAModel() async throws {
        try await serving("data: {\"text\":\"A martlet.\"}\n\ndata: [DONE]\n\n") { client in
            // snippet
            let prompt = ["model": "small", "prompt": "Name a bird."]
            let parts = client.post("/v1/chat", json: prompt).timeout(idle: .seconds(300))
            for try await part in parts.events(decoding: Part.self, until: "[DONE]") {
                print(part.text)
            }
            // end
            // snippet
            for try await part in client.post("/v1/chat", json: prompt).events(decoding: Part.self, until: "[DONE]") {
                print(part.text)
            }
            // end
            // snippet
            for try await event in client.post("/v1/chat", json: prompt).events { print(event.data) }
            // end
        } prints: {
            ["A martlet.", "A martlet.", "{\"text\":\"A martlet.\"}", "[DONE]"]
        }
    }

    @Test func lines() async throws {
        try await serving("{\"name\":\"Ada\"}\n{\"name\":\"Grace\"}\n") { client in
            // snippet
            for try await user in client.get("/users.jsonl").jsonLines(of: User.self) {
                print(user.name)
            }
            // end
        } prints: {
            ["Ada", "Grace"]
        }
    }

    @Test func array() async throws {
        try await serving("[{\"name\":\"Ada\"},{\"name\":\"Grace\"}]") { client in
            // snippet
            for try await user in client.get("/users.json").jsonArray(of: User.self) {
                print(user.name)
            }
            // end
        } prints: {
            ["Ada", "Grace"]
        }
    }

    @Test func frames() async throws {
        let sink = Sink()
        try await serving("\0\0\0\u{2}ab\0\0\0\0") { client in
            // snippet
            let frames = client.get("/frames").frames(.bigEndian(bytes: 4))
            for try await frame in frames { sink.write(frame) }
            // end
        } prints: {
            []
        }
        #expect(sink.count == 2)
    }

    private nonisolated(nonsending) func serving(
        _ body: String, _ code: nonisolated(nonsending) (MartletClient) async throws -> Void,
        prints expected: () -> [String]
    ) async throws {
        try await TestServer.serving { request in
            if request["Last-Event-ID"] != nil { return .status(204) }
            return TestResponse(headers: ["Content-Type": "text/event-stream"], body: .data(Data(body.utf8)))
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines { try await code(client) }
            #expect(printed == expected())
            await client.shutdown()
        }
    }
}
