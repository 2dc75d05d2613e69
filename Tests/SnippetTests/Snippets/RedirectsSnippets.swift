import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct RedirectsSnippets {
    private let moving = MartletClient(
        transport: MockTransport { request in request.path == "/old" ? .redirect(to: "/new") : .text("there") },
        baseURL: "https://api.example.com")

    @Test func ofAClient() {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.redirects = .follow(max: 3)
        let client = MartletClient(configuration)
        // end
        #expect(configuration.defaults.redirects.maximum == 3)
        #expect(ClientConfiguration().defaults.redirects.maximum == 10)
        _ = client
    }

    @Test func ofACall() async throws {
        let client = moving
        let printed = try await Printed.lines {
            // snippet
            let moved = try await client.get("/old").redirects(.never).response()
            print(moved.status, moved.headers.location ?? "nowhere")
            // end
        }
        #expect(printed == ["302 Found /new"])
    }

    @Test func deciding() async throws {
        let client = moving
        // snippet
        let policy = RedirectPolicy.deciding { redirect in
            guard redirect.next.url.path.hasPrefix("/new") else { return nil }
            var next = redirect.next
            next.headers["X-Hop"] = "\(redirect.number)"
            return next
        }
        let page = try await client.get("/old").redirects(policy).response()
        // end
        #expect(page.url.path == "/new")
    }
}
