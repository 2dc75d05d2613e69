import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct TimeoutsAndCancellationSnippets {
    @Test func timeoutsOfACall() async throws {
        let sink = Sink()
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let user: User = try await client.get("/users/1").timeout(.seconds(2)).json()
            let export = client.get("/export.csv").timeout(connect: .seconds(1), idle: .seconds(20))
            for try await chunk in export.chunks { sink.write(chunk) }
            // end
            #expect(user.name == "Ada")
            #expect(sink.count == Example.export.utf8.count)
        }
    }

    @Test func timeoutsOfAClient() async throws {
        // snippet
        var configuration = ClientConfiguration()
        configuration.defaults.options.timeouts.connect = .seconds(2)
        configuration.defaults.options.timeouts.total = .seconds(30)
        let client = MartletClient(configuration)
        // end
        let request = try client.get("https://api.example.com/").makeRequest()
        #expect(request.options.timeouts == Timeouts(connect: .seconds(2), total: .seconds(30)))
    }

    @Test func defaultsAreAsTheTableSays() {
        #expect(Timeouts() == Timeouts(connect: .seconds(10), idle: .seconds(60), total: nil))
        #expect(RequestOptions().timeouts == Timeouts())
    }

    @Test func errorSaysWhichLimitItWas() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                do {
                    _ = try await client.get("/slow").timeout(.milliseconds(50)).data()
                } catch let error as MartletError where error.code == .deadlineExceeded {
                    print(error.phase?.description ?? "", error.mayHaveReachedServer)
                }
                // end
            }
            #expect(printed.count == 1)
        }
    }

    @Test func cancelledTask() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                let task = Task { try await client.get("/slow").data() }
                task.cancel()
                do {
                    _ = try await task.value
                } catch is CancellationError {
                    print("given up, and nothing of it is left")
                }
                // end
            }
            #expect(printed == ["given up, and nothing of it is left"])
        }
    }

    @Test func fastestOfSeveral() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let mirrors = ["/slow", "/status"]
            // snippet
            let fastest = try await withThrowingTaskGroup(of: String.self) { group in
                for mirror in mirrors {
                    group.addTask { try await client.get(mirror).string() }
                }
                defer { group.cancelAll() }
                return try await group.next()
            }
            // end
            #expect(fastest == "fine")
        }
    }
}
