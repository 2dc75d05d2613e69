import Foundation
import Testing

@testable import Martlet

@Suite struct RequestURLTests {
    @Test(arguments: [
        // Scheme.
        ("http://h", "http://h/"), ("https://h/", "https://h/"), ("HTTP://h/", "http://h/"),
        ("hTTpS://h/x", "https://h/x"),
        // Names.
        ("http://EXAMPLE.com/A", "http://example.com/A"), ("http://example.com./", "http://example.com/"),
        ("http://a_b.example/", "http://a_b.example/"), ("http://-a.example/", "http://-a.example/"),
        ("http://localhost/", "http://localhost/"), ("http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.Example./", "http://xn--bcher-kva.example/"),
        ("https://日本語.jp:8443/x", "https://xn--wgv71a119e.jp:8443/x"), ("http://faß.de/", "http://xn--fa-hia.de/"),
        ("http://1a.example/", "http://1a.example/"), ("http://1.example/", "http://1.example/"),
        ("http://0x7f.example/", "http://0x7f.example/"), ("http://0xg/", "http://0xg/"),
        ("http://1.2.3.4.example/", "http://1.2.3.4.example/"), ("http://a-1/", "http://a-1/"),
        // Addresses.
        ("http://127.0.0.1/", "http://127.0.0.1/"), ("http://0.0.0.0:8080", "http://0.0.0.0:8080/"),
        ("http://255.255.255.255/", "http://255.255.255.255/"), ("http://[::1]/", "http://[::1]/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"), ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
        ("http://[2001:DB8::A]/", "http://[2001:db8::a]/"),
        ("http://[2001:db8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"), ("http://[::]/", "http://[::]/"),
        // Ports.
        ("http://h:80/", "http://h/"), ("https://h:443/x", "https://h/x"), ("http://h:443/", "http://h:443/"),
        ("https://h:80/", "https://h:80/"), ("http://h:1/", "http://h:1/"), ("http://h:65535/", "http://h:65535/"),
        ("http://127.0.0.1:80", "http://127.0.0.1/"),
        // Paths.
        ("http://h/a/b", "http://h/a/b"), ("http://h/a b", "http://h/a%20b"), ("http://h/ä", "http://h/%C3%A4"),
        ("http://h/🐦", "http://h/%F0%9F%90%A6"), ("http://h/%41%2f", "http://h/%41%2f"),
        ("http://h/\"<>^`{|}", "http://h/%22%3C%3E%5E%60%7B%7C%7D"), ("http://h/[1]", "http://h/%5B1%5D"),
        ("http://h/!$&'()*+,;=:@-._~", "http://h/!$&'()*+,;=:@-._~"), ("http://h//a//b", "http://h//a//b"),
        ("http://h/a;p=1/b", "http://h/a;p=1/b"), ("http://h/user@x", "http://h/user@x"),
        // Dot segments.
        ("http://h/.", "http://h/"), ("http://h/./", "http://h/"), ("http://h/..", "http://h/"),
        ("http://h/../../a", "http://h/a"), ("http://h/a/..", "http://h/"), ("http://h/a/./b", "http://h/a/b"),
        ("http://h/a/../b", "http://h/b"), ("http://h/a/b/../../../c", "http://h/c"),
        ("http://h/a/b/.", "http://h/a/b/"),
        ("http://h/a/b/..", "http://h/a/"), ("http://h/.a", "http://h/.a"), ("http://h/..a/...", "http://h/..a/..."),
        ("http://h/%2e%2E/a", "http://h/%2e%2E/a"), ("http://h/a/%2e./b", "http://h/a/%2e./b"),
        ("http://h/.//evil", "http://h//evil"), ("http://h/a//../b", "http://h/a/b"),
        // Query.
        ("http://h?a=1", "http://h/?a=1"), ("http://h/?", "http://h/?"), ("http://h?", "http://h/?"),
        ("http://h/?a=b c", "http://h/?a=b%20c"), ("http://h/?a=/?:@", "http://h/?a=/?:@"),
        ("http://h/?a[]=1", "http://h/?a%5B%5D=1"), ("http://h/?ü=ß", "http://h/?%C3%BC=%C3%9F"),
        ("http://h/?a=\\", "http://h/?a=%5C"), ("http://h/?u=http://user@evil/", "http://h/?u=http://user@evil/"),
        ("http://h/?a=../b", "http://h/?a=../b"), ("http://h/?a=%C3%BC+x", "http://h/?a=%C3%BC+x"),
        // Fragment.
        ("http://h#f", "http://h/#f"), ("http://h/#", "http://h/#"), ("http://h/?a#b?c/d", "http://h/?a#b?c/d"),
        ("http://h/#a#b", "http://h/#a%23b"), ("http://h/# ü", "http://h/#%20%C3%BC"),
    ])
    func isReadAndNormalised(spelling: String, normal: String) throws {
        let url = try RequestURL(spelling)
        #expect(url.description == normal)
        #expect(try RequestURL(normal) == url)
        #expect(url.url.absoluteString == normal)
        #expect(url.origin == (try RequestURL(normal)).origin)
    }

