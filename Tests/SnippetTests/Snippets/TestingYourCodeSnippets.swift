import Foundation
import Martlet
import MartletTesting
import Testing

/// The code under test of the article.
private func greeting(for id: Int, _ client: MartletClient) async throws -> String {
    let user: User = try await client.get("/users/\(id)").json()
    return "Hello, \(user.name)!"
}

@Suite struct TestingYourCodeSnippets {
    @Test func answersFromAClosure() async throws {
        // snippet
        let transport = MockTransport { request in
            request.path == "/users/1" ? .json(User(name: "Ada")) : .status(404)
        }
        let client = MartletClient(transport: transport, baseURL: "https://api.example.com")

        let name = try await greeting(for: 1, client)
        #expect(name == "Hello, Ada!")
        #expect(transport.requests.map(\.path) == ["/users/1"])
        // end
    }

    @Test func answersFromAList() async throws {
        // snippet
        let transport = MockTransport(answers: [
            .failure(MartletError(.connectionRefused, "Nobody listens.")),
            .text("half of it").failing(after: 4),
            .json(User(name: "Ada")),
        ])
        // end
        let client = MartletClient(transport: transport, baseURL: "https://api.example.com")
        for code in [MartletError.Code.connectionRefused, .bodyTruncated] {
            let error = await #expect(throws: MartletError.self) { try await client.get("/users/1").data() }
            #expect(error?.code == code)
        }
        #expect(try await greeting(for: 1, client) == "Hello, Ada!")
    }

    @Test func serverThatAnswers() async throws {
        // snippet
        try await TestServer.serving { request in
            request.path == "/users/1" ? .json(User(name: "Ada")) : .notFound
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            let name = try await greeting(for: 1, client)
            #expect(name == "Hello, Ada!")
            #expect(server.requests.first?["Accept"] == "application/json")
        }
        // end
    }

    @Test func serverThatMisbehaves() async throws {
        // snippet
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
        try await TestServer.withServer(scripts: [
            [.readRequest, .send(head + "half"), .reset],
            [.readRequest, .respond(.text("the whole"))],
        ]) { server in
            let client = MartletClient(baseURL: server.baseURL)
            await #expect(throws: MartletError.self) { try await client.get("/").data() }
            let second = try await client.get("/").string()
            #expect(second == "the whole")
        }
        // end
    }

    @Test func signalOrdersBothSides() async throws {
        // snippet
        let arrived = TestSignal()
        let script: [TestStep] = [.readHead, .signal(arrived), .stall]
        try await TestServer.withServer(script: script) { server in
            let call = Task { try await MartletClient().get(server.url("/")).data() }
            try await arrived.wait(timeout: .seconds(10))
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await server.waitUntilAllClosed()
        }
        // end
    }

    @Test func clockStandsStill() async throws {
        // snippet
        let clock = TestClock()
        let late = MockResponse.text("late").delayed(by: .seconds(60))
        let client = MartletClient(transport: MockTransport(clock: clock, answers: [late]))
        async let text = client.get("https://api.example.com/").string()
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        #expect(try await text == "late")
        // end
    }

    #if SocketTransport && os(Linux)
    @Test func certificateWithAFault() async throws {
        // snippet
        var options = TestServer.Options()
        options.tls = try .testCertificate(fault: .expired)
        try await TestServer.serving(options) { _ in
            .ok
        } run: { server in
            var configuration = ClientConfiguration()
            let authority = server.certificateAuthority?.pem ?? ""
            configuration.tls.roots = .only(pem: Data(authority.utf8))
            let client = MartletClient(configuration)
            do {
                _ = try await client.get(server.url("/", host: "localhost")).data()
                Issue.record("an expired certificate was taken")
            } catch let error as MartletError {
                #expect(error.code == .certificateExpired)
            }
        }
        // end
    }
    #endif
}
