import Foundation
import Martlet
import MartletTesting
import Testing

/// What documentation comments of the policies show.
@Suite struct PolicyCommentSnippets {
    // snippet
    struct Stamp: Interceptor {
        nonisolated(nonsending) func intercept(
            _ request: Request, _ next: Next
        ) async throws -> Response<ResponseBody> {
            var request = request
            request.headers["X-Stamp"] = "1"
            return try await next(request)
        }
    }
    // end

    @Test func interceptor() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            _ = try await client.get("/status").intercepting(Stamp()).data()
            #expect(server.requests.first?["X-Stamp"] == "1")
        }
    }

    @Test func callLayer() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let report = try await client.get("/report")
                .intercepting(.adapt { $0.headers["X-Trace"] = "7" })
                .data()
            // end
            #expect(!report.isEmpty)
            #expect(server.requests.first?["X-Trace"] == "7")
        }
    }

    @Test func redirects() async throws {
        let transport = MockTransport { _ in .redirect(to: "/new") }
        let outer = MartletClient(transport: transport, baseURL: "https://api.example.com")
        try await check(outer)

        func check(_ outer: MartletClient) async throws {
            let client = outer
            do {
                // snippet
                let client = client.scoped { $0.redirects = .sameOrigin }
                let response = try await client.get("/old").redirects(.never).response()
                // end
                #expect(response.status == 302)
            }
        }
    }

    @Test func retry() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let user: User = try await client.get("/users/1").retry(.idempotent).json()
            // end
            #expect(user.name == "Ada")
        }
    }
}
