import Martlet
import Testing

@testable import MartletCLI

@Suite struct RequestItemTests {
    @Test(arguments: [
        ("a=1", RequestItem.member(.init(name: "a", text: "1"))),
        ("a=", .member(.init(name: "a", text: ""))),
        ("a=b:c=d", .member(.init(name: "a", text: "b:c=d"))),
        ("a:=1.50", .member(.init(name: "a", text: "1.50", isJSON: true))),
        (#"a:={"b": [null]}"#, .member(.init(name: "a", text: #"{"b": [null]}"#, isJSON: true))),
        ("a==b=c", .query(.init("a", "b=c"))),
        ("X-A:b=c", .header(.init("X-A", "b=c"))),
        ("X-A:", .header(.init("X-A", ""))),
        (#"a\=b=c"#, .member(.init(name: "a=b", text: "c"))),
        (#"a\:b=c\d"#, .member(.init(name: "a:b", text: #"c\d"#))),
        (#"a\\=c"#, .member(.init(name: #"a\"#, text: "c"))),
        ("é=ü", .member(.init(name: "é", text: "ü"))),
        ("@f", .body(.file("f"))),
        ("@-", .body(.standardInput)),
    ])
    func readsItems(_ text: String, as item: RequestItem) throws {
        #expect(try RequestItem(text) == item)
    }

    @Test(arguments: ["", "a", "=a", ":a", "==a", "@", "a:=b", "a:=", "a:=1 2", "a b:c", "a:b\n", #"a\"#, #"a\="#])
    func refusesWhatIsNoItem(_ text: String) {
        #expect(throws: ToolFailure.self) { try RequestItem(text) }
    }

    @Test func membersKeepTheirOrderAndTheirNumbers() {
        let members = [
            BodyMember(name: "z", text: "1"), BodyMember(name: "a\n", text: "1.0e2", isJSON: true),
            BodyMember(name: "z", text: "\"\u{1}\\"),
        ]
        #expect(JSONText.object(members) == #"{"z": "\"\u0001\\", "a\n": 1.0e2}"#)
        #expect(JSONGrammar.fault(in: JSONText.object(members)) == nil)
    }

    @Test func aFormIsEncodedAsBrowsersDo() {
        let members = [BodyMember(name: "a b", text: "1+1=2&é"), BodyMember(name: "a b", text: "*-._~\n")]
        #expect(FormText.encode(members) == "a+b=1%2B1%3D2%26%C3%A9&a+b=*-._%7E%0A")
    }
}

@Suite struct AddressTests {
    @Test(arguments: [
        ("http://a/", "http://a/"), ("HTTPS://a", "HTTPS://a"), ("ftp://a/", "ftp://a/"),
        ("example.com", "https://example.com"), ("example.com:8080/x", "https://example.com:8080/x"),
        ("localhost", "http://localhost"), ("LOCALHOST:80/x", "http://LOCALHOST:80/x"),
        ("api.localhost/x", "http://api.localhost/x"), ("localhost.example.com", "https://localhost.example.com"),
        ("127.0.0.1:9", "http://127.0.0.1:9"), ("127.9.9.9", "http://127.9.9.9"), ("127.1", "https://127.1"),
        ("127.0.0.1.example.com", "https://127.0.0.1.example.com"), ("128.0.0.1", "https://128.0.0.1"),
        ("[::1]:80/x", "http://[::1]:80/x"), ("[::2]/", "https://[::2]/"), (":80/x", "http://localhost:80/x"),
        ("a/?u=http://b", "https://a/?u=http://b"), ("localhost?u=http://b", "http://localhost?u=http://b"),
        ("a?localhost", "https://a?localhost"), ("", "https://"),
    ])
    func completes(_ text: String, to url: String) {
        #expect(Address.complete(text) == url)
    }
}
