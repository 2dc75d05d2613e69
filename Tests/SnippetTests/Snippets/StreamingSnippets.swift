import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct StreamingSnippets {
    @Test func callIsASequence() async throws {
        let sink = Sink()
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                for try await chunk in client.get("/export.csv").chunks { sink.write(chunk) }
                for try await line in client.get("/log").lines { print(line) }
                // end
            }
            #expect(sink.count == Example.export.utf8.count)
            #expect(printed.count == 3)
        }
    }

    @Test func headComesFirst() async throws {
        let sink = Sink()
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                let response = try await client.get("/export.csv").stream()
                guard response.headers.contentType == "text/csv" else { return }

                for try await chunk in response.body { sink.write(chunk) }
                let metrics = response.body.metrics
                print(metrics?.bodyBytesReceived ?? 0, "bytes in", metrics?.total ?? .zero)
                // end
            }
            #expect(sink.count == Example.export.utf8.count)
            #expect(printed.first?.hasPrefix("\(sink.count) bytes in ") == true)
        }
    }

    @Test func loopIsLeftEarly() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            let printed = try await Printed.lines {
                // snippet
                for try await line in client.get("/log").lines where line.hasPrefix("error") {
                    print(line)
                    break
                }
                // end
            }
            #expect(printed == ["error: disk full"])
        }
    }

    @Test func sequenceIsSent() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let rows = AsyncStream<Data> { continuation in
                for row in 1...3 { continuation.yield(Data("\(row)\n".utf8)) }
                continuation.finish()
            }
            try await client.post("/import", stream: rows, contentType: "text/csv").discard()
            // end
            #expect(server.requests.map(\.bodyText) == ["1\n2\n3\n"])
            #expect(server.requests.first?["Transfer-Encoding"] == "chunked")
        }
    }

    @Test func factoryMakesAFreshSequence() async throws {
        @Sendable func openRows() async throws -> AsyncStream<Data> {
            AsyncStream { continuation in
                continuation.yield(Data("row\n".utf8))
                continuation.finish()
            }
        }
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let body = RequestBody.stream(contentType: "text/csv") { try await openRows() }
            try await client.post("/import").body(body).discard()
            // end
            try await client.post("/import").body(body).discard()
            #expect(server.requests.map(\.bodyText) == ["row\n", "row\n"])
        }
    }

    @Test func oneServersBodyGoesToAnother() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            // snippet
            let source = try await client.get("/export.csv").stream()
            let length = source.headers.contentLength
            try await client.put("/backup.csv", stream: source.body, length: length).discard()
            // end
            #expect(server.requests.last?.bodyText == Example.export)
            #expect(server.requests.last?["Content-Length"] == "\(Example.export.utf8.count)")
        }
    }
}
