// Link fields, as RFC 8288 and its appendix B.2 read them.

import Testing

@testable import Martlet

@Suite struct WebLinkTests {
    @Test(
        arguments: [
            ("<https://a.example/2>; rel=\"next\"", [("https://a.example/2", ["next"])]),
            ("</2>;rel=next", [("/2", ["next"])]), ("</2>; REL=\"Next  LAST\"", [("/2", ["next", "last"])]),
            ("</1>; rel=prev, </3>; rel=next", [("/1", ["prev"]), ("/3", ["next"])]),
            ("</a,b;c>; rel=next, </d>; rel=\"x,y;z\"", [("/a,b;c", ["next"]), ("/d", ["x,y;z"])]),
            ("</a>", [("/a", [])]), ("</a>; rel=one; rel=two", [("/a", ["one"])]),
            ("< /a >; rel=next", [("/a", ["next"])]),
            ("", []), (",,,", []), ("/a; rel=next", []), ("</a", []), ("junk, </a>; rel=next", [("/a", ["next"])]),
            ("\"<no>\", </a>; rel=next", [("/a", ["next"])]), ("</a>; rel", [("/a", [])]),
            ("</a>; rel=\"next", [("/a", ["next"])]), ("</a>junk; rel=next", [("/a", ["next"])]),
            ("<>; rel=self", [("", ["self"])]), ("</a>;rel=next,</b>;rel=prev", [("/a", ["next"]), ("/b", ["prev"])]),
        ] as [(String, [(String, [String])])])
    func linksAreRead(_ text: String, _ expected: [(String, [String])]) {
        let links = WebLink.all(in: text)
        #expect(links.map(\.target) == expected.map(\.0))
        #expect(links.map(\.relations) == expected.map(\.1))
    }

    @Test func parametersAreRead() throws {
        let text =
            "</a>; rel=alternate; title=plain; title*=UTF-8'de'n%c3%a4chstes; type=\"text/html\"; anchor=\"#x\"; crossorigin"
        let link = try #require(WebLink.all(in: text).first)
        #expect(link.title == "nächstes")
        #expect(link.type?.essence == "text/html")
        #expect(link.anchor == "#x")
        #expect(link.isRelated(as: "ALTERNATE"))
        #expect(link.parameters.last == FieldParameter("crossorigin", ""))
        #expect(WebLink.all(in: link.description) == [link])
    }

    @Test func fieldsOfOneNameAreOneList() {
        let headers: HTTPHeaders = [.init("Link", "</1>; rel=prev"), .init("link", "</3>; rel=next, </9>; rel=last")]
        #expect(headers.links.map(\.target) == ["/1", "/3", "/9"])
    }

    @Test(
        arguments: [
            ("</v1/users?page=2>; rel=next", "https://a.example/v1/users?page=2"),
            ("<?page=2>; rel=next", "https://a.example/v1/users?page=2"),
            ("<other>; rel=next", "https://a.example/v1/other"), ("<//b.example/>; rel=next", "https://b.example/"),
            ("<ftp://b.example/>; rel=next, </3>; rel=next", "https://a.example/3"), ("</2>; rel=prev", nil),
            ("<mailto:a@b.example>; rel=next", nil), ("</2>; rel=next; anchor=\"/elsewhere\"", nil),
            ("</2>; rel=next; anchor=\"/v1/users\"", "https://a.example/2"),
            ("<https://u:p@b.example/>; rel=next", nil),
        ])
    func linkLeadsFromTheUrlThatAnswered(_ field: String, _ target: String?) throws {
        let response = Response(
            head: ResponseHead(status: .ok, headers: ["Link": field]), body: (),
            url: try RequestURL("https://a.example/v1/users"))
        #expect(response.link("next")?.description == target)
    }
}
