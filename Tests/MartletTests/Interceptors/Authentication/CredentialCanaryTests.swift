// Row 57 of the hostile peers, for credentials: a canary in every place where one may be configured reaches its own server, and neither
// another one nor any text.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite("Rows 33, 57: credentials", .timeLimit(.minutes(5))) struct CredentialCanaryTests {
    private static let canary = "canary0secret"

    struct Place: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether the secret itself is on the wire to its own server.
        var isSent = true
        let apply: @Sendable (MartletClient) throws -> MartletClient
        var testDescription: String { name }

        init(_ name: String, isSent: Bool = true, _ apply: @escaping @Sendable (MartletClient) throws -> MartletClient)
        {
            self.name = name
            self.isSent = isSent
            self.apply = apply
        }
    }

    private static let places: [Place] = [
        Place("basic") { $0.authenticated(by: .basic(user: "ada", password: Secret(canary))) },
        Place("bearer") { $0.authenticated(by: .bearer(Secret(canary))) },
        Place("key in a field") { $0.authenticated(by: .apiKey(Secret(canary), header: "X-Odd")) },
        Place("key in the query") { $0.authenticated(by: .apiKey(Secret(canary), query: "key")) },
        Place("digest", isSent: false) { $0.authenticated(by: .digest(user: "ada", password: Secret(canary))) },
        Place("refreshed token") { $0.authenticated(by: RefreshingAuthenticator(token: nil) { _ in canary.token }) },
        Place("netrc") {
            $0.authenticated(by: .netrc(try Netrc("machine 127.0.0.1 login ada password \(canary)")))
        },
        Place("signature", isSent: false) { client in
            let key = AWSCredentials(accessKeyID: "ID", secretAccessKey: Secret(canary))
            return client.scoped { $0.attemptInterceptors = [SigV4Signer(key, region: "r", service: "s3")] }
        },
        Place("token of a signature") { client in
            let key = AWSCredentials(accessKeyID: "ID", secretAccessKey: "k", sessionToken: Secret(canary))
            return client.scoped { $0.attemptInterceptors = [SigV4Signer(key, region: "r", service: "s3")] }
        },
    ]

    private static let forms = [canary, Data("ada:\(canary)".utf8).base64EncodedString()]

    private static func holds(_ text: String) -> Bool { forms.contains { text.contains($0) } }

    private static func text(_ requests: [RecordedRequest]) -> String {
        requests.map { $0.headText + String(decoding: $0.rawBody, as: UTF8.self) }.joined(separator: "\n")
    }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return "\(value)\n\(String(reflecting: value))\n\(text)"
    }

    @Test(arguments: places)
    func reachesItsServerAndNobodyElse(place: Place) async throws {
        let other = try await TestServer.serve { _ in .text("there") }
        let away = other.url("/there")
        let peer = Peer.answers { request in
            switch request.path {
            case "/away": .text("", status: 302, headers: ["Location": away])
            case "/refused":
                .text("no", status: 401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=y, qop=auth"])
            default: .text("here")
            }
        }
        try await withPeer(peer) { plain, server in
            let client = try place.apply(plain)
            let response = try await client.get("/away").response()
            #expect(response.status == 200)
            #expect(other.requests.count == 1)
            #expect(!Self.holds(Self.text(other.requests)))
            #expect(Self.holds(Self.text(server.requests)) == place.isSent)

            let refused = await expectFailure(.unacceptableStatus) { try await client.get("/refused").data() }
            let unread = await expectFailure(.decodingFailed) { try await client.get("/here").json(as: Int.self) }
            let call = client.get("/here")
            for value in [
                refused as Any, unread as Any, client, call, try call.makeRequest(), response.head, response.url,
                response.redirects, response.attempts,
            ] {
                #expect(!Self.holds(Self.dumped(value)), "\(type(of: value))")
            }
        }
        await other.stop()
    }
}
#endif