    @Test(arguments: [
        // Not an absolute URL of a scheme we speak.
        "", "h", "/a", "?a", "#a", "//h/a", "users/1", "ftp://h/", "file:///etc/passwd", "data:,x", "unix:/run/x",
        "ws://h/", "http+unix://h/", "javascript:alert(1)", "localhost:8080/", "h:80", "://h/", "1http://h/",
        "httpss://h/", "http//h/", "https", "http", "http:",
        // Not exactly `://`.
        "http:h", "http:/h", "http:///h", "http:////h", "https:/\\h", "http:\\\\h\\", "http ://h/", "http: //h/",
        // White space and control characters.
        " http://h/", "http://h/ ", "\thttp://h/", "http://h/\n", "http://h/\r\nX: y", "http://h/\0", "http://h/\u{1F}",
        "http://h/\u{7F}", "http://h/?a\tb", "http://h/#\n", "ht\ntp://h/", "http://h\r\n/", "http://h\0.example/",
        // Backslash before the query.
        "http://h\\/", "http://h\\@evil/", "http://h/a\\b", "http://good.example\\.evil.example/",
        // User information.
        "http://user@h/", "http://user:password@h/", "http://@h/", "http://user@evil@good/", "http://:@h/",
        "http://good.example:80@evil.example/", "https://a%40b@h/", "http://user@[::1]/",
        // Empty or malformed hosts.
        "http://", "http:///", "http://?a", "http://#a", "http://:80/", "http://.", "http://./", "http://.h/",
        "http://a..b/", "http://h../", "http://a b/", "http://a%2eb/", "http://%68/", "http://*/", "http://a*b/",
        "http://a,b/", "http://a!b/", "http://a|b/", "http://<h>/", "http://a'b/", "http://a~b/", "http://h;x/",
        "http://℀.com/", "http://ü%2e/", "http://ü..de/", "http://\u{200B}.com/", "http://\u{2025}/", "http://ü b/",
        "http://ü|b/",
        // Numeric hosts that are not canonical.
        "http://127.1/", "http://127.0.1/", "http://0x7f.1/", "http://0x7f000001/", "http://0x/", "http://0X7F.0.0.1/",
        "http://2130706433/", "http://0/", "http://0177.0.0.1/", "http://1.2.3.4.5/", "http://256.1.1.1/",
        "http://1.1.1.256/", "http://01.1.1.1/", "http://1.1.1.00/", "http://1.1.1.1./", "http://a.1/", "http://a.0x1/",
        "http://a.0xF./", "http://99999999999999999999/", "http://１２７.0.0.1/", "http://127。0。0。1/",
        // IPv6.
        "http://[]/", "http://[::1/", "http://::1/", "http://[::1]x/", "http://[::1]x:80/", "http://[::g]/",
        "http://[1:2:3]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[127.0.0.1]/",
        "http://[::1]]/", "http://[[::1]]/", "http://[::1.2.3.256]/", "http://[h]/", "http://]/", "http://[v1.x]/",
        // Ports.
        "http://h:/", "http://h:0/", "http://h:65536/", "http://h:99999/", "http://h:+80/", "http://h:-1/",
        "http://h:8o/", "http://h: 80/", "http://h:080/", "http://h:80:90/", "http://h:１/", "http://h:0x50/",
        "http://h:18446744073709551696/", "http://[::1]:/",
        // Escapes.
        "http://h/%", "http://h/%2", "http://h/%zz", "http://h/?%", "http://h/?a=100%", "http://h/#%g1",
        "http://h/%%41",
        "http://h/%ü",
    ])
    func isRefused(spelling: String) {
        #expect { try RequestURL(spelling) } throws: { ($0 as? MartletError)?.code == .invalidURL }
    }

