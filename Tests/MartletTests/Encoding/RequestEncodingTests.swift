// Where values go in a call, and under which media type: sections 2.1, 2.2 and 2.14 of the behaviour cases, by their numbers.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct QueryCallTests {
    private let client = MartletClient(transport: MockTransport { _ in .ok }, baseURL: "https://a.example")

    private func target(_ call: Call) throws -> String { try call.makeRequest().url.target }

    @Test func literalsMixKinds() throws {
        #expect(
            try target(client.get("/s").query(["q": "swift", "page": 2, "tags": ["a", "b"]]))
                == "/s?page=2&q=swift&tags%5B%5D=a&tags%5B%5D=b")
        let term = "x y"
        let page: Int? = nil
        let sizes = [1, 2]
        #expect(
            try target(
                client.get("/s").query(["q": term, "page": page, "sizes": sizes, "none": nil, "in": ["a": 1.5]]))
                == "/s?in%5Ba%5D=1.5&q=x%20y&sizes%5B%5D=1&sizes%5B%5D=2")
        #expect(
            try target(client.get("/s").query(["f": ["year": 2026, "open": true] as Parameters]))
                == "/s?f%5Bopen%5D=1&f%5Byear%5D=2026")
    }

    @Test func aNameMayComeTwice() throws {
        #expect(try target(client.get("/s").query(["b": 1, "a": 2, "b": 3])) == "/s?a=2&b=1&b=3")
        var parameters = Parameters([("b", 1), ("a", "x")])
        parameters.append("b", nil)
        #expect(try target(client.get("/s").query(parameters)) == "/s?a=x&b=1")
    }

    @Test func valuesOfOnesOwnAreQueries() throws {
        struct Filter: Encodable { var q = "x"; var page: Int? }
        #expect(try target(client.get("/s").query(Filter(page: 3))) == "/s?page=3&q=x")
        #expect(try target(client.get("/s").query(["a": "b"] as [String: String])) == "/s?a=b")
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = .commaSeparated
        #expect(try target(client.get("/s").query(["ids": [1, 2]], encoder: encoder)) == "/s?ids=1,2")
        let scoped = client.scoped { $0.formEncoder.arrays = .repeatedKey }
        #expect(try target(scoped.get("/s").query(["ids": [1, 2]]).query("x", true)) == "/s?ids=1&ids=2&x=1")
    }

    // C004, C005
    @Test func whatTheURLHasComesFirst() throws {
        #expect(try target(client.get("/s?hd=[1]").query(["page": "0"])) == "/s?hd=%5B1%5D&page=0")
        #expect(
            try target(client.get("/s?hd=[1]").query(["+foo+": "+bar+"])) == "/s?hd=%5B1%5D&%2Bfoo%2B=%2Bbar%2B")
        #expect(try target(client.get("/s?#f").query(["a": 1]).query("b", 2)) == "/s?a=1&b=2")
    }

    // C006, C052
    @Test func nothingAddsNothing() throws {
        #expect(try target(client.get("/s").query([:])) == "/s")
        #expect(try target(client.get("/s").query([String: String]?.none)) == "/s")
        #expect(try target(client.get("/s").query(["a": nil])) == "/s")
        #expect(try target(client.get("/s").parameters([:])) == "/s")
    }

    // C001, C008, C009
    @Test(arguments: ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "QUERY"])
    func theMethodDecidesWhereParametersGo(_ method: String) throws {
        let call = client.request(HTTPMethod(method), "/s")
        let request = try call.parameters(["foo": 1, "bar": 2]).makeRequest()
        if ["GET", "HEAD", "DELETE"].contains(method) {
            #expect(request.url.query == "bar=2&foo=1")
            #expect(request.body.isEmpty)
            #expect(request.headers.contentType == nil)
        } else {
            #expect(request.url.query == nil)
            #expect(request.body.bytes == "bar=2&foo=1")
            #expect(request.headers.contentType == "application/x-www-form-urlencoded; charset=utf-8")
        }
        let query = try call.parameters(["foo": 1, "bar": 2], in: .query).makeRequest()
        #expect(query.url.query == "bar=2&foo=1")
        #expect(query.body.isEmpty)
        #expect(query.headers.contentType == nil)
    }

    @Test func anEncoderOfOnesOwnCannotBreakTheURL() throws {
        struct Raw: RequestEncoder {
            let text: String
            func encode(_ value: some Encodable, in context: RequestEncodingContext) -> EncodedRequestPart {
                .query(text)
            }
        }
        #expect(try target(client.get("/s").body(1, as: Raw(text: "a b#c\r\nd"))) == "/s?a%20b%23c%0D%0Ad")
        #expect(throws: MartletError.self) { try target(client.get("/s").body(1, as: Raw(text: "%"))) }
    }
}

