import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct RequestURLResolvingTests {
    @Test(arguments: [
        ("http://example.com/v1", "foo", "http://example.com/v1/foo"),
        ("http://example.com/v1/", "foo", "http://example.com/v1/foo"),
        ("http://example.com/v1", "/foo", "http://example.com/foo"),
        ("http://example.com/v1", "foo/", "http://example.com/v1/foo/"),
        ("http://example.com/v1", "", "http://example.com/v1"),
        ("http://example.com/v1?key=1", "", "http://example.com/v1?key=1"),
        ("http://example.com/v1?key=1", "foo", "http://example.com/v1/foo"),
        ("http://example.com/v1?key=1", "?q=1", "http://example.com/v1?q=1"),
        ("http://example.com/v1?key=1#f", "#g", "http://example.com/v1?key=1#g"),
        ("http://example.com/v1#f", "foo", "http://example.com/v1/foo"),
        ("http://example.com/v1", "../foo", "http://example.com/foo"),
        ("http://example.com/v1", "../../../foo", "http://example.com/foo"),
        ("http://example.com/v1", "./a/./b", "http://example.com/v1/a/b"),
        ("http://example.com/v1", "a b?c d", "http://example.com/v1/a%20b?c%20d"),
        ("http://example.com/v1", "/a/../b?x#y", "http://example.com/b?x#y"),
        ("http://example.com/v1", "/.//evil.example/", "http://example.com//evil.example/"),
        ("https://example.com", "users/1", "https://example.com/users/1"),
        ("https://example.com", "/users/1", "https://example.com/users/1"),
        ("https://example.com", "/users/1?a=b#c", "https://example.com/users/1?a=b#c"),
        ("https://example.com:8443", "/x", "https://example.com:8443/x"),
        ("https://[::1]:8443/a", "/x", "https://[::1]:8443/x"),
        ("https://example.com/v1", "a/b:c", "https://example.com/v1/a/b:c"),
        ("https://example.com/v1", "./b:c", "https://example.com/v1/b:c"),
        ("https://example.com/v1", "https://EXAMPLE.com:443/x", "https://example.com/x"),
        ("https://example.com/v1", "//example.com/x", "https://example.com/x"),
    ])
    func referenceIsJoinedOntoTheBase(base: String, reference: String, result: String) throws {
        let url = try RequestURL(base).resolving(reference)
        #expect(url.description == result)
        let read = try RequestURL(result)
        #expect(url.path == read.path)
        #expect(url.query == read.query)
        #expect(url.fragment == read.fragment)
        #expect(url.origin == read.origin)
    }

    // C214: AFNetworking lets an absolute URL replace the base. Martlet differs on purpose: one of another origin is refused, unless the
    // client allows it.
    @Test(
        arguments: [
            ("foo", "http://example.com/v1/foo"), ("/foo", "http://example.com/foo"),
            ("foo/", "http://example.com/v1/foo/"),
            ("http://example2.com/", nil),
        ] as [(String, String?)])
    func theBaseOfAClientIsAFolder(_ reference: String, _ url: String?) throws {
        for base in ["http://example.com/v1", "http://example.com/v1/"] {
            let client = MartletClient(transport: MockTransport { _ in .ok }, baseURL: base)
            if let url {
                #expect(try client.get(reference).makeRequest().url.description == url)
            } else {
                #expect(throws: MartletError.self) { try client.get(reference).makeRequest() }
                let open = client.scoped { $0.allowsOtherOrigins = true }
                #expect(try open.get(reference).makeRequest().url.description == reference)
            }
        }
    }

    @Test(arguments: [
        "//evil.example/", "//evil.example", "https://evil.example/", "http://example.com/", "https://example.com:444/",
        "https://www.example.com/", "//example.com:444/", "HTTPS://EVIL.example/", "//evil.example:443/",
    ])
    func otherOriginIsRefusedUnlessAllowed(reference: String) throws {
        let base = try RequestURL("https://example.com/v1")
        let error = try #require(throws: MartletError.self) { try base.resolving(reference) }
        #expect(error.code == .invalidURL)
        #expect(error.message.contains("https://example.com"))
        #expect(throws: Never.self) { try base.resolving(reference, allowingOtherOrigin: true) }
    }

    @Test(arguments: [
        "\\\\evil.example", "/\\evil.example", "\\/evil.example", "///evil.example", "//", "//@evil.example", "a\nb",
        " a",
        "a ", "/a\r\nX: y", "file:///etc/passwd", "javascript:x", "https:a", "https:/a", "a:b", "/%", "a%2", "?%",
        "//user@example.com/", "https:\\\\evil.example",
    ])
    func ambiguousReferenceIsRefusedInAnyCase(reference: String) throws {
        let base = try RequestURL("https://example.com/v1")
        let error = try #require(throws: MartletError.self) {
            try base.resolving(reference, allowingOtherOrigin: true)
        }
        #expect(error.code == .invalidURL)
    }

    /// The normal and abnormal examples of RFC 3986 section 5.4, without those of other schemes.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func locationIsResolvedByTheRules(reference: String, result: String) throws {
        #expect(try RequestURL("http://a/b/c/d;p?q").resolvingLocation(reference).description == result)
    }

    @Test func relativeReferenceWithoutABaseSaysSo() throws {
        let error = try #require(throws: MartletError.self) {
            try "/users/1".requestURL(relativeTo: nil, allowingOtherOrigin: false)
        }
        #expect(error.code == .invalidURL)
        #expect(error.message.contains("base URL"))
    }

    @Test func foundationValuesAreReadByTheSameRules() throws {
        let base = try RequestURL("https://example.com/v1")
        let relative = try #require(URL(string: "users/1?a=b"))
        #expect(
            try relative.requestURL(relativeTo: base, allowingOtherOrigin: false).description
                == "https://example.com/v1/users/1?a=b")
        let absolute = try #require(URL(string: "https://example.com/users"))
        #expect(
            try absolute.requestURL(relativeTo: nil, allowingOtherOrigin: false).description
                == "https://example.com/users")
        let tricky = try #require(URL(string: "https://user@evil.example/"))
        #expect(throws: MartletError.self) { try tricky.requestURL(relativeTo: nil, allowingOtherOrigin: true) }
        var components = URLComponents()
        components.path = "users"
        components.queryItems = [URLQueryItem(name: "q", value: "a b")]
        #expect(
            try components.requestURL(relativeTo: base, allowingOtherOrigin: false).description
                == "https://example.com/v1/users?q=a%20b")
        components.path = "//users"
        #expect(throws: MartletError.self) { try components.requestURL(relativeTo: base, allowingOtherOrigin: false) }
    }

    @Test func absoluteValueKeepsToTheBaseOrigin() throws {
        let base = try RequestURL("https://example.com/v1")
        let other = try RequestURL("https://other.example/")
        #expect(throws: MartletError.self) { try other.requestURL(relativeTo: base, allowingOtherOrigin: false) }
        #expect(try other.requestURL(relativeTo: base, allowingOtherOrigin: true) == other)
        #expect(try other.requestURL(relativeTo: nil, allowingOtherOrigin: false) == other)
    }

    @Test(arguments: [
        ("http://h/", "http://h/?a%20b=c%2Bd%26%C3%BC&e="), ("http://h/?", "http://h/?a%20b=c%2Bd%26%C3%BC&e="),
        ("http://h/?hd=[1]#f", "http://h/?hd=%5B1%5D&a%20b=c%2Bd%26%C3%BC&e=#f"),
    ])
    func queryItemsAreAppendedEscaped(base: String, result: String) throws {
        var url = try RequestURL(base)
        url.appendQuery([("a b", "c+d&ü"), ("e", "")])
        #expect(url.description == result)
        #expect(url == (try RequestURL(result)))
        #expect(url.query == (try RequestURL(result)).query)
        #expect(url.fragment == (try RequestURL(result)).fragment)
    }

    @Test func noItemsLeaveTheURLAlone() throws {
        var url = try RequestURL("http://h/a")
        url.appendQuery([])
        #expect(url.description == "http://h/a")
    }
}
