// Codings made by nginx and by Python's libraries: none of our own code is on the other side.

#if Zlib
import Foundation
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct ContentCodingServerTests {
    private static let text = Data((1...20_000).map { "Line \($0) of a text that nginx compresses.\n" }.joined().utf8)

    @Test(.enabled(if: RealServers.hasNginx)) func whatNginxCompressesComesBack() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            for _ in 0..<3 {
                let response = try await client.get("/gzip/text").response()
                #expect(response.body == Self.text)
                #expect(response.headers.contentEncoding == nil)
                #expect(response.headers["ETag"]?.hasPrefix("W/") == true)
                #expect(response.metrics.contentCodings == [.gzip])
                #expect(response.metrics.bodyBytesReceived < Self.text.count / 4)
            }
            let again = try await client.get("/gzip/text").response()
            #expect(again.metrics.reusedConnection)
        }
    }

    @Test(.enabled(if: RealServers.hasNginx)) func whatNginxCompressesIsReadLineByLine() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            var count = 0
            for try await _ in client.get("/gzip/text").lines { count += 1 }
            #expect(count == 20_000)
        }
    }

    @Test(.enabled(if: RealServers.hasNginx)) func nginxCompressesNothingForThoseWhoAskForNothing() async throws {
        try await RealServers.withClient(RealServers.nginx) { client in
            let plain = try await client.get("/gzip/text").undecoded().response()
            #expect(plain.headers.contentLength == Self.text.count)
            #expect(plain.body == Self.text)
            let coded = try await client.get("/gzip/text").header("Accept-Encoding", "gzip").response()
            #expect(coded.headers.contentEncoding == "gzip")
            #expect(try Coded.decode([coded.body], [.gzip]) == Self.text)
            let part = try await client.get("/gzip/text").header("Range", "bytes=100-199").response()
            #expect(part.status == .partialContent)
            #expect(part.body == Self.text[100..<200])
        }
    }

    private static let httpbin: [(path: String, member: String)] = {
        var paths = [("gzip", "gzipped"), ("deflate", "deflated")]
        #if Brotli
        paths.append(("brotli", "brotli"))
        #endif
        return paths
    }()

    @Test(.enabled(if: RealServers.hasHTTPBin), arguments: httpbin)
    func whatPythonCompressesComesBack(_ path: String, _ member: String) async throws {
        try await RealServers.withClient(RealServers.httpbin) { client in
            let value = try await client.get("/\(path)").json()
            #expect(value[member] == true)
            #expect(value.headers?["Accept-Encoding"]?.string == ContentCoding.acceptList)
        }
    }
}
#endif
