import Foundation
import Martlet
import MartletTesting
import Testing

/// What the articles about decoding and validation show, and the documentation comments of what they are about.
@Suite struct DecodingSnippets {
    struct Settings: Codable { var sound: Bool }
    struct Token: Decodable { var token: String }
    struct Feed: Decodable { var items: [Int]; var next: String? }
    struct WrongVersion: Error {}

    /// Plays a server with a little of everything.
    private func run(_ body: (MartletClient, TestServer) async throws -> Void) async throws {
        try await TestServer.serving { request in
            switch request.path {
            case "/users/1", "/guarded": .json(#"{"name": "Ada"}"#)
            case "/users/2": .status(404)
            case "/settings":
                .data(try PropertyListEncoder().encode(Settings(sound: true)), type: "application/x-plist")
            case "/token": .text("token=t")
            case "/users":
                request.query == nil
                    ? .json(#"[{"name": "Ada"}]"#, headers: ["Link": "</users?page=2>; rel=next"])
                    : .json(#"[{"name": "Grace"}]"#)
            case "/feed":
                .json(request.query == nil ? #"{"items": [1], "next": "a"}"# : #"{"items": [2]}"#)
            case "/items": .json(request.query == "page=3" ? "[]" : "[1]")
            case "/draft": .status(204)
            case "/jobs": .json("{}", status: 202)
            case "/feed.xml":
                .data(
                    Data("<rss><channel><title>Birds</title><item><link>/1</link></item></channel></rss>".utf8),
                    type: "application/xml")
            case "/rows": .data(Data("a,b\n1,2\n".utf8), type: "text/csv")
            case "/config": .json("{}", headers: ["X-Version": "2"])
            case "/export":
                .data(
                    Data(), type: "text/csv",
                    headers: [
                        "Content-Disposition": "attachment; filename=\"../a.csv\"",
                        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                    ])
            case "/orders":
                .data(
                    Data(#"{"type": "/problems/no-credit", "title": "No", "balance": 30, "reason": "poor"}"#.utf8),
                    type: "application/problem+json", status: 403)
            default: .text("text")
            }
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await body(client, server)
            await client.shutdown()
        }
    }

    @Test func terminals() async throws {
        try await run { client, _ in
            // snippet
            let user: User = try await client.get("/users/1").json()
            let text = try await client.get("/motd").string()
            let bytes = try await client.get("/logo.png").data()
            // end
            #expect(user.name == "Ada" && text == "text" && bytes.count == 4)
        }
    }

    @Test func formats() async throws {
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                let settings = try await client.get("/settings").serialized(by: .propertyList(Settings.self))
                let token = try await client.post("/token").serialized(by: .form(Token.self))
                let page = try await client.get("/old").serialized(by: .string(encoding: .isoLatin1))
                let response = try await client.get("/users/1").serializedResponse(by: .json(User.self))
                print(response.headers.etag ?? "none", response.body.name)
                // end
                #expect(settings.sound && token.token == "t" && page == "text")
            }
            #expect(lines == ["none Ada"])
        }
    }

    @Test func combinations() async throws {
        try await run { client, _ in
            // snippet
            let name = try await client.get("/users/1").serialized(by: .json(User.self).map(\.name))
            let guarded = try await client.get("/guarded")
                .serialized(by: .json(User.self).preprocessed(by: .droppingXSSIPrefix))
            let either = try await client.get("/users/1").serialized(by: .first(.json(User.self), .form(User.self)))
            // end
            #expect(name == "Ada" && guarded.name == "Ada" && either.name == "Ada")
        }
    }

    @Test func emptyBodies() async throws {
        try await run { client, _ in
            // snippet
            let draft: User? = try await client.get("/draft").json()
            // end
            #expect(draft == nil)
        }
        // snippet
        struct Changes: Decodable, EmptyBodyRepresentable {
            static var emptyBody: Changes { Changes(ids: []) }
            var ids: [Int]
        }
        // end
        #expect(Changes.emptyBody.ids == [])
    }

    @Test func pages() async throws {
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                for try await page in client.get("/users").pages(of: [User].self) {
                    for user in page.body { print(user.name) }
                }
                // end
                // snippet
                for try await page in client.get("/users").pages(by: .json([User].self)) {
                    for user in page.body { print(user.name) }
                }
                // end
                // snippet
                for try await page in client.get("/feed").pages(of: Feed.self, next: .cursor("after") { $0.body.next })
                {
                    print(page.body.items)
                }
                for try await page in client.get("/items").pages(of: [Int].self, next: .counter("page")) {
                    print(page.body)
                }
                // end
            }
            #expect(lines == ["Ada", "Grace", "Ada", "Grace", "[1]", "[2]", "[1]", "[1]", "[]"])
        }
    }

    @Test func fields() async throws {
        try await run { client, _ in
            // snippet
            let export = try await client.get("/export").response()
            let name = export.headers.disposition?.safeFilename ?? "export.bin"
            let changed = export.headers.date(for: "Last-Modified")
            // end
            #expect(name == "a.csv" && changed?.secondsSince1970 == 784_111_777)
        }
        // snippet
        let type = MediaType("application/vnd.api+json; charset=utf-8")
        let isJSON = type?.matches("application/json")
        // end
        #expect(isJSON == true)
    }

    @Test func checks() async throws {
        try await run { client, _ in
            // snippet
            let made = try await client.post("/jobs").accepting(.only(.accepted)).json()
            let rows = try await client.get("/rows").accepting(contentTypes: ["text/csv"]).string()
            let fresh = try await client.get("/config").validating { head in
                guard head.headers["X-Version"] == "2" else { throw WrongVersion() }
            }.json()
            // end
            #expect(made == [:] && fresh == [:] && rows.count == 8)
        }
    }

    @Test func problems() async throws {
        let order = ["item": "lamp"]
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                do {
                    try await client.post("/orders", json: order).discard()
                } catch let error as MartletError where error.problem?.type == "/problems/no-credit" {
                    print("Balance:", error.problem?.extensions["balance"]?.int ?? 0)
                }
                // end
                // snippet
                do {
                    try await client.post("/orders", json: order).discard()
                } catch let error as MartletError {
                    if let problem = error.problem {
                        print(problem.title ?? "", problem.extensions["balance"]?.int ?? 0)
                    }
                }
                // end
            }
            #expect(lines == ["Balance: 30", "No 30"])
        }
    }

    @Test func errorsOfOnesOwn() async throws {
        let order = ["item": "lamp"]
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                struct Refusal: Decodable, Error { var reason: String }

                let shop = client.scoped { $0.decodeErrors(as: Refusal.self) }
                do {
                    try await shop.post("/orders", json: order).discard()
                } catch let error as MartletError {
                    if let refusal = error.underlying as? Refusal { print(refusal.reason) }
                }
                // end
                // snippet
                struct Failure: Decodable, Error { var reason: String }

                do {
                    try await client.post("/orders", json: order).errors(as: Failure.self).discard()
                } catch let error as MartletError {
                    if let failure = error.underlying as? Failure { print(failure.reason) }
                }
                // end
            }
            #expect(lines == ["poor", "poor"])
        }
    }

    @Test func serializers() async throws {
        try await run { client, _ in
            // snippet
            let user = try await client.get("/users/1").serialized(by: .json(User.self))
            let note = try await client.get("/note").serialized(by: .string(encoding: .utf16))
            let maybe = try await client.get("/draft").serialized(by: .optional(.json(User.self)))
            // end
            #expect(user.name == "Ada" && note.count == 2 && maybe == nil)
            let rows = try await client.get("/rows").serialized(by: CSVSerializer())
            #expect(rows == [["a", "b"], ["1", "2"]])
        }
    }

    @Test func documents() async throws {
        try await run { client, _ in
            // snippet
            let feed = try await client.get("/feed.xml").serialized(by: .xml)
            let title = feed["channel"]?["title"]?.text
            let links = feed["channel"]?.elements("item").compactMap { $0["link"]?.text }
            // end
            #expect(title == "Birds" && links == ["/1"])
        }
    }

    // snippet
    struct CSVSerializer: ResponseSerializer {
        var accept: String { "text/csv" }

        func serialize(_ response: Response<Data>, in context: SerializationContext) throws -> [[Substring]] {
            String(decoding: response.body, as: UTF8.self)
                .split(whereSeparator: \.isNewline).map { $0.split(separator: ",") }
        }
    }
    // end

    @Test func anyStatus() async throws {
        try await run { client, _ in
            // snippet
            let user = try await client.get("/users/1").serialized(by: .json(User.self))
            // end
            #expect(user.name == "Ada")
        }
        try await run { client, _ in
            // snippet
            let response = try await client.get("/users/1").response()
            let user = response.status == .notFound ? nil : try response.serialized(by: .json(User.self))
            // end
            #expect(user?.name == "Ada")
        }
    }
}
