import Foundation
import Testing

@testable import Martlet

@Suite struct JSONValueTests {
    private static let sample: JSONValue = [
        "id": 1, "name": "Ada", "score": 1.5, "ok": true, "nothing": nil, "tags": ["a", "b"],
        "address": ["city": "London"],
    ]

    @Test func membersAndElementsAreReached() {
        let value = Self.sample
        #expect(value.name?.string == "Ada")
        #expect(value["address"]?["city"] == "London")
        #expect(value.address?.city?.string == "London")
        #expect(value.tags?[1]?.string == "b")
        #expect(value.id?.int == 1)
        #expect(value.score?.double == 1.5)
        #expect(value.ok?.bool == true)
        #expect(value.nothing?.isNull == true)
        #expect(value.tags?.array?.count == 2)
        #expect(value.address?.object?.count == 1)
    }

    @Test func absentMembersAndOtherKindsAreNil() {
        let value = Self.sample
        #expect(value.missing == nil)
        #expect(value.tags?[2] == nil)
        #expect(value.tags?[-1] == nil)
        #expect(value["id"]?["x"] == nil)
        #expect(value["id"]?[0] == nil)
        #expect(value.name?.int == nil)
        #expect(value.id?.string == nil)
        #expect(value.score?.int == nil)
        #expect(value.id?.bool == nil)
        #expect(value.id?.array == nil)
        #expect(value.id?.object == nil)
        #expect(value.name?.double == nil)
    }

    @Test func membersAreSetAndRemoved() {
        var value: JSONValue = ["a": 1]
        value.b = "x"
        value["a"] = nil
        #expect(value == ["b": "x"])
        var scalar: JSONValue = 5
        scalar["a"] = [1, 2]
        #expect(scalar == ["a": [1, 2]])
    }

    @Test func numbersAreEqualByValue() {
        #expect(JSONValue.integer(5) == .unsigned(5))
        #expect(JSONValue.integer(5) == .double(5))
        #expect(JSONValue.unsigned(.max) != .double(Double(UInt64.max)))
        #expect(JSONValue.double(1e300) == .double(1e300))
        #expect(Set([JSONValue.integer(5), .unsigned(5), .double(5), 6]).count == 2)
        #expect(JSONValue.integer(1) != .bool(true))
    }

    @Test func numbersConvertOnlyWhenTheyFit() {
        #expect(JSONValue.double(3).int == 3)
        #expect(JSONValue.double(1e30).int == nil)
        #expect(JSONValue.double(.nan).int == nil)
        #expect(JSONValue.unsigned(.max).int == nil)
        #expect(JSONValue.unsigned(.max).double == Double(UInt64.max))
        #expect(JSONValue.integer(.min).int == .min)
    }

    @Test(
        arguments: [
            (
                sample,
                #"{"address":{"city":"London"},"id":1,"name":"Ada","nothing":null,"ok":true,"score":1.5,"tags":["a","b"]}"#
            ),
            ([], "[]"), ([:], "{}"), ("a\"\\\n\r\t\u{1}/ü", #""a\"\\\n\r\t\u0001/ü""#), (.double(.infinity), "null"),
            (.unsigned(.max), "18446744073709551615"), ("e\u{301}", "\"e\u{301}\""), ("\(1 + 1) \("x")", "\"2 x\""),
        ] as [(JSONValue, String)])
    func descriptionIsCompactJSON(value: JSONValue, text: String) throws {
        #expect(value.description == text)
    }

    @Test func descriptionIsReadBack() throws {
        #expect(try JSONValue(parsing: Data(Self.sample.description.utf8)) == Self.sample)
    }

    @Test func repeatedNamesOfALiteralDoNotTrap() {
        #expect((["a": 1, "a": 2] as JSONValue) == ["a": 2])
    }

    private struct Envelope: Codable, Equatable {
        var kind: String
        var payload: JSONValue
        var optional: JSONValue?
    }

    @Test func isAPartOfACodableType() throws {
        let envelope = Envelope(kind: "k", payload: Self.sample, optional: nil)
        let data = try JSONEncoder().encode(envelope)
        #expect(try JSONDecoder().decode(Envelope.self, from: data) == envelope)
    }

    @Test(arguments: [
        "null", "true", "false", "1", "-9223372036854775808", "9223372036854775807", "0.5", #""x""#, "[]", "{}",
        #"[[],{},[null,{"a":[1,"b",true]}]]"#,
    ])
    func decoderGivesWhatParsingGives(text: String) throws {
        let data = Data(text.utf8)
        let decoded = try JSONDecoder().decode(JSONValue.self, from: data)
        #expect(try decoded == JSONValue(parsing: data))
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(decoded)) == decoded)
    }
}
