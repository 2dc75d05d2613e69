import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: RealServers.hasHTTPBin), .timeLimit(.minutes(5)))
struct HTTPBinTests {
    struct Echo: Decodable {
        var args: [String: String]
        var headers: [String: String]
    }

    @Test func queryAndFieldsArrive() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let echo: Echo = try await client.get("/get?a=1").query("b c", "d+e&ü").header("X-Test", "yes").json()
            #expect(echo.args == ["a": "1", "b c": "d+e&ü"])
            #expect(echo.headers["X-Test"] == "yes")
            #expect(echo.headers["User-Agent"] == "Martlet/\(MartletClient.version)")
            #expect(echo.headers["Accept"] == "application/json")
        }
    }

    @Test(arguments: ["post", "put", "patch"])
    func jsonIsSentAndComesBack(verb: String) async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let value: JSONValue = ["name": "Ada", "tags": ["a", "ü"], "big": 9_007_199_254_740_993, "none": nil]
            let reply = try await client.request(HTTPMethod(rawValue: verb.uppercased()), "/\(verb)")
                .body(json: value).json()
            #expect(reply["json"] == value)
            #expect(reply.headers?["Content-Type"] == "application/json")
        }
    }

    @Test func deleteIsSent() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let reply = try await client.delete("/delete?x=1").json()
            #expect(reply.args?.x == "1")
        }
    }

    @Test func bytesOfKnownLengthAreSent() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let text = String(repeating: "0123456789", count: 10_000)
            let reply = try await client.post("/post", data: Data(text.utf8), contentType: "text/plain").json()
            #expect(reply.data?.string == text)
            #expect(reply.headers?["Content-Length"] == "100000")
        }
    }

    @Test func streamIsSentInChunks() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let chunks = AsyncStream<Data> { continuation in
                for text in ["one,", "", "two,", "three"] { continuation.yield(Data(text.utf8)) }
                continuation.finish()
            }
            let reply = try await client.post("/post", stream: chunks, contentType: "text/plain").json()
            #expect(reply.data == "one,two,three")
            #expect(reply.headers?["Transfer-Encoding"] == "chunked")
        }
    }

    @Test func fileIsSent() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID()).txt")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await RealServers.withClient(RealServers.httpbin) { client in
            let path = file.path(percentEncoded: false)
            let reply = try await client.put("/put", file: path, contentType: "text/plain").json()
            #expect(reply.data == "from a file")
            #expect(reply.headers?["Content-Length"] == "11")
        }
    }

    @Test func linesOfAChunkedBodyAreRead() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            var numbers: [Int?] = []
            for try await line in client.get("/stream/20").lines {
                numbers.append(try JSONValue(parsing: Data(line.utf8)).id?.int)
            }
            #expect(numbers == Array(0..<20))
        }
    }

    @Test func bytesAreRead() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            var count = 0
            for try await _ in client.get("/stream-bytes/5000?chunk_size=700").bytes { count += 1 }
            #expect(count == 5000)
        }
    }

    @Test(arguments: [200, 204, 404, 418, 500, 503])
    func statusIsTold(code: Int) async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let response = try await client.get("/status/\(code)").response()
            #expect(response.status.code == code)
        }
    }

    @Test func textComesInItsCharset() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let text = try await client.get("/encoding/utf8").string()
            #expect(text.contains("∮ E⋅da = Q"))
        }
    }

    @Test func redirectsAreFollowed() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let response = try await client.get("/redirect/3").response()
            #expect(response.status == .ok)
            #expect(response.url.path == "/get")
            #expect(response.redirects.count == 3)
        }
    }

    @Test func redirectComesBackAsItIsWhereNoneIsFollowed() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let response = try await client.get("/redirect/1").redirects(.never).response()
            #expect(response.status == .found)
            #expect(response.headers.location == "/get")
        }
    }

    @Test func repeatedFieldsAreKeptApart() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let response = try await client.get("/cookies/set?a=1&b=2").redirects(.never).response()
            #expect(response.headers.values(for: "set-cookie").count == 2)
        }
    }

    @Test func silentServerMeetsTheDeadline() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let error = try await #require(throws: MartletError.self) {
                try await client.get("/delay/2").timeout(.milliseconds(500)).data()
            }
            #expect(error.code == .deadlineExceeded)
            #expect(error.phase == .waiting)
            #expect(error.mayHaveReachedServer)
        }
    }

    @Test func silentServerMeetsTheIdleTimeout() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let error = try await #require(throws: MartletError.self) {
                try await client.get("/delay/2").timeout(idle: .milliseconds(500)).data()
            }
            #expect(error.code == .idleTimeout)
        }
    }

    @Test func drippingBodyStaysBelowTheIdleTimeout() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let data = try await client.get("/drip?duration=2&numbytes=20&delay=0").timeout(idle: .seconds(1)).data()
            #expect(data.count == 20)
        }
    }

    @Test func wrongTypeIsAnErrorWithItsPlace() async throws {
        struct Wrong: Decodable {
            var headers: [String: Int]
        }
        try await RealServers.withClient(RealServers.httpbin) { client in
            let error = try await #require(throws: MartletError.self) {
                try await client.get("/get").json(as: Wrong.self)
            }
            #expect(error.code == .decodingFailed)
            #expect(error.message.contains("headers."))
            #expect(error.response?.bodyPrefix.isEmpty == false)
        }
    }

    @Test func manyCallsAtOnceEachGetTheirOwn() async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<60 {
                    group.addTask {
                        try await client.get("/anything/\(index)").json().url?.string?.hasSuffix("/\(index)") == true
                    }
                }
                for try await isOwn in group { #expect(isOwn) }
            }
        }
    }
}
