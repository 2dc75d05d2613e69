// A secret is in no text that anything makes of it.

import Foundation
import Testing

@testable import Martlet

@Suite struct SecretTests {
    private struct Settings: Decodable {
        var token: Secret
        var other = "visible"
        enum CodingKeys: CodingKey { case token }
    }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func isRedactedInEveryText() {
        let secret = Secret("canary")
        let settings = Settings(token: secret)
        let texts = [
            "\(secret)", secret.description, secret.debugDescription, String(reflecting: secret),
            String(describing: secret), "\(settings)", String(reflecting: settings), Self.dumped(secret),
            Self.dumped(settings), Self.dumped([secret]), "\([secret])", "\(["a": secret])",
            "\(Optional(secret) as Any)",
            "\(Mirror(reflecting: secret).children.map { $0 })",
            Self.dumped(Result<Secret, MartletError>.success(secret)),
        ]
        for text in texts { #expect(!text.contains("canary"), "\(text)") }
        #expect("\(secret)" == "<redacted>")
        #expect("\(settings)".contains("visible"))
    }

    @Test func isDecodedAndNotEncoded() throws {
        let settings = try JSONDecoder().decode(Settings.self, from: Data(#"{"token": "canary"}"#.utf8))
        #expect(settings.token.revealed == "canary")
        #expect(!((settings.token as Any) is any Encodable))
    }

    @Test func isEqualByItsText() {
        #expect(Secret("a") == "a")
        #expect(Secret("a") != "b")
        #expect(Secret("a") != "aa")
        #expect(Set([Secret("a"), "a", "b"]).count == 2)
        #expect(Secret("").isEmpty)
    }

    @Test(arguments: [
        BasicAuthenticator.basic(user: "ada", password: "canary") as any Authenticator,
        BearerAuthenticator.bearer("canary"), APIKeyAuthenticator.apiKey("canary"),
        APIKeyAuthenticator.apiKey("canary", query: "key"),
        RefreshingAuthenticator(token: AccessToken("canary", refreshToken: "canary")) { _ in "canary".token },
    ])
    func isInNoTextOfAnAuthenticator(authenticator: any Authenticator) {
        let client = MartletClient(baseURL: "https://api.example.com").authenticated(by: authenticator)
        let encoded = Data("ada:canary".utf8).base64EncodedString()
        for text in ["\(authenticator)", Self.dumped(authenticator), "\(client.get("/"))"] {
            #expect(!text.contains("canary") && !text.contains(encoded), "\(text)")
        }
        for value in [client as Any, client.get("/")] {
            let text = Self.dumped(value)
            #expect(!text.contains("canary") && !text.contains(encoded))
        }
    }
}

extension String {
    /// A token of this text.
    var token: AccessToken { AccessToken(Secret(self)) }
}
