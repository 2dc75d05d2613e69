import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct MakingRequestsSnippets {
    @Test func callIsKeptAndSentAgain() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let report = client.get("/report").query("year", 2026).header("Accept-Language", "de")
            let first = try await report.json()
            let second = try await report.timeout(.seconds(2)).json()
            // end
            #expect(first == second)
            #expect(server.requests.map(\.target) == ["/report?year=2026", "/report?year=2026"])
        }
    }

    @Test func pathOfTheBaseIsADirectory() async throws {
        try await Example.run { server in
            // snippet
            let client = MartletClient(baseURL: "\(server.baseURL)/v1")
            let user: User = try await client.get("users/1").json()
            let status = try await client.get("/status").string()
            // end
            #expect(user.name == "Ada")
            #expect(status == "fine")
            #expect(server.requests.map(\.target) == ["/v1/users/1", "/status"])
            for elsewhere in ["//elsewhere.example", "https://elsewhere.example"] {
                let error = await #expect(throws: MartletError.self) { try await client.get(elsewhere).data() }
                #expect(error?.code == .invalidURL)
            }
        }
    }

    @Test func queryIsEncoded() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let found = try await client.get("/search").query(["q": "blue & white", "page": 2]).json()
            // end
            #expect(found.items?.array?.count == 2)
            #expect(server.requests.map(\.target) == ["/search?page=2&q=blue%20%26%20white"])
        }
    }

    @Test func clientAndScopedClient() async throws {
        let token = "secret"
        try await Example.run { server in
            // snippet
            var configuration = ClientConfiguration()
            configuration.defaults.baseURL = "\(server.baseURL)"
            configuration.defaults.headers["Accept-Language"] = "de"
            let client = MartletClient(configuration)

            let admin = client.scoped { $0.headers.set(.bearer(token)) }
            try await admin.delete("/users/7").discard()
            // end
            #expect(server.requests.first?["Authorization"] == "Bearer secret")
            #expect(server.requests.first?["Accept-Language"] == "de")
        }
    }

    @Test func fieldsThatFrameAreNotTheCallers() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            for call in [
                client.get("/").header("Transfer-Encoding", "chunked"), client.get("/").header("Content-Length", "3"),
                client.get("/").header("X-Broken", "a\r\nb"),
            ] {
                let error = await #expect(throws: MartletError.self) { try await call.data() }
                #expect(error?.code == .invalidRequest)
            }
        }
    }

    @Test func bodies() async throws {
        let draft = User(name: "Grace")
        let name = Data("Ada".utf8)
        let folder = TemporaryFolder()
        try folder.write("a photo", to: "photo.jpg")
        let photo = folder.url.appending(path: "photo.jpg").path(percentEncoded: false)
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let made: User = try await client.post("/users", json: draft).json()
            try await client.put("/users/1/photo", file: photo, contentType: "image/jpeg").discard()
            try await client.put("/users/1/name", data: name, contentType: "text/plain").discard()
            try await client.delete("/users").body(json: ["ids": [3, 4]]).discard()
            // end
            #expect(made.name == "Grace")
            #expect(
                server.requests.map(\.bodyText)
                    == [#"{"name":"Grace"}"#, "a photo", "Ada", #"{"ids":[3,4]}"#])
            #expect(
                server.requests.map { $0["Content-Type"] }
                    == ["application/json", "image/jpeg", "text/plain", "application/json"])
        }
    }

    @Test func otherStatuses() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                let response = try await client.get("/users/404").response()
                if response.status == .notFound { print("no such user") }

                let text = try await client.get("/users/404").accepting(.only(.ok, .notFound)).string()
                // end
                #expect(text == "no GET /users/404 here")
            }
            #expect(printed == ["no such user"])
        }
    }

    @Test func untypedValues() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                let page = try await client.get("/search").query("q", "swift").json()
                let title = page.items?[0]?.title?.string
                for item in page.items?.array ?? [] { print(item["title"]?.string ?? "untitled") }
                // end
                #expect(title == "Swift")
            }
            #expect(printed == ["Swift", "Martlet"])
        }
    }

    @Test func errors() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                do {
                    let user: User = try await client.get("/users/404").json()
                    print(user.name)
                } catch let error as MartletError where error.code == .unacceptableStatus {
                    print(error.response?.head.status ?? 0, error.response?.bodyPrefix.count ?? 0)
                } catch let error as MartletError where !error.mayHaveReachedServer {
                    print("nothing was done; trying again is safe: \(error)")
                }
                // end
            }
            #expect(printed == ["404 Not Found 22"])
        }
    }

    #if SocketTransport && os(Linux)
    @Test func authorityIsAdded() async throws {
        var options = TestServer.Options()
        options.tls = try .testCertificate()
        try await TestServer.serving(options) { _ in
            .ok
        } run: { server in
            let authorityFile = try #require(try server.certificateAuthority?.writePEM())
            defer { try? FileManager.default.removeItem(atPath: authorityFile) }
            // snippet
            var configuration = ClientConfiguration()
            configuration.tls = try .adding(rootsFile: authorityFile)
            let client = MartletClient(configuration)
            // end
            try await client.get(server.url("/", host: "localhost")).discard()
        }
    }
    #endif
}
