// Values in requests, as a server of another make reads them.

import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: RealServers.hasHTTPBin), .timeLimit(.minutes(5)))
struct HTTPBinFormTests {
    @Test func queriesAreRead() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let reply = try await client.get("/get").query(["q": "a b&c+d=ü", "page": 2, "tags": ["x", "y"]]).json()
            #expect(reply.args == ["q": "a b&c+d=ü", "page": "2", "tags[]": ["x", "y"]])
        }
    }

    @Test func formsAreRead() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let reply = try await client.post("/post", form: ["user": "ä + %", "remember": true]).json()
            #expect(reply.form == ["user": "ä + %", "remember": "1"])
        }
    }

    @Test func templatesAreFollowed() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let reply = try await client.get("/anything/{a}/{b}{?c*}", ["a": "x y", "b": "é", "c": ["1", "2"]]).json()
            #expect(reply.args == ["c": ["1", "2"]])
            let url = try #require(reply.url?.string?.removingPercentEncoding)
            #expect(url.hasSuffix("/anything/x y/é?c=1&c=2"), "\(url)")
        }
    }

    @Test(arguments: [true, false]) func formsWithFilesAreRead(_ hasLength: Bool) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.txt")
            try Data("content of a file\r\n".utf8).write(to: file)
            try await RealServers.withClient(RealServers.httpbin) { client in
                let form: MultipartForm = [
                    "title": "Grüße \"x\"", "file": .file(file),
                    "stream": .stream(length: hasLength ? 4 : nil, filename: "s.txt") { GatedChunks(["ab", "cd"]) },
                ]
                let reply = try await client.post("/post", multipart: form).json()
                #expect(reply.form == ["title": "Grüße \"x\""])
                #expect(reply.files == ["file": "content of a file\r\n", "stream": "abcd"])
            }
        }
    }
}
