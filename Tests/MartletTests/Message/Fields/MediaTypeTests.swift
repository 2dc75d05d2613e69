// Media types: how they are read, and what matches what. Sections 2.6 and 2.14 of the behaviour cases, by their numbers.

import Testing

@testable import Martlet

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("text/html", "text/html", [:]), (" Text/HTML ; Charset=UTF-8", "text/html", ["charset": "UTF-8"]),
            ("text/plain;charset=\"a;b\"; x=\"\\\"q\\\"\"", "text/plain", ["charset": "a;b", "x": "\"q\""]),
            ("application/vnd.api+json", "application/vnd.api+json", [:]), ("*/*;q=0.1", "*/*", ["q": "0.1"]),
            ("a/b;c=d;c=e", "a/b", ["c": "d"]), ("a/b;;; c = d ;", "a/b", ["c": "d"]), ("a/b; c", "a/b", [:]),
            ("a/b; c=", "a/b", ["c": ""]), ("a/b; c=\"d", "a/b", ["c": "d"]),
        ] as [(String, String, [String: String])])
    func typeIsRead(_ text: String, _ essence: String, _ parameters: [String: String]) throws {
        let type = try #require(MediaType(text))
        #expect(type.essence == essence)
        for (name, value) in parameters { #expect(type[name.uppercased()] == value) }
        #expect(Set(type.parameters.map(\.name)) == Set(parameters.keys))
    }

    @Test(arguments: ["", " ", "text", "text/", "/html", "text html", "a/b/c", "a/b, c/d", "té/xt", "a /b", ";a/b"])
    func textThatIsNoTypeIsNone(_ text: String) {
        #expect(MediaType(text) == nil)
    }

    // C112, C113, C116, C117
    @Test(
        arguments: [
            ("application/json", "*/*", true), ("application/json", "application/*", true),
            ("application/json", "*/json", true), ("application/json", "text/*", false),
            ("application/json", "text", false), ("application/json", "", false),
            ("text/plain", " text/plain ", true), ("application/json", "application/json;q=0.9", true),
            ("Application/JSON", "application/json", true), ("application/json", "Application/JSON", true),
            ("application/json; charset=utf-8", "application/json; charset=latin1", true),
            ("application/problem+json", "application/json", true), ("model/gltf+json", "application/json", true),
            ("text/x+json", "text/json", true), ("model/gltf+json", "text/json", false),
            ("application/json", "application/problem+json", false), ("image/svg+xml", "application/xml", true),
            ("image/svg+xml", "image/*", true), ("application/problem+json", "application/*+json", true),
            ("application/json", "application/*+json", false), ("application/a+b+json", "*/*+json", true),
            ("application/a+", "application/a+", true), ("application/+json", "application/json", false),
            ("text/html", "text/htm", false), ("text/html", "texts/html", false),
        ])
    func typeMatchesItsPatterns(_ type: String, _ pattern: String, _ isMatch: Bool) throws {
        #expect(try #require(MediaType(type)).matches(pattern) == isMatch)
    }

    @Test(arguments: [
        ("application/problem+json", "json"), ("image/svg+xml", "xml"), ("a/b+c+d", "d"), ("a/b", nil), ("a/b+", nil),
        ("a/+b", nil),
    ])
    func suffixIsWhatStandsBehindThePlus(_ type: String, _ suffix: String?) {
        #expect(MediaType(type)?.suffix == suffix)
    }

    @Test func typeIsWrittenAsItIsRead() throws {
        let text = "text/plain; charset=utf-8; title=\"a \\\"b\\\" \\\\ c\""
        let type = try #require(MediaType(text))
        #expect(type.description == text)
        #expect(MediaType(type.description) == type)
        #expect(type.charset == "utf-8")
        #expect(HTTPHeaders(["content-type": text]).mediaType == type)
        #expect(HTTPHeaders().mediaType == nil)
    }
}

@Suite struct QualityListTests {
    @Test(
        arguments: [
            ("a, b;q=0.5, c;q=0.8", ["a", "c", "b"]), ("", []), (",, ,", []), ("a;q=0, b", ["b", "a"]),
            ("text/html;level=1;q=0.5, */*;q=0.1;ext=1, Text/HTML", ["text/html", "text/html;level=1", "*/*"]),
            ("a;q=1.001, b;q=2, c;q=-1, d;q=.5, e;q=0.1234, f;q=x, g;q=\"0.5\"", ["g"]), ("a;q=1.000", ["a"]),
            ("a;q=0.123, b;q=0.12, c;q=0.1, d;q=0.", ["a", "b", "c", "d"]), ("a;Q=0.5,b", ["b", "a"]),
            ("gzip , br;q=0.9", ["gzip", "br"]),
        ] as [(String, [String])])
    func choicesComeByTheirWeight(_ text: String, _ values: [String]) {
        #expect(QualityList(text).choices.map(\.value) == values)
    }

    @Test func weightIsFoundByNameOrByTheStar() {
        let headers: HTTPHeaders = [.init("Accept-Encoding", "gzip;q=0.5, br"), .init("accept-encoding", "*;q=0")]
        let list = headers.choices(for: "Accept-Encoding")
        #expect(list.quality(of: "GZIP") == 0.5)
        #expect(list.quality(of: "br") == 1)
        #expect(list.quality(of: "zstd") == 0)
        #expect(QualityList("a").quality(of: "b") == nil)
    }
}
