import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct ParametersAndTemplatesSnippets {
    private struct Filter: Encodable {
        var q: String
        var page: Int?
        var tag: String?
    }

    @Test func queries() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let cursor: String? = nil
            let found = try await client.get("/search")
                .query(["q": "swift", "page": 2, "tags": ["a", "b"], "cursor": cursor])
                .json()
            // end
            #expect(found.items?.array?.count == 2)
            // snippet
            let filter = Filter(q: "swift", page: 2)
            let filtered = try await client.get("/search").query(filter).json()
            // end
            #expect(filtered == found)
            #expect(
                server.requests.map(\.target)
                    == ["/search?page=2&q=swift&tags%5B%5D=a&tags%5B%5D=b", "/search?page=2&q=swift"])
        }
    }

    @Test func forms() async throws {
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            try await client.post("/login", form: ["user": "ada", "remember": true]).discard()
            // end
            #expect(server.requests.first?.bodyText == "remember=1&user=ada")
        }
    }

    @Test func strategiesOfAClient() async throws {
        try await Example.run { server in
            // snippet
            var configuration = ClientConfiguration()
            configuration.defaults.baseURL = "\(server.baseURL)"
            configuration.defaults.formEncoder.arrays = .commaSeparated
            configuration.defaults.formEncoder.keys = .snakeCase
            let client = MartletClient(configuration)

            try await client.get("/search").query(["userIds": [1, 2]]).discard()  // ?user_ids=1,2
            // end
            #expect(server.requests.first?.target == "/search?user_ids=1,2")
        }
    }

    @Test func templates() async throws {
        let draft = User(name: "Ada")
        try await TestServer.serving { _ in
            .json("[]")
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let issues = try await client.get(
                "/repos/{owner}/{repo}/issues{?state,labels*}",
                ["owner": "ada", "repo": "engine", "labels": ["bug", "help"]]
            ).json()
            // end
            #expect(issues == [])
            // snippet
            try await client.put(.template("/users/{id}", ["id": 7]), json: draft).discard()
            // end
            #expect(
                server.requests.map(\.target) == ["/repos/ada/engine/issues?labels=bug&labels=help", "/users/7"])
        }
    }

    /// The table of the article, row by row.
    @Test(arguments: [
        ("{owner}", "a%2Fb"), ("{+owner}", "a/b"), ("{/owner}", "/a%2Fb"), ("{?labels}", "?labels=x,y"),
        ("{?labels*}", "?labels=x&labels=y"), ("{&owner}", "&owner=a%2Fb"),
    ]) func expressions(_ template: String, _ expected: String) throws {
        #expect(try URITemplate(template).expand(["owner": "a/b", "labels": ["x", "y"]]) == expected)
        let article = try Document.text(of: "Docs/Martlet.docc/Articles/ParametersAndTemplates.md")
        #expect(article.contains("| `\(template)` | `\(expected)` |"))
    }
}
