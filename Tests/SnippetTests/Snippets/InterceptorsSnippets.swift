import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct InterceptorsSnippets {
    @Test func closures() async throws {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.interceptors = [
            .adapt { $0.headers["X-Tenant"] = "7" },
            .observe { request, result in print(request, (try? result.get().status) ?? 0) },
        ]
        let client = MartletClient(configuration)
        // end
        try await Example.run { server in
            let printed = try await Printed.lines { _ = try await client.get(server.url("/status")).data() }
            #expect(printed == ["GET \(server.url("/status")) 200 OK"])
            #expect(server.requests.first?["X-Tenant"] == "7")
        }
    }

    @Test func around() async throws {
        try await Example.run { server in
            let mirror = server.url("/users/1")
            let outer = MartletClient(baseURL: server.baseURL)
            func made(_ client: MartletClient) -> MartletClient {
                do {
                    // snippet
                    let client = client.scoped {
                        $0.interceptors.append(
                            .interceptor { request, next in
                                let response = try await next(request)
                                guard response.status == 404 else { return response }
                                var elsewhere = request
                                elsewhere.url = try RequestURL(mirror)
                                return try await next(elsewhere)
                            })
                    }
                    // end
                    return client
                }
            }
            let user: User = try await made(outer).get("/missing").json()
            #expect(user.name == "Ada")
        }
    }

    @Test func signing() async throws {
        @Sendable func signature(of request: Request) -> String { "\(request.method) signed" }
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let report = try await client.get("/report")
                .interceptingAttempts(.adapt { $0.headers["X-Signature"] = signature(of: $0) })
                .data()
            // end
            #expect(!report.isEmpty)
            #expect(server.requests.first?["X-Signature"] == "GET signed")
        }
    }
}
