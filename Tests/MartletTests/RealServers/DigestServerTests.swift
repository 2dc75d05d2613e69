// Digest authentication against servers of others: httpbin's, and one of Flask-HTTPAuth, which knows sessions.

import Foundation
import Testing

@testable import Martlet

@Suite(.timeLimit(.minutes(5))) struct DigestServerTests {
    @Test(
        .enabled(if: RealServers.hasHTTPBin), arguments: ["MD5", "SHA-256", "SHA-512"],
        ["auth", "auth-int", "auth,auth-int"])
    func httpbinTakesTheAnswers(algorithm: String, protection: String) async throws {
        try await RealServers.withClient(RealServers.httpbin) { plain in
            let client = plain.authenticated(by: .digest(user: "ada", password: "s3cr3t"))
            // httpbin takes the path without its escapes into account, so that there must be none.
            let path = "/digest-auth/\(protection)/ada/s3cr3t/\(algorithm)"
            for count in 1...2 {
                let response = try await client.get(path).response()
                #expect(response.status == 200, "\(count)")
            }
            let wrong = plain.authenticated(by: .digest(user: "ada", password: "other"))
            #expect(try await wrong.get(path).response().status == 401)
        }
    }

    @Test(.enabled(if: RealServers.hasDigestServer), arguments: ["md5", "md5-sess"])
    func anIndependentServerTakesTheAnswers(algorithm: String) async throws {
        try await RealServers.withClient(RealServers.digest) { plain in
            let client = plain.authenticated(by: .digest(user: "ada", password: "s3cr3t"))
            for count in 1...3 {
                let response = try await client.get("/\(algorithm)?a=1&b=%20c").response()
                #expect(response.status == 200, "\(count)")
                #expect(response.attempts.count == (count == 1 ? 1 : 0))
            }
            let posted = try await client.post("/\(algorithm)").body(data: Data("body".utf8)).string()
            #expect(posted == "hello ada, body")
            let wrong = plain.authenticated(by: .digest(user: "ada", password: "other"))
            #expect(try await wrong.get("/\(algorithm)").response().status == 401)
        }
    }

    /// C181
    @Test(.enabled(if: RealServers.hasHTTPBin), arguments: ["basic-auth", "hidden-basic-auth"])
    func httpbinTakesBasic(path: String) async throws {
        try await RealServers.withClient(RealServers.httpbin) { plain in
            let client = plain.authenticated(by: .basic(user: "ada", password: "s3cr3t"))
            #expect(try await client.get("/\(path)/ada/s3cr3t").response().status == 200)
            let refused = try await client.get("/\(path)/ada/other").response()
            #expect(refused.status == (path == "basic-auth" ? 401 : 404))
            #expect(refused.attempts.isEmpty)
        }
    }

    @Test(.enabled(if: RealServers.hasHTTPBin)) func httpbinTakesABearerToken() async throws {
        try await RealServers.withClient(RealServers.httpbin) { plain in
            let reply = try await plain.authenticated(by: .bearer("abc")).get("/bearer").json()
            #expect(reply["token"] == "abc")
        }
    }
}
