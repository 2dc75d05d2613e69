import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct FirstLineTests {
    struct User: Codable, Equatable { var id: Int; var name: String }

    @Test func getDecodesJSON() async throws {
        try await TestServer.serving { _ in
            .json(#"{"id":1,"name":"Ada"}"#)
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            let user: User = try await client.get("/users/1").json()
            #expect(user == User(id: 1, name: "Ada"))
            await client.shutdown()
        }
    }
}