    @Test func partsAreTold() throws {
        let url = try RequestURL("https://Example.com:8443/a/b?x=1&y#f")
        #expect(url.origin == Origin(scheme: .https, host: .name("example.com"), port: 8443))
        #expect(url.path == "/a/b")
        #expect(url.query == "x=1&y")
        #expect(url.fragment == "f")
        #expect(url.target == "/a/b?x=1&y")
        #expect(url.hostField == "example.com:8443")
        try url.withTargetAndHost { target, host in
            #expect(String(decoding: target, as: UTF8.self) == url.target)
            #expect(String(decoding: host, as: UTF8.self) == url.hostField)
        }
    }

    @Test func absentPartsAreNil() throws {
        let url = try RequestURL("http://h")
        #expect(url.path == "/")
        #expect(url.query == nil)
        #expect(url.fragment == nil)
        #expect(url.hostField == "h")
    }

    @Test func loneQuestionMarkKeepsAnEmptyQuery() throws {
        #expect(try RequestURL("http://h/?").query == "")
        #expect(try RequestURL("http://h/?").target == "/?")
        #expect(try RequestURL("http://h/?#").fragment == "")
    }

    @Test(arguments: [
        ("http://127.0.0.1/", Origin.Host.ipv4(0x7F00_0001)), ("http://10.1.2.3/", .ipv4(0x0A01_0203)),
        ("http://[::1]/", .ipv6(1)), ("http://[fe80::2]/", .ipv6(0xFE80 << 112 | 2)),
        ("http://[::ffff:1.2.3.4]/", .ipv6(0xFFFF_0102_0304)), ("http://A.b./", .name("a.b")),
    ])
    func hostHasItsKind(spelling: String, host: Origin.Host) throws {
        #expect(try RequestURL(spelling).origin.host == host)
        #expect(try Origin.Host(host.description) == host)
    }

    @Test func hostLengthsAreBounded() throws {
        let label = String(repeating: "a", count: 63)
        #expect(throws: Never.self) { try RequestURL("http://\(label)/") }
        #expect(throws: MartletError.self) { try RequestURL("http://\(label)a/") }
        let longest = "\(label).\(label).\(label).\(label.dropLast(2))"
        #expect(throws: Never.self) { try RequestURL("http://\(longest)/") }
        #expect(throws: Never.self) { try RequestURL("http://\(longest)./") }
        #expect(throws: MartletError.self) { try RequestURL("http://\(longest)a/") }
    }

    @Test(arguments: [
        "https://canary:canary@h/", "https://h:canary", "https://canary h/", "canary://h/", "https://h/%xcanary",
        "https://h/canary\\", "https://canary%20/",
    ])
    func messagesDoNotQuoteTheText(spelling: String) throws {
        let error = try #require(throws: MartletError.self) { try RequestURL(spelling) }
        #expect(!error.description.contains("canary"))
    }

    @Test func userInformationHasItsOwnMessage() throws {
        let error = try #require(throws: MartletError.self) { try RequestURL("https://a:b@h/") }
        #expect(error.message.contains("user information"))
    }

    @Test(arguments: [
        ("https://h/a?token=secret&x=1", "https://h/a?token=<redacted>&x=<redacted>"),
        ("https://h/a?secret", "https://h/a?<redacted>"),
        ("https://h/a?a=b=c&&d=", "https://h/a?a=<redacted>&&d=<redacted>"),
        ("https://h/a?", "https://h/a?"), ("https://h/a", "https://h/a"),
        ("https://h/#token=x", "https://h/#<redacted>"),
    ])
    func queryValuesAreRedacted(spelling: String, redacted: String) throws {
        #expect(try RequestURL(spelling).redactedDescription == redacted)
    }

    @Test func defaultPortsAreEqual() throws {
        #expect(try RequestURL("HTTPS://H:443") == RequestURL("https://h/"))
        #expect(try RequestURL("http://h:443/") != RequestURL("https://h/"))
        #expect(try RequestURL("https://h:443/").origin.isDefaultPort)
        #expect(try RequestURL("https://h:444/").origin.description == "https://h:444")
        #expect(try Set([RequestURL("http://h"), RequestURL("http://h:80/")]).count == 1)
    }
}
