import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct ReadmeSnippets {
    @Test func firstScreen() async throws {
        let draft = User(name: "Grace")
        let prompt = ["prompt": "Name a bird."]
        let sink = Sink()
        try await Example.run { server in
            let printed = try await Printed.lines {
                // snippet
                let client = MartletClient(baseURL: "\(server.baseURL)")

                let user: User = try await client.get("/users/1").json()
                let made: User = try await client.post("/users", json: draft).json()

                for try await chunk in client.get("/export.csv").chunks { sink.write(chunk) }
                for try await line in client.get("/log").lines { print(line) }
                for try await event in client.post("/v1/chat", json: prompt).events { print(event.data) }
                // end
                #expect([user.name, made.name] == ["Ada", "Grace"])
            }
            #expect(sink.count == Example.export.utf8.count)
            #expect(printed == ["info: started", "error: disk full", "info: stopped", "A martlet."])
        }
    }

    @Test func landingPage() async throws {
        try await Example.run { server in
            let printed = try await Printed.lines {
                // snippet
                let client = MartletClient(baseURL: "\(server.baseURL)")

                let user: User = try await client.get("/users/1").json()
                for try await line in client.get("/log").lines { print(line) }
                // end
                #expect(user.name == "Ada")
            }
            #expect(printed.count == 3)
        }
    }

    @Test func untypedValue() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                let report = try await client.get("/report").json()
                print(report.totals?.pages?.int ?? 0, report["by-country"]?[0]?.name?.string ?? "none")
                // end
            }
            #expect(printed == ["3 Norway"])
        }
    }

    @Test func unacceptableStatus() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                do {
                    let user: User = try await client.get("/users/404").json()
                    print(user)
                } catch let error as MartletError where error.code == .unacceptableStatus {
                    print(error.response?.head.status ?? 0, error)
                }
                // end
            }
            #expect(printed.first?.hasPrefix("404 Not Found The server answered 404 Not Found.") == true)
        }
    }

    @Test func valuesInRequests() async throws {
        let (term, owner) = ("swift", "ada")
        let folder = TemporaryFolder()
        try folder.write("a photo", to: "photo.jpg")
        let photo = folder.url.appending(path: "photo.jpg").path(percentEncoded: false)
        try await TestServer.serving { _ in
            .json("[]")
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let found = try await client.get("/search").query(["q": term, "page": 2, "tags": ["a", "b"]]).json()
            let issues = try await client.get("/repos/{owner}/issues{?page}", ["owner": owner]).json()
            try await client.post("/albums", multipart: ["title": "Holiday", "photo": .file(photo)]).discard()
            // end
            #expect(found == issues)
            #expect(
                server.requests.map(\.target)
                    == ["/search?page=2&q=swift&tags%5B%5D=a&tags%5B%5D=b", "/repos/ada/issues", "/albums"])
        }
    }
}
