// Values in requests from this target: that this compiles without a warning is the test.

import Foundation
import Martlet
import MartletTesting
import Testing

struct NonisolatedFilter: Encodable {
    var q = "swift"
    var page: Int?
}

@Suite struct NonisolatedValuesUsage {
    /// Gives a client of a server that answers with what it was asked for.
    private func withEcho(_ body: (MartletClient) async throws -> Void) async throws {
        try await TestServer.serving { request in
            .text("\(request.target) \(request.bodyText)")
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await body(client)
            await client.shutdown()
        }
    }

    @Test func queriesFormsAndTemplatesAreUsable() async throws {
        try await withEcho { client in
            let term = "a b"
            let page: Int? = nil
            var text = try await client.get("/s").query(["q": term, "page": page, "tags": ["a", "b"], "n": nil])
                .string()
            #expect(text == "/s?q=a%20b&tags%5B%5D=a&tags%5B%5D=b ")
            text = try await client.get("/s").query(NonisolatedFilter(page: 2)).string()
            #expect(text == "/s?page=2&q=swift ")
            text = try await client.post("/s", form: NonisolatedFilter()).string()
            #expect(text == "/s q=swift")
            text = try await client.post("/s").parameters(["a": 1, "b": "x"]).string()
            #expect(text == "/s a=1&b=x")
            text = try await client.get("/u/{id}{?q}", ["id": 7, "q": term]).string()
            #expect(text == "/u/7?q=a%20b ")
            text = try await client.put("/u", body: NonisolatedFilter(), as: .json).string()
            #expect(text == #"/u {"q":"swift"}"#)
            text = try await client.patch("/u", json: ["q": term]).string()
            #expect(text == #"/u {"q":"a b"}"#)
        }
    }

    @Test func multipartIsUsableBothWays() async throws {
        try await withEcho { client in
            let notes = AsyncStream<Data> { continuation in
                continuation.yield(Data("sun".utf8))
                continuation.finish()
            }
            var form: MultipartForm = ["title": "Holiday", "notes": .stream(filename: "n.txt") { notes }]
            form.append("filter", try .json(NonisolatedFilter()))
            let text = try await client.post("/s", multipart: form).string()
            #expect(text.contains("\r\n\r\nHoliday\r\n") && text.contains("\r\n\r\nsun\r\n"))
        }
        try await TestServer.serving { _ in
            .data(Data("--B\r\n\r\none\r\n--B--".utf8), type: "multipart/mixed; boundary=B")
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            for try await part in client.get("/").parts {
                for try await chunk in part.body { #expect(chunk == Data("one".utf8)) }
            }
            for try await part in try await client.get("/").stream().parts() {
                let text = try await part.text()
                #expect(text == "one")
            }
            await client.shutdown()
        }
    }
}
