import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct UploadsAndFormsSnippets {
    @Test func bodies() async throws {
        let draft = User(name: "Ada")
        let settings = ["sound": true]
        let folder = TemporaryFolder()
        try folder.write("a photo", to: "photo.jpg")
        let photo = folder.url.appending(path: "photo.jpg").path(percentEncoded: false)
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            try await client.post("/users", json: draft).discard()
            try await client.post("/login", form: ["user": "ada", "remember": true]).discard()
            try await client.post("/notes", text: "Buy milk").discard()
            try await client.put("/settings", body: settings, as: .propertyList).discard()
            try await client.put("/users/1/photo", file: photo).discard()
            // end
            #expect(
                server.requests.map { $0["Content-Type"] } == [
                    "application/json", "application/x-www-form-urlencoded; charset=utf-8", "text/plain; charset=utf-8",
                    "application/x-plist", "image/jpeg",
                ])
        }
    }

    @Test func formsWithFiles() async throws {
        let folder = TemporaryFolder()
        try folder.write("a photo", to: "photo.jpg")
        let photo = folder.url.appending(path: "photo.jpg").path(percentEncoded: false)
        let bytes = Data("small".utf8)
        let notes = AsyncStream<Data> { continuation in
            continuation.yield(Data("sun".utf8))
            continuation.finish()
        }
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let form: MultipartForm = [
                "title": "Holiday",
                "photo": .file(photo),
                "thumbnail": .data(bytes, filename: "small.jpg", contentType: "image/jpeg"),
                "notes": .stream(filename: "notes.txt") { notes },
            ]
            try await client.post("/albums", multipart: form).discard()
            // end
            let request = try #require(server.requests.first)
            #expect(request["Transfer-Encoding"] == "chunked")
            for text in ["\"title\"\r\n\r\nHoliday\r\n", "\r\n\r\na photo\r\n", "\r\n\r\nsmall\r\n", "\r\n\r\nsun\r\n"]
            {
                #expect(request.bodyText.contains(text))
            }
        }
    }
}
