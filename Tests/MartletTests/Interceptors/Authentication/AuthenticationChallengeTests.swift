// `WWW-Authenticate`, with all that makes its reading hard: several challenges in one field, tokens, quoted commas.

import Foundation
import Testing

@testable import Martlet

@Suite struct AuthenticationChallengeTests {
    private static func read(_ values: String...) -> [String] {
        let headers = HTTPHeaders(values.map { HTTPHeaders.Field("WWW-Authenticate", $0) })
        return AuthenticationChallenge.all(in: headers).map(\.description)
    }

    @Test(arguments: [
        (#"Basic realm="a, b""#, ["basic realm=\"a, b\""]),
        ("Basic", ["basic"]), ("Negotiate, NTLM", ["negotiate", "ntlm"]),
        ("Negotiate dGVzdA==", ["negotiate dGVzdA=="]), ("Negotiate a/b+c.d~e_f-g=", ["negotiate a/b+c.d~e_f-g="]),
        (
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            [#"newauth realm=apps, type=1, title="Login to \"apps\"""#, "basic realm=simple"]
        ),
        (#"Negotiate abc=, Basic realm=x"#, ["negotiate abc=", "basic realm=x"]),
        (
            #"Digest realm = "x" , nonce= "n",qop="auth,auth-int", Basic"#,
            [#"digest realm=x, nonce=n, qop="auth,auth-int""#, "basic"]
        ),
        (",, , Basic realm=x,, ,Bearer", ["basic realm=x", "bearer"]),
        ("Bearer error=invalid_token", ["bearer error=invalid_token"]),
        ("BASIC REALM=x", ["basic realm=x"]), ("Scheme a=b,c=d,Other e=f", ["scheme a=b, c=d", "other e=f"]),
        (#"Basic realm="open"#, ["basic realm=open"]), (#"Basic realm="a\"#, ["basic realm=a"]),
        ("", []), (",", []), ("=", []), ("\"Basic\"", []), ("Basic=x", []), ("Basic\u{1}", []),
    ])
    func isReadAsItIsWritten(value: String, expected: [String]) {
        #expect(Self.read(value) == expected)
    }

    @Test func fieldsFollowEachOther() {
        #expect(Self.read("Basic realm=a, Bearer", "Digest nonce=1") == ["basic realm=a", "bearer", "digest nonce=1"])
    }

    @Test func parametersAreFoundWhateverTheirCase() {
        let challenge = AuthenticationChallenge.all(in: #"Digest Realm="a", NONCE="b""#).first
        #expect(challenge?.realm == "a")
        #expect(challenge?["Nonce"] == "b")
        #expect(challenge?["opaque"] == nil)
        #expect(challenge?.token == nil)
    }

    /// What is written is read as the same again.
    @Test(arguments: 0..<Soak.count(20, soak: 2_000))
    func randomBytesNeverTrap(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let pieces = [
            ",", "=", "\"", "\\", " ", "\t", "Basic", "Digest ", "realm=", "a", "a=b", "==", "dGVzdA==", "/", ";",
            "\u{0}",
            "ä", "\u{7F}", ", ", "nonce=\"x\"", "%",
        ]
        for _ in 0..<200 {
            let text = (0..<random.next(below: 24)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let bytes = (0..<random.next(below: 64)).map { _ in UInt8.random(in: 0...255, using: &random) }
            for value in [text, String(decoding: bytes, as: UTF8.self), latin1(bytes)] {
                for challenge in AuthenticationChallenge.all(in: value) {
                    #expect(HTTPSyntax.isToken(challenge.scheme))
                    #expect(
                        AuthenticationChallenge.all(in: challenge.description) == [challenge],
                        "\(value.debugDescription)")
                }
            }
        }
    }

    @Test(arguments: [",", "a ", "a=b,", "\"", "a=\"", "=", "Basic a=b,", " ", "a,"])
    func readingTakesTimeInProportion(_ piece: String) {
        func time(_ count: Int) -> Duration {
            let text = "Basic " + String(repeating: piece, count: count)
            return ContinuousClock().measure { _ = AuthenticationChallenge.all(in: text) }
        }
        let short = min(time(2_000), time(2_000))
        let long = min(time(8_000), time(8_000))
        #expect(long < max(short * 12, .milliseconds(250)), "\(short) and \(long)")
    }
}