@Suite struct BodyCallTests {
    private let client = MartletClient(transport: MockTransport { _ in .ok }, baseURL: "https://a.example")

    private struct Draft: Codable, Sendable { var property = "property" }

    // C054, and the same for the other formats
    @Test func eachFormatNamesItsMediaType() throws {
        func check(_ call: Call, _ type: String, _ body: String, _ location: SourceLocation = #_sourceLocation) throws {
            let request = try call.makeRequest()
            #expect(request.headers.contentType == type, sourceLocation: location)
            #expect(request.body.bytes == body, sourceLocation: location)
        }
        let json = #"{"property":"property"}"#
        let form = "application/x-www-form-urlencoded; charset=utf-8"
        try check(client.post("/", json: Draft()), "application/json", json)
        try check(client.post("/", body: Draft(), as: .json), "application/json", json)
        try check(client.put("/", body: Draft(), as: .json(JSONEncoder())), "application/json", json)
        try check(client.patch("/", json: ["property": "property"]), "application/json", json)
        try check(client.post("/", form: Draft()), form, "property=property")
        try check(client.put("/", form: ["a": 1, "b": "x y"]), form, "a=1&b=x%20y")
        try check(client.patch("/", body: ["a": 1] as Parameters, as: .form), form, "a=1")
        try check(client.post("/", text: "ü"), "text/plain; charset=utf-8", "ü")
        try check(client.post("/").body(text: "<a/>", contentType: "text/xml"), "text/xml; charset=utf-8", "<a/>")
        try check(client.post("/", data: Data("x".utf8), contentType: "a/b"), "a/b", "x")
        let list = try client.post("/").body(propertyList: Draft()).makeRequest()
        #expect(list.headers.contentType == "application/x-plist")
        #expect(list.body.bytes?.contains("<key>property</key>") == true)
        let binary = try client.post("/", body: Draft(), as: .propertyList(.binary)).makeRequest()
        #expect(binary.body.data?.starts(with: Data("bplist".utf8)) == true)
    }

    // C010, C057
    @Test(arguments: ["type", "application/custom-json-type+json"]) func aMediaTypeThatIsSetStays(_ type: String) throws
    {
        let calls = [
            client.post("/", json: Draft()), client.post("/", form: Draft()),
            client.post("/").body(propertyList: Draft()),
            client.post("/", text: "x"), client.post("/", data: Data([1]), contentType: "a/b"),
        ]
        for call in calls {
            #expect(try call.header("Content-Type", type).makeRequest().headers.values(for: "content-type") == [type])
        }
        let scoped = client.scoped { $0.headers.contentType = type }
        #expect(try scoped.post("/", json: Draft()).makeRequest().headers.values(for: "content-type") == [type])
    }

    // C053
    @Test func nilIsNoBody() throws {
        let calls = [
            client.post("/", json: Draft?.none), client.post("/", form: Draft?.none),
            client.post("/").body(propertyList: Draft?.none), client.post("/", body: Draft??.some(nil), as: .json),
        ]
        for call in calls {
            let request = try call.makeRequest()
            #expect(request.body.isEmpty)
            #expect(request.headers.contentType == nil)
        }
        #expect(try client.post("/", json: JSONValue.null).makeRequest().body.bytes == "null")
    }

    // C056
    @Test func jsonMayBeAnArray() throws {
        #expect(try client.post("/", json: ["foo", "bar", "baz"]).makeRequest().body.bytes == #"["foo","bar","baz"]"#)
    }

    @Test func jsonObjectsMixKinds() throws {
        let age: Int? = nil
        let scoped = client.scoped {
            $0.jsonEncoder = {
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                return encoder
            }
        }
        let request = try scoped.post("/", json: ["name": "Ada", "age": age, "tags": ["a"], "none": nil]).makeRequest()
        #expect(request.body.bytes == #"{"age":null,"name":"Ada","none":null,"tags":["a"]}"#)
    }

