// URI templates: the examples of RFC 6570, what must not be read, and what the stricter form of calls refuses.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

/// A template and its expansion.
struct TemplateCase: Sendable, CustomTestStringConvertible {
    let template: String
    let expected: String

    init(_ template: String, _ expected: String) {
        self.template = template
        self.expected = expected
    }

    var testDescription: String { template }
}

@Suite struct URITemplateTests {
    /// The variables of RFC 6570, section 3.2.
    static let variables: Parameters = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"], "keys": ["semi": ";", "dot": ".", "comma": ","] as Parameters, "v": "6",
        "x": "1024", "y": "768", "empty": "", "empty_keys": [String](), "undef": nil, "year": ["1965", "2000", "2012"],
        "semi": ";", "address": ["city": "Newport Beach", "state": "CA"] as Parameters,
        "mid": "a b", "number": 6, "yes": true, "none": [String: String](),
    ]

    @Test(arguments: [
        TemplateCase("{var}", "value"), .init("{hello}", "Hello%20World%21"), .init("{half}", "50%25"),
        .init("O{empty}X", "OX"), .init("O{undef}X", "OX"), .init("{x,y}", "1024,768"),
        .init("{x,hello,y}", "1024,Hello%20World%21,768"), .init("?{x,empty}", "?1024,"),
        .init("?{x,undef}", "?1024"), .init("?{undef,y}", "?768"), .init("{var:3}", "val"), .init("{var:30}", "value"),
        .init("{list}", "red,green,blue"), .init("{list*}", "red,green,blue"),
        .init("{keys}", "semi,%3B,dot,.,comma,%2C"), .init("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        .init("{count}", "one,two,three"), .init("{count*}", "one,two,three"),
        .init("map?{x,y}", "map?1024,768"), .init("{number}", "6"), .init("{yes}", "true"), .init("{absent}", ""),
    ]) func simpleExpansion(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test(arguments: [
        TemplateCase("{+var}", "value"), .init("{+hello}", "Hello%20World!"), .init("{+half}", "50%25"),
        .init("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        .init("{+base}index", "http://example.com/home/index"), .init("O{+empty}X", "OX"), .init("O{+undef}X", "OX"),
        .init("{+path}/here", "/foo/bar/here"), .init("here?ref={+path}", "here?ref=/foo/bar"),
        .init("up{+path}{var}/here", "up/foo/barvalue/here"), .init("{+x,hello,y}", "1024,Hello%20World!,768"),
        .init("{+path,x}/here", "/foo/bar,1024/here"), .init("{+path:6}/here", "/foo/b/here"),
        .init("{+list}", "red,green,blue"), .init("{+list*}", "red,green,blue"),
        .init("{+keys}", "semi,;,dot,.,comma,,"), .init("{+keys*}", "semi=;,dot=.,comma=,"),
    ]) func reservedExpansion(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test(arguments: [
        TemplateCase("{#var}", "#value"), .init("{#hello}", "#Hello%20World!"), .init("{#half}", "#50%25"),
        .init("foo{#empty}", "foo#"), .init("foo{#undef}", "foo"), .init("{#x,hello,y}", "#1024,Hello%20World!,768"),
        .init("{#path,x}/here", "#/foo/bar,1024/here"), .init("{#path:6}/here", "#/foo/b/here"),
        .init("{#list}", "#red,green,blue"), .init("{#list*}", "#red,green,blue"),
        .init("{#keys}", "#semi,;,dot,.,comma,,"), .init("{#keys*}", "#semi=;,dot=.,comma=,"),
        .init("{.who}", ".fred"), .init("{.who,who}", ".fred.fred"), .init("{.half,who}", ".50%25.fred"),
        .init("www{.dom*}", "www.example.com"), .init("X{.var}", "X.value"), .init("X{.empty}", "X."),
        .init("X{.undef}", "X"), .init("X{.var:3}", "X.val"), .init("X{.list}", "X.red,green,blue"),
        .init("X{.list*}", "X.red.green.blue"), .init("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        .init("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"), .init("X{.empty_keys}", "X"), .init("X{.empty_keys*}", "X"),
    ]) func fragmentAndLabelExpansion(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test(arguments: [
        TemplateCase("{/who}", "/fred"), .init("{/who,who}", "/fred/fred"), .init("{/half,who}", "/50%25/fred"),
        .init("{/who,dub}", "/fred/me%2Ftoo"), .init("{/var}", "/value"), .init("{/var,empty}", "/value/"),
        .init("{/var,undef}", "/value"), .init("{/var,x}/here", "/value/1024/here"), .init("{/var:1,var}", "/v/value"),
        .init("{/list}", "/red,green,blue"), .init("{/list*}", "/red/green/blue"),
        .init("{/list*,path:4}", "/red/green/blue/%2Ffoo"), .init("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        .init("{/keys*}", "/semi=%3B/dot=./comma=%2C"), .init("{;who}", ";who=fred"), .init("{;half}", ";half=50%25"),
        .init("{;empty}", ";empty"), .init("{;v,empty,who}", ";v=6;empty;who=fred"),
        .init("{;v,bar,who}", ";v=6;who=fred"), .init("{;x,y}", ";x=1024;y=768"),
        .init("{;x,y,empty}", ";x=1024;y=768;empty"), .init("{;x,y,undef}", ";x=1024;y=768"),
        .init("{;hello:5}", ";hello=Hello"), .init("{;list}", ";list=red,green,blue"),
        .init("{;list*}", ";list=red;list=green;list=blue"), .init("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        .init("{;keys*}", ";semi=%3B;dot=.;comma=%2C"), .init("{/none}{/none*}{;none*}", ""),
    ]) func pathExpansion(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test(arguments: [
        TemplateCase("{?who}", "?who=fred"), .init("{?half}", "?half=50%25"), .init("{?x,y}", "?x=1024&y=768"),
        .init("{?x,y,empty}", "?x=1024&y=768&empty="), .init("{?x,y,undef}", "?x=1024&y=768"),
        .init("{?var:3}", "?var=val"), .init("{?list}", "?list=red,green,blue"),
        .init("{?list*}", "?list=red&list=green&list=blue"), .init("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        .init("{?keys*}", "?semi=%3B&dot=.&comma=%2C"), .init("find{?year*}", "find?year=1965&year=2000&year=2012"),
        .init("{&who}", "&who=fred"), .init("{&half}", "&half=50%25"), .init("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        .init("{&x,y,empty}", "&x=1024&y=768&empty="), .init("{&x,y,undef}", "&x=1024&y=768"),
        .init("{&var:3}", "&var=val"), .init("{&list}", "&list=red,green,blue"),
        .init("{&list*}", "&list=red&list=green&list=blue"), .init("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        .init("{&keys*}", "&semi=%3B&dot=.&comma=%2C"), .init("{?undef}{?none*}", ""),
        .init("/a{?address*}", "/a?city=Newport%20Beach&state=CA"),
    ]) func queryExpansion(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test(arguments: [
        TemplateCase("{/count}", "/one,two,three"), .init("{/count*}", "/one/two/three"),
        .init("{;count}", ";count=one,two,three"), .init("{;count*}", ";count=one;count=two;count=three"),
        .init("{?count}", "?count=one,two,three"), .init("{?count*}", "?count=one&count=two&count=three"),
        .init("{&count*}", "&count=one&count=two&count=three"),
        .init(
            "/a{/who,var}/b{/x}{?list,y,undef}{&keys*}",
            "/a/fred/value/b/1024?list=red,green,blue&y=768&semi=%3B&dot=.&comma=%2C"),
        .init("/s.{var}{?hello,list,absent,x}", "/s.value?hello=Hello%20World%21&list=red,green,blue&x=1024"),
        .init("{?yes,number,base}", "?yes=true&number=6&base=http%3A%2F%2Fexample.com%2Fhome%2F"),
    ]) func expressionsAreCombined(_ example: TemplateCase) throws {
        #expect(try URITemplate(example.template).expand(Self.variables) == example.expected)
    }

    @Test func escapesAreKeptWhereReservedCharactersAre() throws {
        let variables: Parameters = ["id": "admin%2F", "odd": "%foo", "list": ["red%25", "%2Fgreen", "blue "]]
        #expect(try URITemplate("{+id}{#id}{id}").expand(variables) == "admin%2F#admin%2Fadmin%252F")
        #expect(try URITemplate("{+odd}{odd}").expand(variables) == "%25foo%25foo")
        #expect(try URITemplate("{+list}").expand(variables) == "red%25,%2Fgreen,blue%20")
        #expect(try URITemplate("{+id:6}{+id:5}").expand(variables) == "admin%2Fadmin")
    }

    @Test func prefixesCountCharactersAndNotBytes() throws {
        #expect(try URITemplate("{a:2}").expand(["a": "ü€x"]) == "%C3%BC%E2%82%AC")
        #expect(try URITemplate("{a:9999}").expand(["a": "x"]) == "x")
    }

    @Test func literalsAreEscapedAndNamesAreExact() throws {
        let variables: Parameters = ["a.b": 1, "c_d": 2, "Stra%C3%9Fe": "Grüner Weg"]
        let text = try URITemplate("/ü \"<{a.b}{c_d}{?Stra%C3%9Fe}").expand(variables)
        #expect(text == "/%C3%BC%20%22%3C12?Stra%C3%9Fe=Gr%C3%BCner%20Weg")
        #expect(try URITemplate("{/a,b*}{?c,a}").variableNames == ["a", "b", "c"])
    }

    @Test func dictionariesAreWrittenInTheOrderOfTheirNames() throws {
        #expect(try URITemplate("{?d*}").expand(["d": ["b": "2", "a": "1", "c": "3"]]) == "?a=1&b=2&c=3")
    }

    @Test(arguments: [
        "{/id*", "/id*}", "{/?id}", "{var:prefix}", "{hello:2*}", "{??hello}", "{!hello}", "{=path}", "{$var}",
        "{|var*}", "{*keys?}", "{?empty=default,var}", "{var}{-prefix|/-/|var}",
        "?q={searchTerms}&amp;c={example:color?}", "x{?empty|foo=none}", "/h{#hello+}", "/h#{hello+}", "{;keys:1*}",
        "?{-join|&|var,list}", "/people/{~thing}", "/{default-graph-uri}", "/sparql{?query){&default-graph-uri*}",
        "/resolution{?x, y}", "{}", "{,}", "{a,}", "{?}", "{a b}", "{ a}", "{a }", "{.}", "{a..b}", "{a.}", "{%2}",
        "{%zz}", "{a:0}", "{a:10000}", "{a:-1}", "{a:}", "{a:01}", "{a**}", "{{a}}", "a%", "a%2", "a%zz", "a\u{0}b",
        "a\r\nb", "{a\u{0}}", "{ü}", "{@a}", "{a:1:2}",
    ]) func whatTheGrammarDoesNotHaveIsRefused(_ template: String) {
        let error = #expect(throws: MartletError.self) { try URITemplate(template) }
        #expect(error?.code == .invalidURL)
    }

    @Test(arguments: ["{keys:1}", "{+keys:1}", "{list:2}", "{?list:2}"])
    func prefixesOfWhatIsNoTextAreRefused(_ template: String) throws {
        let parsed = try URITemplate(template)
        let error = #expect(throws: MartletError.self) { try parsed.expand(Self.variables) }
        #expect(error?.code == .invalidURL)
    }

    @Test func nestedValuesAreRefused() throws {
        let template = try URITemplate("{?a}")
        let error = #expect(throws: MartletError.self) { try template.expand(["a": [["b"]]]) }
        #expect(error?.code == .encodingFailed)
    }

    @Test(arguments: 0..<20) func randomTextNeverTraps(_ block: UInt64) {
        let alphabet = Array("{}{}?&;/.+#*:,%2Fab_ü\u{0}\r 019")
        for seed in (block * 500)..<((block + 1) * 500) {
            var random = SeededRandom(seed: seed)
            let text = String((0..<random.next(below: 30)).map { _ in alphabet[random.next(below: alphabet.count)] })
            _ = try? URITemplate(text).expand(["a": "x/y", "b": ["1", "%2F"], "ab": ["k": "v"], "2": "ü"])
        }
    }
}

@Suite struct TemplateCallTests {
    private let client = MartletClient(transport: MockTransport { _ in .ok }, baseURL: "https://api.example.com/v1/")

    private func url(_ call: Call) throws -> String { try call.makeRequest().url.description }

    @Test func verbsTakeTemplates() throws {
        let owner = "ada"
        let page: Int? = nil
        #expect(
            try url(client.get("/repos/{owner}/{repo}{?page}", ["owner": owner, "repo": "a b/c", "page": page]))
                == "https://api.example.com/repos/ada/a%20b%2Fc")
        #expect(
            try url(client.get("/repos/{owner}/{repo}{?page}", ["owner": owner, "repo": 7, "page": 2]))
                == "https://api.example.com/repos/ada/7?page=2")
        #expect(try url(client.delete("users/{id}", ["id": 7])) == "https://api.example.com/v1/users/7")
        #expect(try url(client.head("users/{id}", ["id": 7])) == "https://api.example.com/v1/users/7")
        #expect(try url(client.put("users/{id}", ["id": 7])) == "https://api.example.com/v1/users/7")
        #expect(try url(client.patch("users/{id}", ["id": 7])) == "https://api.example.com/v1/users/7")
        let request = try client.post(.template("users/{id}", ["id": 7]), json: ["name": "Ada"]).makeRequest()
        #expect(request.url.description == "https://api.example.com/v1/users/7")
        #expect(request.method == .post)
    }

    @Test func absoluteTemplatesNeedNoBase() throws {
        let client = MartletClient(transport: MockTransport { _ in .ok })
        #expect(
            try url(client.get("https://{host}/{+path}", ["host": "a.example", "path": "x/y"]))
                == "https://a.example/x/y")
    }

    private static let slips: [(String, Parameters)] = [
        ("/users/{id}", ["ident": 7]), ("/users/{id}", [:]), ("/users", ["name": "Ada"]),
        ("/users/{id}/x", ["id": ".."]), ("/users/{id}", ["id": "."]), ("/files/{+path}", ["path": "../../admin"]),
        ("/files/{+path}", ["path": "%2e%2E/admin"]), ("/f/{a}{b}/x", ["a": ".", "b": "."]),
        ("/f{/a*}", ["a": ["..", "x"]]), ("{+path}", ["path": "//evil.example/"]),
        ("{+path}", ["path": "https://evil.example/"]), ("/users/{id", ["id": 1]), ("/{a}", ["a": Double.infinity]),
    ]

    @Test(arguments: slips.indices) func slipsAreRefused(_ index: Int) {
        let (template, variables) = Self.slips[index]
        let error = #expect(throws: MartletError.self) { try client.get(template, variables).makeRequest() }
        #expect(error?.code == .invalidURL || error?.code == .encodingFailed, "\(template)")
    }

    @Test func dotsThatTheTemplateHasAreItsOwn() throws {
        #expect(try url(client.get("../x/{id}", ["id": 1])) == "https://api.example.com/x/1")
        #expect(try url(client.get("/a/{id}", ["id": "..."])) == "https://api.example.com/a/...")
    }
}
