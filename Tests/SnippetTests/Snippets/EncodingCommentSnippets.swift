import Foundation
import Martlet
import MartletTesting
import Testing

/// What documentation comments of forms, templates and multipart show.
@Suite struct EncodingCommentSnippets {
    /// Plays a server that takes whatever it is sent.
    private func run(_ body: (MartletClient, TestServer) async throws -> Void) async throws {
        try await TestServer.serving { request in
            request.path == "/users" ? .json(try request.json(as: User.self)) : .ok
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await body(client, server)
            await client.shutdown()
        }
    }

    @Test func formEncoder() throws {
        // snippet
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = .repeatedKey
        let text = try encoder.encodeString(["tags": ["a", "b"]])
        // end
        #expect(text == "tags=a&tags=b")
    }

    // snippet
    struct Search: Decodable { var q: String; var tags: [String] }
    // end

    @Test func formDecoder() throws {
        // snippet
        let search = try URLEncodedFormDecoder().decode(Search.self, from: "q=swift&tags[]=a&tags[]=b")
        // end
        #expect(search.tags == ["a", "b"])
    }

    @Test func parameters() async throws {
        try await run { client, server in
            let term = "swift"
            let cursor: String? = nil
            // snippet
            let call = client.get("/search").query(["q": term, "page": 2, "tags": ["a", "b"], "cursor": cursor])
            // end
            try await call.discard()
            #expect(server.requests.first?.target == "/search?page=2&q=swift&tags%5B%5D=a&tags%5B%5D=b")
        }
    }

    @Test func template() throws {
        // snippet
        let template = try URITemplate("/repos/{owner}/{repo}/issues{?page,labels*}")
        let path = try template.expand(["owner": "ada", "repo": "engine", "labels": ["bug", "help"]])
        // end
        #expect(path == "/repos/ada/engine/issues?labels=bug&labels=help")
    }

    @Test func requestEncoders() async throws {
        let draft = User(name: "Ada")
        let settings = ["sound": true]
        try await run { client, server in
            // snippet
            let made: User = try await client.post("/users", body: draft, as: .json).json()
            try await client.put("/settings", body: settings, as: .propertyList).discard()
            // end
            #expect(made.name == "Ada")
            #expect(server.requests.last?["Content-Type"] == "application/x-plist")
        }
    }

    // snippet
    struct LinesEncoder: RequestEncoder {
        func encode(_ value: some Encodable, in context: RequestEncodingContext) throws -> EncodedRequestPart {
            .body(.data(try lines(value), contentType: "application/jsonl"))
        }
    }
    // end

    @Test func encoderOfOnesOwn() async throws {
        try await run { client, server in
            try await client.post("/", body: ["a"], as: LinesEncoder()).discard()
            #expect(server.requests.last?["Content-Type"] == "application/jsonl")
        }
    }

    @Test func form() async throws {
        let folder = TemporaryFolder()
        try folder.write("a photo", to: "beach.jpg")
        let photo = folder.url.appending(path: "beach.jpg").path(percentEncoded: false)
        let bytes = Data([1, 2])
        let year = 2026
        try await run { client, server in
            // snippet
            let form: MultipartForm = [
                "title": "Holiday",
                "year": "\(year)",
                "photo": .file(photo),
                "thumbnail": .data(bytes, filename: "beach-small.jpg", contentType: "image/jpeg"),
            ]
            try await client.post("/albums", multipart: form).discard()
            // end
            #expect(
                server.requests.first?.bodyText.contains("filename=\"beach.jpg\"\r\nContent-Type: image/jpeg") == true)
        }
    }

    @Test func related() async throws {
        let folder = TemporaryFolder()
        try folder.write("a film", to: "film.mp4")
        let film = folder.url.appending(path: "film.mp4").path(percentEncoded: false)
        let metadata = ["title": "Film"]
        try await run { client, server in
            // snippet
            let upload = MultipartBody(.related, [try .json(metadata), .file(film)])
            try await client.post("/upload", multipart: upload).discard()
            // end
            #expect(server.requests.first?["Content-Type"]?.hasPrefix("multipart/related; boundary=martlet-") == true)
        }
    }

    @Test func parts() async throws {
        try await TestServer.serving { _ in
            .data(Data("--B\r\nContent-Type: a/b\r\n\r\nxyz\r\n--B--".utf8), type: "multipart/mixed; boundary=B")
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                for try await part in client.get("/batch").parts {
                    print(part.headers.contentType ?? "untyped", try await part.collect().count)
                }
                // end
            }
            #expect(printed == ["a/b 3"])
            await client.shutdown()
        }
    }
}

private func lines(_ value: some Encodable) throws -> Data { try JSONEncoder().encode(value) }