    @Test func jsonGoesByTheEncoderGiven() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted]
        let text = try client.post("/").body(json: Draft(), encoder: encoder).makeRequest().body.bytes
        #expect(text == "{\n  \"property\" : \"property\"\n}")
    }

    // C058, C216: what cannot be encoded is thrown when the call is awaited, and nothing is sent
    @Test func whatCannotBeEncodedIsNotSent() async throws {
        struct Refused: Error {}
        let transport = MockTransport { _ in .ok }
        let client = MartletClient(transport: transport, baseURL: "https://a.example")
        let refusing = Custom { _ in throw Refused() }
        let calls = [
            client.post("/", json: [Double.infinity]), client.post("/", json: refusing),
            client.post("/", form: refusing),
            client.get("/").query(refusing), client.get("/").query([1]), client.post("/", form: "string"),
            client.post("/").body(propertyList: refusing), client.get("/").query(["a": refusing]).query(["b": 1]),
            client.post("/").body(text: "€", charset: "iso-8859-1"),
            client.post("/").body(text: "a", charset: "klingon"),
        ]
        for call in calls { await expectFailure(.encodingFailed) { try await call.data() } }
        #expect(transport.requests.isEmpty)
    }

    // C216: AFNetworking calls its failure block later, once, and makes no task. Here the error waits in the call: it is thrown by each
    // end that is awaited, whatever was added to the call since, and nothing is sent.
    @Test(arguments: 0..<5) func theErrorOfAnEncoderWaitsForTheCall(_ way: Int) async throws {
        struct Refused: Error, Equatable {}
        let transport = MockTransport { _ in .ok }
        let client = MartletClient(transport: transport, baseURL: "https://a.example")
        let call = client.post("/", json: Custom { _ in throw Refused() }).header("A", "b").query("c", 1)
        for _ in 0..<2 {
            let error = await expectFailure(.encodingFailed) {
                switch way {
                case 0: _ = try await call.response()
                case 1: _ = try await call.stream()
                case 2: _ = try await call.json(as: [Int].self)
                case 3: for try await _ in call.chunks {}
                default: try await call.discard()
                }
            }
            #expect(error?.underlying as? Refused == Refused())
            #expect(error?.mayHaveReachedServer == false)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func textIsInTheCharsetNamed() throws {
        let request = try client.post("/").body(text: "grün", charset: "ISO-8859-1").makeRequest()
        #expect(request.headers.contentType == "text/plain; charset=iso-8859-1")
        #expect(request.body.data == Data([0x67, 0x72, 0xFC, 0x6E]))
    }

    @Test(arguments: [
        ("/a/b.json", "application/json"), ("x.JPG", "image/jpeg"), ("/a.b/c", "application/octet-stream"),
        (".png", "application/octet-stream"), ("a.tar.gz", "application/gzip"), ("a.", "application/octet-stream"),
        ("a.nobody-knows", "application/octet-stream"), ("a.csv", "text/csv"), ("", "application/octet-stream"),
        ("/", "application/octet-stream"), ("ü.html", "text/html"),
    ]) func filesAreTypedByTheirNames(_ path: String, _ type: String) throws {
        #expect(try client.put("/", file: path).makeRequest().headers.contentType == type)
        #expect(try client.put("/", file: path, contentType: "a/b").makeRequest().headers.contentType == "a/b")
    }

    @Test(arguments: ["GET", "HEAD"]) func aBodyWithGetIsRefusedUnlessAskedFor(_ method: String) throws {
        let call = client.request(HTTPMethod(method), "/").body(json: ["a": 1])
        let error = #expect(throws: MartletError.self) { try call.makeRequest() }
        #expect(error?.code == .invalidRequest)
        #expect(try call.allowingBodyWithGet().makeRequest().body.bytes == #"{"a":1}"#)
        #expect(try client.request(HTTPMethod(method), "/").body(json: Draft?.none).makeRequest().body.isEmpty)
    }

    @Test func requestsTakeValuesToo() throws {
        var request = Request(method: .post, url: try RequestURL("https://a.example/x?y=1"))
        try request.encode(Draft(), as: .json)
        #expect(request.body.bytes == #"{"property":"property"}"#)
        request.method = .get
        try request.encode(["a": 1], as: .form(in: .methodDependent))
        #expect(request.url.query == "y=1&a=1")
    }
}

extension RequestBody {
    /// The bytes of a body in memory.
    var data: Data? {
        if case .data(let data) = kind { data } else { nil }
    }

    /// The text of a body in memory.
    var bytes: String? { data.map { String(decoding: $0, as: UTF8.self) } }
}
