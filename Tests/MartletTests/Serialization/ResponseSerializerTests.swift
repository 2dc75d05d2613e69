// From a response to a value: section 2.5 of the behaviour cases, by its numbers. Where Martlet differs on purpose, the test says so.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

/// A value of the tests.
struct Named: Codable, Sendable, Equatable {
    var name: String
}

/// A client whose server answers so to everything.
func answering(_ response: MockResponse) -> MartletClient {
    MartletClient(transport: MockTransport { _ in response }, baseURL: "https://a.example")
}

@Suite struct ResponseSerializerTests {
    @Test func eachTerminalHasItsSerializer() async throws {
        let client = answering(.json(#"{"name": "Ada"}"#, headers: ["X-Y": "z"]))
        let call = client.get("/")
        #expect(try await call.serialized(by: .json(Named.self)) == Named(name: "Ada"))
        let value = try await call.serialized(by: .jsonValue)
        #expect(value.name == "Ada")
        #expect(try await call.serialized(by: .string) == #"{"name": "Ada"}"#)
        #expect(try await call.serialized(by: .data).count == 15)
        try await call.serialized(by: .discard)
        let inferred: Named = try await call.serialized(by: .json())
        #expect(inferred.name == "Ada")
        let response = try await call.serializedResponse(by: .json(Named.self))
        #expect(response.body.name == "Ada" && response.headers["X-Y"] == "z" && response.url.path == "/")
    }

    @Test(arguments: ["GET", "HEAD"])
    func eachFormatAsksForItself(_ method: String) async throws {
        let accepts = Lock([String]())
        let client = MartletClient(
            transport: MockTransport { request in
                accepts.withLock { $0.append(request.headers.accept ?? "") }
                return .data(Data("name=Ada".utf8))
            }, baseURL: "https://a.example")
        let call = client.request(HTTPMethod(method), "/")
        _ = try? await call.serialized(by: .json(Named.self))
        _ = try? await call.serialized(by: .propertyList(Named.self))
        _ = try? await call.serialized(by: .form(Named.self))
        _ = try? await call.serialized(by: .optional(.jsonValue))
        _ = try? await call.serialized(by: .first(.json(Named.self), .form(Named.self)))
        _ = try? await call.serialized(by: .string)
        _ = try? await call.header("Accept", "text/csv").serialized(by: .string)
        #expect(
            accepts.withLock { $0 } == [
                "application/json", "application/x-plist", "application/x-www-form-urlencoded", "application/json",
                "application/json, application/x-www-form-urlencoded", "*/*", "text/csv",
            ])
    }

    @Test func propertyListsAndFormsAreDecoded() async throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let client = answering(.data(try encoder.encode(Named(name: "Ada"))))
            #expect(try await client.get("/").serialized(by: .propertyList(Named.self)).name == "Ada")
        }
        let client = answering(.text("name=Ada+L%26"))
        #expect(try await client.get("/").serialized(by: .form(Named.self)).name == "Ada L&")
        for format in 0..<2 {
            let error = await expectFailure(.decodingFailed) {
                format == 0
                    ? try await client.get("/").serialized(by: .propertyList(Named.self))
                    : try await client.get("/").serialized(by: .form([Int].self)).isEmpty
                        ? Named(name: "") : Named(name: "")
            }
            #expect(error?.underlying != nil)
        }
    }

    // C085: Alamofire takes no bytes for an error with each serializer. Martlet differs on purpose: they are `Data()` and "".
    @Test(arguments: [200, 201, 202, 204, 205])
    func noBytesAreEmptyDataAndEmptyText(_ status: Int) async throws {
        let client = answering(.status(HTTPStatus(status)))
        #expect(try await client.post("/").serialized(by: .data).isEmpty)
        #expect(try await client.post("/").serialized(by: .string).isEmpty)
        #expect(try await client.post("/").serialized(by: .string(encoding: .utf16)).isEmpty)
        try await client.post("/").discard()
    }

    // C085, C088
    @Test(arguments: [
        (200, "GET"), (200, "POST"), (201, "POST"), (202, "PUT"), (204, "DELETE"), (205, "POST"), (200, "HEAD"),
    ])
    func noBytesAreAnErrorForATypeWithoutAnEmptyValue(_ status: Int, _ method: String) async throws {
        let client = answering(.status(HTTPStatus(status)))
        let call = client.request(HTTPMethod(method), "/")
        for way in 0..<4 {
            let error = await expectFailure(.emptyBody) {
                switch way {
                case 0: try await call.json(as: Named.self)
                case 1: try await call.serialized(by: .json(Named.self))
                case 2: try await call.serialized(by: .form(Named.self))
                default: try await call.serialized(by: .propertyList(Named.self))
                }
            }
            // It says what came, of which method, what was expected and what to do.
            for text in ["\(status)", method, "Named", "optional", "discard()"] {
                #expect(error?.message.contains(text) == true, "\(text)")
            }
            #expect(error?.response?.head.status.code == status)
        }
    }

    // C086
    @Test(arguments: [(204, "GET"), (205, "GET"), (200, "HEAD")])
    func noBytesAreTheEmptyValueWhereHTTPLeavesTheContentOut(_ status: Int, _ method: String) async throws {
        let call = answering(.status(HTTPStatus(status))).request(HTTPMethod(method), "/")
        #expect(try await call.json(as: EmptyBody.self) == EmptyBody())
        #expect(try await call.json() == JSONValue.null)
        #expect(try await call.serialized(by: .jsonValue) == .null)
        #expect(try await call.serialized(by: .json(Changes.self)).ids == [])
        #expect(try await call.serialized(by: .form(Changes.self)).ids == [])
        #expect(try await call.serialized(by: .propertyList(Changes.self)).ids == [])
    }

    // C089
    private struct Changes: Decodable, EmptyBodyRepresentable {
        static var emptyBody: Changes { Changes(ids: []) }
        var ids: [Int]
    }

    @Test func emptyValueIsNotTakenWhereABodyIsDue() async throws {
        let call = answering(.ok).get("/")
        for error in [
            await expectFailure(.emptyBody, { try await call.json(as: Changes.self) }),
            await expectFailure(.emptyBody, { try await call.json() as JSONValue }),
        ] {
            #expect(error?.message.contains("EmptyBodyRule") == true)
        }
    }

    // C090
    @Test func emptyBodiesAreTakenByTheRuleGiven() async throws {
        let client = answering(.ok)
        let byStatus = EmptyBodyRule(statuses: [200])
        #expect(try await client.get("/").serialized(by: .json(Changes.self, empty: byStatus)).ids == [])
        #expect(try await client.get("/").serialized(by: .jsonValue(empty: byStatus)) == .null)
        let byMethod = EmptyBodyRule(methods: [.get])
        #expect(try await client.get("/").serialized(by: .json(EmptyBody.self, empty: byMethod)) == EmptyBody())
        await expectFailure(.emptyBody) {
            try await client.post("/").serialized(by: .json(EmptyBody.self, empty: byMethod))
        }
        #expect(try await client.post("/").serialized(by: .form(Changes.self, empty: .always)).ids == [])
        await expectFailure(.emptyBody) {
            try await answering(.status(204)).get("/").serialized(by: .propertyList(Changes.self, empty: .never))
        }
    }

    /// Who expects an optional has said that there may be nothing, whatever the status.
    @Test(arguments: [200, 201, 204])
    func optionalIsNilForNoBytes(_ status: Int) async throws {
        let client = answering(.status(HTTPStatus(status)))
        let byType: Named? = try await client.post("/").json()
        #expect(byType == nil)
        #expect(try await client.post("/").serialized(by: .optional(.json(Named.self))) == nil)
        #expect(try await client.post("/").serialized(by: .optional(.jsonValue)) == nil)
        #expect(try await client.post("/").serialized(by: .optional(.data)) == nil)
        #expect(try await client.post("/").serialized(by: .optional(.string)) == nil)
        let full = answering(.json(#"{"name": "Ada"}"#))
        #expect(try await full.post("/").json(as: Named?.self)?.name == "Ada")
        #expect(try await full.post("/").serialized(by: .optional(.json(Named.self)))?.name == "Ada")
        #expect(try await full.post("/").serialized(by: .optional(.string))?.count == 15)
        await expectFailure(.decodingFailed) { try await full.post("/").serialized(by: .optional(.json([Int].self))) }
    }

    // C092, C121
    @Test func serializerIsNotRunAfterAnError() async throws {
        let isRun = Lock(false)
        let serializer = DataResponseSerializer().map { _ in isRun.withLock { $0 = true } }
        let failing = answering(.data(Data("{}".utf8)).failing(after: 1))
        await expectFailure(.bodyTruncated) { try await failing.get("/").serialized(by: serializer) }
        let refusing = answering(.text("{}", status: 500))
        await expectFailure(.unacceptableStatus) { try await refusing.get("/").serialized(by: serializer) }
        #expect(!isRun.withLock { $0 })
    }

    // C098
    @Test func decodersErrorIsKept() async throws {
        let call = answering(.json("{\"name\": }")).get("/")
        let error = await expectFailure(.decodingFailed) { try await call.json(as: Named.self) }
        #expect(error?.underlying is DecodingError)
        #expect(error?.response?.bodyPrefix == Data("{\"name\": }".utf8))
        let typed = answering(.json(#"[{"name": "a"}, {"name": 1}]"#)).get("/")
        let place = await expectFailure(.decodingFailed) { try await typed.serialized(by: .json([Named].self)) }
        #expect(place?.message == "The response body could not be decoded as Array<Named> (at [1].name).")
        let html = answering(.text("<html>", headers: ["Content-Type": "text/html; charset=utf-8"])).get("/")
        let other = await expectFailure(.decodingFailed) { try await html.json(as: Named.self) }
        #expect(other?.message.contains("its Content-Type is text/html") == true)
    }

    // C096
    @Test(
        arguments: [
            (")]}',\n{\"a\":1}", "{\"a\":1}"), (")]}',{\"a\":1}", ")]}',{\"a\":1}"), ("{\"a\":1}", "{\"a\":1}"),
            (")]}',\n", ""),
            (")]}'", ")]}'"), ("", ""), (")]}',\n)]}',\n", ")]}',\n"),
        ])
    func prefixAgainstScriptsIsDropped(_ body: String, _ rest: String) async throws {
        let call = answering(.text(body)).get("/")
        #expect(try await call.serialized(by: .string.preprocessed(by: .droppingXSSIPrefix)) == rest)
        let json = JSONValueResponseSerializer().preprocessed(by: .droppingXSSIPrefix)
        if rest.isEmpty {
            await expectFailure(.emptyBody) { try await call.serialized(by: json) }
            #expect(try await call.serialized(by: .optional(json)) == nil)
        } else if rest.hasPrefix("{") {
            let value = try await call.serialized(by: json)
            #expect(value["a"] == 1)
        } else {
            await expectFailure(.decodingFailed) { try await call.serialized(by: json) }
        }
    }

    // C097
    @Test func preprocessorOfOnesOwnChangesTheBody() async throws {
        struct Refused: Error {}
        let call = answering(.text("abcd")).get("/")
        let dropping = BodyPreprocessor { $0.dropFirst() }
        #expect(try await call.serialized(by: .string.preprocessed(by: dropping)) == "bcd")
        #expect(try await call.serialized(by: .data.preprocessed(by: dropping).preprocessed(by: dropping)).count == 2)
        let failing = BodyPreprocessor { _ in throw Refused() }
        let error = await expectFailure(.decodingFailed) {
            try await call.serialized(by: .string.preprocessed(by: failing))
        }
        #expect(error?.underlying is Refused)
    }

    // C100: what `tryMap` throws is in `underlying`, since there is one type of error. There is no `mapError`: that is `catch`.
    @Test func valuesAreTransformed() async throws {
        struct TooShort: Error {}
        let call = answering(.json(#"{"name": "Ada"}"#, headers: ["X-Y": "z"])).get("/")
        let response = try await call.serializedResponse(by: .json(Named.self).map(\.name.count))
        #expect(response.body == 3 && response.headers["X-Y"] == "z" && response.status == .ok)
        let failing = JSONResponseSerializer<Named>().tryMap { _ -> Int in throw TooShort() }
        let error = await expectFailure(.decodingFailed) { try await call.serialized(by: failing) }
        #expect(error?.underlying is TooShort)
        #expect(error?.response?.head.status == .ok)
        let plain = try await call.response()
        var mapped = plain
        mapped.trailers = ["X-Sum": "1"]
        #expect(mapped.map(\.count).trailers?["X-Sum"] == "1")
        #expect(throws: TooShort.self) { try plain.map { _ throws(TooShort) in throw TooShort() } }
        #expect(try plain.serialized(by: .json(Named.self)).name == "Ada")
    }

    // C101: AFNetworking takes white space for nothing and no error. Here it is an empty body, and the rule for these decides.
    @Test(arguments: [" ", "", "\n", "\r\n\t "])
    func whiteSpaceIsNoJSON(_ body: String) async throws {
        let call = answering(.text(body)).get("/")
        #expect(try await call.json(as: Named?.self) == nil)
        #expect(try await call.serialized(by: .optional(.json(Named.self))) == nil)
        #expect(try await call.serialized(by: .jsonValue(empty: .always)) == .null)
        await expectFailure(.emptyBody) { try await call.json(as: Named.self) }
    }

    // C102
    @Test func nullsAreRemovedAtEveryLevel() throws {
        let value = try JSONValue(
            parsing: Data(#"{"key":"value","nullkey":null,"array":[{"subnull":null}],"arr2":[null]}"#.utf8))
        #expect(value.removingNulls.description == #"{"arr2":[],"array":[{}],"key":"value"}"#)
        #expect(JSONValue.null.removingNulls == .null)
    }

    // C105
    @Test func theFirstThatFitsDecides() async throws {
        enum Answer: Equatable { case named(String), numbers([Int]), text(String) }
        let serializer = JSONResponseSerializer<Named>().map { Answer.named($0.name) }
            .or(JSONResponseSerializer<[Int]>().map { Answer.numbers($0) })
            .or(StringResponseSerializer().map { Answer.text($0) })
        for (body, answer) in [
            (#"{"name": "Ada"}"#, Answer.named("Ada")), ("[1, 2]", .numbers([1, 2])), ("<html>", .text("<html>")),
        ] {
            #expect(try await answering(.text(body)).get("/").serialized(by: serializer) == answer)
        }
        // When none does, the first one's error says why.
        let call = answering(.text("<html>")).get("/")
        let error = await expectFailure(.decodingFailed) {
            try await call.serialized(by: .first(.json(Named.self), .form(Named.self), .propertyList(Named.self)))
        }
        #expect(error?.message.contains("Named") == true)
        let refused = answering(.text("[1]", status: 404)).get("/")
        await expectFailure(.unacceptableStatus) { try await refused.serialized(by: serializer) }
    }

    @Test func decoderOfOnesOwnIsUsed() async throws {
        struct Dated: Decodable { var at: Date }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let call = answering(.json(#"{"at": 60}"#)).get("/")
        #expect(
            try await call.serialized(by: .json(Dated.self, decoder: decoder)).at == Date(timeIntervalSince1970: 60))
        let scoped = answering(.json(#"{"at": 60}"#)).scoped {
            $0.jsonDecoder = {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .millisecondsSince1970
                return decoder
            }
        }
        let byTerminal: Dated = try await scoped.get("/").json()
        let bySerializer = try await scoped.get("/").serialized(by: .json(Dated.self))
        #expect(byTerminal.at == Date(timeIntervalSince1970: 0.06) && bySerializer.at == byTerminal.at)
    }

    @Test func jsonMayBeginWithAMark() async throws {
        let client = answering(.data(Data([0xEF, 0xBB, 0xBF] + "{\"name\": \"Ada\"}".utf8)))
        #expect(try await client.get("/").json(as: Named.self).name == "Ada")
        let value = try await client.get("/").json()
        #expect(value["name"] == "Ada")
    }

    @Test func errorHoldsTheFirstBytesAlone() async throws {
        let call = answering(.text(String(repeating: "x", count: 1 << 20))).get("/")
        let error = await expectFailure(.decodingFailed) { try await call.json(as: Named.self) }
        #expect(error?.response?.bodyPrefix.count == 16 << 10)
        #expect(error?.request?.description == "GET https://a.example/")
    }

    /// What is not wanted is not held: more than the limit of collected bodies may pass.
    @Test func discardedBodyMayBeOfAnyLength() async throws {
        let call = answering(.data(Data(count: 1_000))).get("/").maximumBytes(10)
        let response = try await call.discard()
        #expect(response.status == .ok)
        await expectFailure(.bodyTooLarge) { try await call.serialized(by: .data) }
    }
}
