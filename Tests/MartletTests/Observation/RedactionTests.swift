// What is hidden and what is shown, by the name that it has.

import Foundation
import Testing

@testable import Martlet

@Suite struct RedactionTests {
    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "apikey", "X-Acme-Token",
        "access_token", "clientSecret", "Password", "PHPSESSID", "X-Amz-Signature", "api.key",
    ]) func namesOfSecretsAreKnown(name: String) {
        #expect(Redaction.standard.headers.contains(name))
        #expect(Redaction.standard.bodyFields.contains(name))
    }

    @Test(arguments: ["Accept", "Content-Type", "X-Request-ID", "max_tokens", "author", "name"])
    func otherNamesAreShown(name: String) { #expect(!Redaction.standard.headers.contains(name)) }

    @Test func namesAreAddedAndTakenOut() {
        var redaction = Redaction.standard
        redaction.headers.hide("X-Session")
        redaction.headers.show("X-Harmless-Token")
        redaction.queryItems.show("page")
        #expect(redaction.headers.contains("x_session"))
        #expect(!redaction.headers.contains("X-Harmless-Token"))
        #expect(redaction.url("https://h/a?page=2&key=s3cret") == "https://h/a?page=2&key=<redacted>")
        #expect(Redaction.Names.only("a").contains("A"))
        #expect(!Redaction.Names.only("a").contains("b"))
    }

    @Test(arguments: [
        ("https://h/a?b=c&d#e", "https://h/a?b=<redacted>&<redacted>#<redacted>"),
        ("/a?b=c", "/a?b=<redacted>"), ("https://u:p@h/a", "https://<redacted>@h/a"),
        ("https://u:p/x@h/a", "https://<redacted>"), ("https://u:p?x@h/a", "https://<redacted>?<redacted>"),
        ("https://h/@scope/a", "https://h/@scope/a"), ("https://h:8080/@scope", "https://h:8080/@scope"),
        ("//u@h", "//<redacted>@h"), ("", ""), ("?", "?"),
    ]) func urlsAreShownWithoutSecrets(_ text: String, _ shown: String) {
        #expect(Redaction.standard.url(text) == shown)
        #expect(Redaction.none.url(text) == text)
    }

    @Test(arguments: [
        (#"{"a": 1, "password": "x"}"#, #"{"a": 1, "password": "<redacted>"}"#),
        (#"{"token":{"a":["}",1]},"b":2}"#, #"{"token":"<redacted>","b":2}"#),
        (#"[{"api_key" : null}, {"apiKey":-1.5e3}]"#, #"[{"api_key" : "<redacted>"}, {"apiKey":"<redacted>"}]"#),
        (#"{"pass\u0077ord":"x","c\"":2}"#, #"{"pass\u0077ord":"<redacted>","c\"":"<redacted>"}"#),
        (#"["password", "x"]"#, #"["password", "x"]"#), (#"{"a":"\"password\":1"}"#, #"{"a":"\"password\":1"}"#),
    ]) func jsonKeepsItsFormButForSecrets(_ text: String, _ shown: String) {
        #expect(Redaction.standard.json(Data(text.utf8)) == shown)
        #expect(Redaction.none.json(Data(text.utf8)) == text)
    }

    @Test func whatIsNoJSONIsNotShown() { #expect(Redaction.standard.json(Data("{\"password\": x".utf8)) == nil) }

    @Test func formsAreShownWithoutSecrets() {
        #expect(Redaction.standard.form("a=1&pass%77ord=x&b") == "a=1&pass%77ord=<redacted>&b")
    }
}
