// Digest authentication: the examples of RFC 7616, and what an independent computation gives for what it has no example of.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

#if SocketTransport && os(Linux)
@Suite struct DigestTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
    private static let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    private static let realm = "http-auth@example.org"

    private static func challenge(_ rest: String = "", qop: String? = "auth, auth-int") -> String {
        "Digest realm=\"\(realm)\", " + (qop.map { "qop=\"\($0)\", " } ?? "") + rest
            + "nonce=\"\(nonce)\", opaque=\"\(opaque)\""
    }

    private static func authenticator(
        user: String = "Mufasa", password: Secret = "Circle of Life", prefersIntegrity: Bool = false
    ) -> DigestAuthenticator {
        DigestAuthenticator(user: user, password: password, prefersIntegrity: prefersIntegrity) { clientNonce }
    }

    /// What is said to challenges, in the field of the second request.
    private static func answer(
        _ challenges: [String], _ authenticator: DigestAuthenticator = authenticator(),
        path: String = "/dir/index.html",
        body: RequestBody = .empty
    ) async throws -> String? {
        let transport = MockTransport { request in
            var response = MockResponse.status(request.headers.contains("Authorization") ? 200 : 401)
            for challenge in challenges { response = response.header("WWW-Authenticate", challenge) }
            return response
        }
        let client = MartletClient(transport: transport).authenticated(by: authenticator, at: "http://www.example.org")
        let call = client.request(body.isEmpty ? .get : .post, "http://www.example.org\(path)").body(body)
        _ = try await call.response()
        return transport.requests.last?.headers["Authorization"]
    }

    /// RFC 7616, section 3.9.1; the sessions by Python's hashlib.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func theExampleOfTheStandard(algorithm: String, response: String) async throws {
        let field = try await Self.answer([Self.challenge("algorithm=\(algorithm), ")])
        #expect(
            field == "Digest username=\"Mufasa\", realm=\"\(Self.realm)\", nonce=\"\(Self.nonce)\", "
                + "uri=\"/dir/index.html\", algorithm=\(algorithm), response=\"\(response)\", opaque=\"\(Self.opaque)\", "
                + "qop=auth, nc=00000001, cnonce=\"\(Self.clientNonce)\"")
    }

    /// RFC 7616, section 3.9.2, with the name's digest of erratum 4897: the text has SHA-512 cut off where it means
    /// SHA-512/256. The response is computed by Python's hashlib.
    @Test func theExampleWithAHashedName() async throws {
        let challenge = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDssOS", charset=UTF-8, userhash=true
            """
        let authenticator = DigestAuthenticator(
            user: "Jäsøn Doe", password: "Secret, or not?", prefersIntegrity: false
        ) { "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm" }
        let field = try await Self.answer([challenge], authenticator, path: "/doe.json") ?? ""
        #expect(
            field.hasPrefix("Digest username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\", "))
        #expect(field.contains("response=\"7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c\""))
        #expect(field.hasSuffix("userhash=true"))
    }

    @Test func aNameBeyondASCIIIsWrittenAsRFC8187Has() async throws {
        let field = try await Self.answer([Self.challenge()], Self.authenticator(user: "Jäsøn Doe"))
        #expect(field?.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm=") == true)
    }

    @Test func quotesInWhatIsQuotedAreEscaped() async throws {
        let field = try await Self.answer(
            [#"Digest realm="a \"b\" \\c", nonce="n""#], Self.authenticator(user: #"M"u\f"#))
        #expect(field?.hasPrefix(#"Digest username="M\"u\\f", realm="a \"b\" \\c", nonce="n", "#) == true)
    }

    /// RFC 2069: no quality of protection, no counter.
    @Test func aServerOfTheFirstDaysIsAnswered() async throws {
        let field = try await Self.answer([Self.challenge(qop: nil)])
        #expect(field?.contains("response=\"7b2cc3b30e75b4777ea31027084363fd\"") == true)
        #expect(field?.contains("qop") == false && field?.contains("cnonce") == false)
        #expect(field?.contains("algorithm") == false)
    }

    private static let bodies: [(String, RequestBody)] = [
        ("data", .data(Data("body".utf8))),
        (
            "stream",
            .stream {
                AsyncStream {
                    for part in ["bo", "dy"] { $0.yield(Data(part.utf8)) }; $0.finish()
                }
            }
        ),
    ]

    @Test(arguments: ["auth-int", "auth,auth-int"], [0, 1])
    func theBodyIsCovered(qop: String, body: Int) async throws {
        let authenticator = Self.authenticator(prefersIntegrity: qop != "auth-int")
        let field = try await Self.answer([Self.challenge(qop: qop)], authenticator, body: Self.bodies[body].1)
        #expect(field?.contains("qop=auth-int, nc=00000001") == true)
        let expected = try DigestResponse(
            challenge: #require(
                DigestChallenge.strongest(among: AuthenticationChallenge.all(in: Self.challenge(qop: "auth-int")))),
            user: "Mufasa", password: "Circle of Life", method: "POST", target: "/dir/index.html",
            clientNonce: Self.clientNonce, count: 1, bodyHash: "841a2d689ad86bd1611447453c22c6fc"
        ).fieldValue()
        #expect(field == expected)
    }

    @Test func aBodyThatCanBeReadOnceIsNotCovered() async throws {
        let body = RequestBody.oneShot(AsyncStream<Data> { $0.finish() })
        let transport = MockTransport { _ in
            .status(401, headers: ["WWW-Authenticate": Self.challenge(qop: "auth-int")])
        }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        #expect(try await client.post("/").body(body).response().status == 401)
        #expect(transport.requests.count == 1)
    }

    /// Of several challenges, in one field or in several, the strongest is answered; what is not known is passed over.
    @Test(arguments: [
        (["MD5", "SHA-256"], "SHA-256"), (["SHA-256", "MD5"], "SHA-256"),
        (["SHA-256", "SHA-512-256", "MD5"], "SHA-512-256"), (["SHA-256-sess", "SHA-256"], "SHA-256-sess"),
        (["SHA3", "MD5"], "MD5"), (["md5", "sha-256"], "sha-256"),
    ])
    func theStrongestIsAnswered(algorithms: [String], expected: String) async throws {
        let all = algorithms.map { Self.challenge("algorithm=\($0), ") }
        for challenges in [all, [(["Basic realm=x"] + all).joined(separator: ", ")]] {
            let field = try await Self.answer(challenges)
            #expect(field?.contains("algorithm=\(expected), ") == true)
        }
    }

    @Test(arguments: [
        "Basic realm=\"x\"", "Digest realm=\"x\"", "Digest nonce=\"x\"", "Digest realm=x, nonce=y, algorithm=SHA3",
        "Digest realm=x, nonce=y, qop=\"other\"", "Digest realm=x, nonce=y, algorithm=MD5-sess", "Digest", "",
    ])
    func whatCannotBeAnsweredIsTheResponse(challenge: String) async throws {
        let transport = MockTransport { _ in .status(401, headers: ["WWW-Authenticate": challenge]) }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        #expect(try await client.get("/").response().status == 401)
        #expect(transport.requests.count == 1)
    }

    // MARK: Sessions

    @Test func theNonceIsUsedAgainWithACounter() async throws {
        let transport = MockTransport { request in
            request.index == 0 ? .status(401, headers: ["WWW-Authenticate": Self.challenge()]) : .ok
        }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        for _ in 0..<12 { _ = try await client.get("/").response() }
        let counters = transport.requests.map { request -> String in
            let field = request.headers["Authorization"] ?? ""
            return field.firstMatch(of: #/nc=([0-9a-f]{8})/#).map { String($0.1) } ?? "-"
        }
        #expect(counters == ["-"] + (1...12).map { "0000000" + String($0, radix: 16) })
    }

    @Test func aStaleNonceIsReplaced() async throws {
        let transport = MockTransport { request in
            let number = request.headers["Authorization"]?.firstMatch(of: #/nonce="([0-9])"/#).map { String($0.1) }
            switch (request.index, number) {
            case (0, _): return .status(401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=1, qop=auth"])
            case (2, "1"):
                return .status(401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=2, qop=auth, stale=TRUE"])
            case (3, "2"):
                return .status(401, headers: ["WWW-Authenticate": "Digest realm=x, nonce=3, qop=auth, stale=true"])
            default: return .text(number ?? "-")
            }
        }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        #expect(try await client.get("/").string() == "1")
        #expect(try await client.get("/").string() == "3")
        #expect(transport.requests.count == 5)
    }

    @Test func aWrongPasswordIsTriedOnce() async throws {
        let transport = MockTransport { _ in .status(401, headers: ["WWW-Authenticate": Self.challenge()]) }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        let response = try await client.get("/").response()
        #expect(response.status == 401)
        #expect(response.attempts.count == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func callsBesideEachOtherHaveCountersOfTheirOwn() async throws {
        let transport = MockTransport { request in
            request.headers.contains("Authorization")
                ? .ok : .status(401, headers: ["WWW-Authenticate": Self.challenge()])
        }
        let client = MartletClient.mocked(transport).authenticated(by: Self.authenticator())
        _ = try await client.get("/").response()
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { _ = try await client.get("/").response() } }
            try await group.waitForAll()
        }
        let fields = transport.requests.compactMap { $0.headers["Authorization"] }
        #expect(Set(fields).count == fields.count)
    }

    @Test func thePasswordIsInNoTextAndOnNoWire() async throws {
        let authenticator = Self.authenticator(password: "canary")
        let field = try await Self.answer([Self.challenge()], authenticator)
        var text = "\(authenticator)"
        dump(authenticator, to: &text)
        #expect(field?.contains("canary") == false)
        #expect(!text.contains("canary"))
    }
}

@Suite struct HashFunctionTests {
    /// FIPS 180-4's and RFC 1321's examples of `abc`.
    @Test(arguments: [
        (HashFunction.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha512over256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func theDigestsOfTheStandards(function: HashFunction, expected: String) throws {
        #expect(try function.hex("abc") == expected)
        let running = try RunningHash(function)
        for piece in ["a", "", "bc"] { running.update(Data(piece.utf8)) }
        #expect(running.finish().hexadecimal == expected)
    }

    /// RFC 4231, cases 1 and 2, and no key at all.
    @Test(
        arguments: [
            (
                Array(repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ] as [([UInt8], String, String)])
    func theCodesOfTheStandard(key: [UInt8], text: String, expected: String) throws {
        #expect(try HashFunction.sha256.authenticationCode(of: Array(text.utf8), key: key).hexadecimal == expected)
    }
}
#endif
