import Foundation
import Martlet
import MartletTesting
import Testing

@Suite struct AuthenticationSnippets {
    @Test func ofAClient() async throws {
        try await Example.run { server in
            do {
                // snippet
                let client = MartletClient(baseURL: "\(server.baseURL)")
                    .authenticated(by: .bearer("s3cr3t"))
                let user: User = try await client.get("/users/1").json()
                // end
                #expect(user.name == "Ada")
            }
            do {
                // snippet
                let client = MartletClient(baseURL: "\(server.baseURL)")
                    .authenticated(by: .bearer("s3cr3t"))
                // end
                _ = try await client.get("/status").data()
            }
            do {
                // snippet
                let client = MartletClient(baseURL: "\(server.baseURL)")
                    .authenticated(by: .basic(user: "ada", password: "s3cr3t"))
                // end
                _ = try await client.get("/status").data()
            }
            #expect(
                server.requests.map { $0["Authorization"] } == [
                    "Bearer s3cr3t", "Bearer s3cr3t", "Basic YWRhOnMzY3IzdA==",
                ])
        }
    }

    @Test func ofACall() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL)
            do {
                // snippet
                let report = try await client.get("/report")
                    .authenticated(by: .basic(user: "ada", password: "s3cr3t"))
                    .data()
                // end
                #expect(!report.isEmpty)
            }
            do {
                // snippet
                let report = try await client.get("/report").authenticated(by: .bearer("s3cr3t")).data()
                // end
                #expect(!report.isEmpty)
            }
            #expect(server.requests.map { $0["Authorization"] } == ["Basic YWRhOnMzY3IzdA==", "Bearer s3cr3t"])
        }
    }

    @Test func severalOrigins() async throws {
        try await Example.run { server in
            // snippet
            let client = MartletClient()
                .authenticated(by: .bearer("s3cr3t"), at: "\(server.baseURL)")
                .authenticated(by: .apiKey("k3y"), at: "https://maps.example.com")
            // end
            _ = try await client.get(server.url("/status")).data()
            #expect(server.requests.map { $0["Authorization"] } == ["Bearer s3cr3t"])
            #expect(server.requests.first?["X-Api-Key"] == nil)
        }
    }

    private struct Token: Codable, Sendable {
        var value: String
        var seconds: Int
    }

    @Test func refreshing() async throws {
        try await TestServer.serving { request in
            switch (request.path, request["Authorization"]) {
            case ("/token", _): try .json(JSONEncoder().encode(Token(value: "t", seconds: 60)).text)
            case (_, "Bearer t"): .text("in")
            default: .text("refused", status: 401)
            }
        } run: { server in
            let client = MartletClient(baseURL: server.baseURL)
            let login = ["user": "ada"]
            // snippet
            let tokens = RefreshingAuthenticator(token: nil) { old in
                let made: Token = try await client.post("/token", json: login).json()
                return AccessToken(Secret(made.value), lifetime: .seconds(made.seconds))
            }
            let session = client.authenticated(by: tokens)
            // end
            let text = try await session.get("/").string()
            #expect(text == "in")
        }
    }

    @Test func oauth2() async throws {
        let client = MartletClient(
            transport: MockTransport { request in
                request.path == "/token"
                    ? .json(#"{"access_token": "t", "token_type": "Bearer"}"#)
                    : .text(request.headers["Authorization"] ?? "none")
            }, baseURL: "https://reports.example.com")
        // snippet
        let login = OAuth2(
            tokenURL: "https://login.example.com/token", clientID: "app",
            clientSecret: "s3cr3t", scopes: ["reports"])
        let reports = client.authenticated(by: .oauth2(login, through: client))
        // end
        #expect(try await reports.get("/").string() == "Bearer t")
    }

    @Test func signing() async throws {
        // snippet
        let key = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "s3cr3t")
        let signer = SigV4Signer(key, region: "eu-central-1", service: "s3")
        let bucket = MartletClient(baseURL: "https://bucket.s3.eu-central-1.amazonaws.com")
            .scoped { $0.attemptInterceptors.append(signer) }
        // end
        _ = bucket.get("/")
        #expect(try await signer.presigned("https://a.example/").query?.contains("X-Amz-Signature=") == true)
    }

    @Test func netrc() async throws {
        let path = NSTemporaryDirectory() + "/martlet-snippet-\(UUID().uuidString)"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data("machine a.example password p".utf8),
                attributes: [.posixPermissions: 0o600]))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try Netrc(file: path)
        #expect("\(file)" == "Netrc(1 hosts)")
        // What it reads is of the machine's own.
        func shown() throws -> MartletClient {
            // snippet
            let client = MartletClient().authenticated(by: .netrc(try Netrc()))
            // end
            return client
        }
        _ = try? shown()
    }

    // snippet
    struct Stamped: Authenticator {
        let key: Secret

        nonisolated(nonsending) func prepare(_ request: inout Request) async throws {
            request.headers["X-Stamp"] = key.revealed
        }
    }
    // end

    @Test func ofOnesOwn() async throws {
        try await Example.run { server in
            let client = MartletClient(baseURL: server.baseURL).authenticated(by: Stamped(key: "k"))
            _ = try await client.get("/status").data()
            #expect(server.requests.first?["X-Stamp"] == "k")
        }
    }

    @Test func secrets() async throws {
        let lines = await Printed.lines {
            // snippet
            let token: Secret = "s3cr3t"
            print(token)  // <redacted>
            // end
        }
        #expect(lines == ["<redacted>"])
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
