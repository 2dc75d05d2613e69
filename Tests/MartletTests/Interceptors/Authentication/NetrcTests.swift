// Passwords from a netrc file: what is read, for whom, and from which files.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct NetrcTests {
    private static func entry(_ text: String, _ host: String) throws -> [String]? {
        try Netrc(text).entry(for: Origin.Host(host)).map { [$0.user, $0.password.revealed] }
    }

    @Test(arguments: [
        ("machine a.example login u password p", ["u", "p"]),
        ("machine a.example\n\tlogin u\r\n\tpassword p\n", ["u", "p"]),
        ("machine a.example password p login u account x", ["u", "p"]),
        ("machine a.example password p", ["", "p"]),
        (#"machine a.example login "u v" password "p\"\\\n""#, ["u v", "p\"\\\n"]),
        ("# machine a.example password no\nmachine a.example login u password p#q # end", ["u", "p#q"]),
        ("machine b.example login no password no\nmachine A.EXAMPLE login u password p", ["u", "p"]),
        ("machine a.example login u password p machine a.example login no password no", ["u", "p"]),
        ("macdef init\ncd /x\nmachine a.example password no\n\nmachine a.example login u password p", ["u", "p"]),
        ("machine a.example login u macdef x\nfoo\n\nmachine a.example login u password p", ["u", "p"]),
        ("machine a.example login machine password default", ["machine", "default"]),
    ])
    func isReadAsOthersReadIt(text: String, expected: [String]) throws {
        #expect(try Self.entry(text, "a.example") == expected)
    }

    @Test(arguments: [
        "www.a.example", "example", "a.example.evil.example", "xa.example", "b.example",
    ])
    func hostsMatchExactly(host: String) throws {
        let text = "machine a.example login u password p\ndefault login anonymous password x"
        #expect(try Self.entry(text, host) == nil)
    }

    @Test(arguments: [("machine ::1 password p", "[::1]"), ("machine 10.0.0.1 password p", "10.0.0.1")])
    func addressesAreHostsToo(text: String, host: String) throws {
        #expect(try Self.entry(text, host) == ["", "p"])
    }

    @Test(arguments: ["machine", "login u", "machine a.example user u", "machine a.example login", "canary"])
    func whatHasNoMeaningIsRefused(text: String) async {
        let error = await expectFailure(.fileUnreadable) { try Netrc(text) }
        #expect(error.map { !"\($0)".contains("canary") } == true)
    }

    @Test(arguments: 0..<Soak.count(20, soak: 2_000))
    func randomTextsNeverTrap(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let pieces = [
            "machine", "login", "password", "macdef", "default", " ", "\n", "\"", "\\", "#", "a", "ä", "\r", "\t",
            "\u{0}",
        ]
        for _ in 0..<200 {
            _ = try? Netrc(
                (0..<random.next(below: 32)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined())
        }
    }

    // MARK: Files

    private func withFile(mode: Int, _ text: String, _ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "/martlet-netrc-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        chmod(path, mode_t(mode))
        try await body(path)
    }

    @Test(arguments: [0o600, 0o400, 0o700])
    func aFileOfItsOwnersIsRead(mode: Int) async throws {
        try await withFile(mode: mode, "machine a.example login u password p") { path in
            let transport = MockTransport { _ in .ok }
            let client = MartletClient(transport: transport).authenticated(by: .netrc(try Netrc(file: path)))
            _ = try await client.get("https://a.example/").response()
            _ = try await client.get("https://b.example/").response()
            #expect(transport.requests.map { $0.headers["Authorization"] } == ["Basic dTpw", nil])
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o644])
    func aFileThatOthersCanReadIsNot(mode: Int) async throws {
        try await withFile(mode: mode, "machine a.example password canary") { path in
            let error = await expectFailure(.fileUnreadable) { try Netrc(file: path) }
            #expect(error.map { "\($0)".contains("chmod 600") && !"\($0)".contains("canary") } == true)
        }
    }

    @Test(arguments: ["/nowhere/netrc", "/dev/null", "/"])
    func whatIsNoFileIsNotRead(path: String) async {
        await expectFailure(.fileUnreadable) { try Netrc(file: path) }
    }

    // MARK: Calls

    @Test func aRedirectToAnotherHostOfTheFileGetsNoPassword() async throws {
        let file = try Netrc("machine a.example login u password p\nmachine b.example login u password p")
        let transport = MockTransport(answers: [
            .redirect(to: "https://b.example/"), .redirect(to: "https://a.example/again"), .ok,
        ])
        let client = MartletClient(transport: transport).authenticated(by: .netrc(file))
        _ = try await client.get("https://a.example/").response()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Basic dTpw", nil, nil])
    }

    @Test func plainHTTPIsRefusedForItsHostsAlone() async throws {
        let transport = MockTransport { _ in .ok }
        let client = MartletClient(transport: transport)
            .authenticated(by: .netrc(try Netrc("machine a.example login u password p")))
        await expectFailure(.insecureCredential) { try await client.get("http://a.example/").response() }
        #expect(try await client.get("http://b.example/").response().status == 200)
    }

    @Test func itsPasswordsAreInNoText() throws {
        let file = try Netrc("machine a.example login u password canary")
        var text = "\(file) \(NetrcAuthenticator(file))"
        dump(NetrcAuthenticator(file), to: &text)
        #expect(!text.contains("canary"))
    }
}
