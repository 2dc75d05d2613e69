import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct ConnectionsAndHTTP2Snippets {
    @Test func metricsSayWhatIsSpoken() async throws {
        try await TestServer.serving { _ in
            .json(User(name: "Ada"))
        } run: { server in
            var configuration = ClientConfiguration()
            configuration.defaults.baseURL = server.baseURL
            configuration.httpVersion = .http2PriorKnowledge
            let client = MartletClient(configuration)
            let printed = try await Printed.lines {
                // snippet
                let response = try await client.get("/users/1").response()
                print(response.metrics.protocolName)  // h2
                print(response.metrics.reusedConnection)
                // end
            }
            #expect(printed == ["h2", "false"])
        }
    }

    @Test func versionIsChosen() async throws {
        // snippet
        var configuration = ClientConfiguration()
        configuration.httpVersion = .http2PriorKnowledge
        let client = MartletClient(configuration)
        // end
        try await TestServer.serving { _ in
            .ok
        } run: { server in
            let response = try await client.get(server.url()).response()
            #expect(response.head.version == .http2)
        }
    }

    @Test func attemptsAreTold() async throws {
        let backup = Data("name,year".utf8)
        let server = try await TestServer.start { connection in
            try await connection.acceptHTTP2()
            while true {
                let stream = try await connection.readHTTP2Request().stream ?? 1
                let isFirst = connection.number == 0
                try await connection.send(
                    isFirst ? .reset(stream, code: 7) : .headers(stream, [":status": "201"], ends: true))
            }
        }
        var configuration = ClientConfiguration()
        configuration.defaults.baseURL = server.baseURL
        configuration.httpVersion = .http2PriorKnowledge
        let client = MartletClient(configuration)
        let printed = try await Printed.lines {
            // snippet
            let response = try await client.put("/backup.csv", data: backup).response()
            for attempt in response.attempts { print(attempt.number, attempt.cause) }
            // end
        }
        #expect(printed.count == 1)
        #expect(printed.first?.hasPrefix("1 ") == true)
        await client.shutdown()
        await server.stop()
    }

    @Test func settingsOfConnections() {
        // snippet
        var configuration = ClientConfiguration()
        configuration.pool.connectionsPerHost = 4
        configuration.pool.maximumAge = .seconds(600)
        configuration.http2.streamsPerConnection = 250
        configuration.http2.keepAliveInterval = .seconds(20)
        let client = MartletClient(configuration)
        // end
        _ = client
    }

    @Test func defaultsAreAsTheArticleSays() {
        let configuration = ClientConfiguration()
        #expect(configuration.httpVersion == .automatic)
        #expect(configuration.pool == PoolLimits(connectionsPerHost: 128, idleLifetime: .seconds(60), maximumAge: nil))
        #expect(configuration.http2.streamsPerConnection == 100)
        #expect(configuration.http2.streamWindow == 1 << 20)
        #expect(configuration.http2.keepAliveInterval == nil)
        #expect(configuration.http2.keepAliveTimeout == .seconds(15))
        #expect(configuration.http2.livenessCheckAfter == .seconds(15))
    }
}
