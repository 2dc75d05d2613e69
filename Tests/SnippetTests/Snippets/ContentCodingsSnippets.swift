import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct ContentCodingsSnippets {
    /// "line\n" a hundred times, in gzip.
    private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA8vJzEvlyhklRhIBAFffNmX0AQAA") ?? Data()

    private func run(_ body: (MartletClient, TestServer) async throws -> Void) async throws {
        try await TestServer.serving { request in
            request["Accept-Encoding"]?.contains("gzip") == true && request.method == "GET"
                ? .data(Self.gzip, headers: ["Content-Encoding": "gzip"]) : .ok
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            try await body(client, server)
            await client.shutdown()
        }
    }

    @Test func bytesOnBothSides() async throws {
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                let response = try await client.get("/report.csv").response()
                let metrics = response.metrics
                print(metrics.bodyBytesReceived, "bytes became", metrics.bodyBytesDecoded)
                // end
            }
            #expect(lines == ["\(Self.gzip.count) bytes became 500"])
        }
    }

    @Test func bytesAsTheyCame() async throws {
        try await run { client, _ in
            let lines = try await Printed.lines {
                // snippet
                let archived = try await client.get("/export.csv").undecoded()
                    .header("Accept-Encoding", "gzip").response()
                print(archived.headers.contentEncoding ?? "not compressed", archived.body.count)
                // end
            }
            #expect(lines == ["gzip \(Self.gzip.count)"])
        }
    }

    @Test func otherLimits() async throws {
        try await run { client, _ in
            // snippet
            let zeros = client.get("/disk.img").options {
                $0.contentDecoding.maximumRatio = nil
                $0.contentDecoding.maximumBytes = 10_000_000_000
            }
            // end
            let data = try await zeros.data()
            #expect(data.count == 500)
        }
    }

    @Test func compressedRequests() async throws {
        let entries = Array(repeating: "started", count: 500)
        let folder = TemporaryFolder()
        try folder.write("a log\n", to: "log.txt")
        let path = folder.url.appending(path: "log.txt").path(percentEncoded: false)
        try await run { client, server in
            // snippet
            try await client.post("/logs", json: entries).compressed().discard()
            try await client.put("/backup", file: path).compressed(.deflate).discard()
            // end
            // snippet
            try await client.post("/logs", file: path).compressed().discard()
            try await client.post("/logs", json: entries).compressed(.deflate).discard()
            // end
            #expect(server.requests.map { $0["Content-Encoding"] } == ["gzip", "deflate", "gzip", "deflate"])
        }
    }
}
