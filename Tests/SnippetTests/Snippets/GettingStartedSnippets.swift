import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct GettingStartedSnippets {
    private func firstProgram(_ server: TestServer) async -> [String] {
        await Printed.lines {
            // snippet
            struct User: Decodable {
                var name: String
                var languages: [String]
            }

            let client = MartletClient(baseURL: "\(server.baseURL)")
            do {
                let user: User = try await client.get("/user.json").json()
                print("\(user.name) speaks \(user.languages.joined(separator: " and "))")
            } catch {
                print(error)
            }
            // end
        }
    }

    @Test func firstProgramSaysWhatItWasSent() async throws {
        try await Example.run { server in
            let printed = await firstProgram(server)
            #expect(printed == ["Ada speaks English and French"])
        }
    }

    @Test func firstProgramWithoutItsServer() async throws {
        var options = TestServer.Options()
        options.listens = false
        try await TestServer.serving(options) { _ in
            .ok
        } run: { server in
            let printed = await firstProgram(server)
            let expected = [
                "Nothing listens at http://127.0.0.1:8000 (127.0.0.1:8000: Connection refused).",
                "Is the server running, and the port right? [GET http://127.0.0.1:8000/user.json]",
            ]
            #expect(printed.map { $0.replacing(":\(server.port)", with: ":8000") } == [expected.joined(separator: " ")])
        }
    }

    @Test func clientIsShutDown() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await client.get("/status").discard()
            // snippet
            await client.shutdown(drain: .seconds(5))
            // end
            await #expect(throws: MartletError.self) { try await client.get("/status").discard() }
        }
    }

    @Test func clientOfOneFunction() async throws {
        try await Example.run { server in
            // snippet
            let users = try await MartletClient.withClient { client in
                try await client.get("\(server.baseURL)/users").json(as: [User].self)
            }
            // end
            #expect(users.map(\.name) == ["Ada", "Grace"])
        }
    }
}
