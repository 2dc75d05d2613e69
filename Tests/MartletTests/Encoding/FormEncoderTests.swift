// Section 2.1 of the behaviour cases: URL-encoded forms, each case by its number.

import Foundation
import Martlet
import Testing

/// A value, the encoder that it is given to, and the text expected.
struct FormCase: Sendable, CustomTestStringConvertible {
    let name: String
    let value: any Encodable & Sendable
    let expected: String
    let change: @Sendable (inout URLEncodedFormEncoder) -> Void

    init(
        _ name: String, _ value: any Encodable & Sendable, _ expected: String,
        _ change: @escaping @Sendable (inout URLEncodedFormEncoder) -> Void = { _ in }
    ) {
        self.name = name
        self.value = value
        self.expected = expected
        self.change = change
    }

    var testDescription: String { name }

    func text() throws -> String {
        var encoder = URLEncodedFormEncoder()
        change(&encoder)
        return try encoder.encodeString(value)
    }
}

@Suite struct FormEncoderTests {
    @Test(arguments: [
        FormCase("C001", ["foo": "bar"], "foo=bar"),
        FormCase("C002: keys are sorted", ["foo": "bar", "baz": "qux"], "baz=qux&foo=bar"),
        FormCase("C012", ["foo": ["a", 1, true] as Mixed], "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1"),
        FormCase("C013", ["foo": ["a", 1, true] as Mixed], "foo=a&foo=1&foo=1") { $0.arrays = .repeatedKey },
        FormCase("C014", ["foo": ["a", 1, true] as Mixed], "foo.1=a&foo.2=1&foo.3=1") {
            $0.arrays = .custom { "\($0).\($1 + 1)" }
        },
        FormCase("C016", ["foo": ["bar": ["baz": 1]]], "foo%5Bbar%5D%5Bbaz%5D=1"),
        FormCase(
            "C017", ["foo": ["bar": ["baz": ["a", 1, true] as Mixed]]],
            "foo%5Bbar%5D%5Bbaz%5D%5B%5D=a&foo%5Bbar%5D%5Bbaz%5D%5B%5D=1&foo%5Bbar%5D%5Bbaz%5D%5B%5D=1"),
        FormCase(
            "C017 without brackets", ["foo": ["bar": ["baz": ["a", 1, true] as Mixed]]],
            "foo%5Bbar%5D%5Bbaz%5D=a&foo%5Bbar%5D%5Bbaz%5D=1&foo%5Bbar%5D%5Bbaz%5D=1"
        ) { $0.arrays = .repeatedKey },
        FormCase(
            "C018", ["foo": [["bar": 2], ["qux": 3], ["quy": 4]]],
            "foo%5B0%5D%5Bbar%5D=2&foo%5B1%5D%5Bqux%5D=3&foo%5B2%5D%5Bquy%5D=4"
        ) { $0.arrays = .indexInBrackets },
        FormCase(
            "C020: declared order", Declared(),
            "one=one&two=2&three=1&four%5B%5D=1&four%5B%5D=2&four%5B%5D=3&five%5Ba%5D=a&six%5Ba%5D%5Bb%5D=b&seven%5Ba%5D=a"
        ) { $0.sortsKeys = false },
        FormCase(
            "C021: a superclass beside the class", Derived(),
            "five%5Ba%5D=a&five%5Bb%5D=b&four%5B%5D=1&four%5B%5D=2&four%5B%5D=3&one=one&three=1&two=2"),
        FormCase(
            "C022: arrays of arrays", DeepArrays(),
            "root%5B0%5D%5B0%5D=1&root%5B0%5D%5B1%5D=2&root%5B0%5D%5B2%5D=3&root%5B1%5D%5Ba%5D%5Bstring%5D=string"
                + "&root%5B2%5D%5B0%5D%5B0%5D=1&root%5B2%5D%5B0%5D%5B1%5D=2&root%5B2%5D%5B0%5D%5B2%5D=3"
        ) { $0.arrays = .indexInBrackets },
        FormCase("C024: arrays keep their order", ["a": [9, 10]], "a%5B%5D=9&a%5B%5D=10"),
        FormCase(
            "C024: by index too", ["a": Array(0...10)], (0...10).map { "a%5B\($0)%5D=\($0)" }.joined(separator: "&")
        ) { $0.arrays = .indexInBrackets },
        FormCase("C025: an empty array", ["a": [Int]()], ""),
        FormCase("C025: an empty dictionary", ["a": [String: Int]()], ""),
    ]) func structureIsWritten(_ form: FormCase) throws {
        #expect(try form.text() == form.expected)
    }

    @Test(arguments: [
        FormCase("C028: each key for itself", ["outerKey": ["innerKey": 1]], "outer_key%5Binner_key%5D=1") {
            $0.keys = .snakeCase
        },
        FormCase("C028: capitals for each key", ["outerKey": ["innerKey": 1]], "OuterKey%5BInnerKey%5D=1") {
            $0.keys = .capitalized
        },
        FormCase("C029 snake", ["oneTwoThree": 1], "one_two_three=1") { $0.keys = .snakeCase },
        FormCase("C029 kebab", ["oneTwoThree": 1], "one-two-three=1") { $0.keys = .kebabCase },
        FormCase("C029 capitalized", ["oneTwoThree": 1], "OneTwoThree=1") { $0.keys = .capitalized },
        FormCase("C029 lower", ["oneTwoThree": 1], "onetwothree=1") { $0.keys = .lowercased },
        FormCase("C029 upper", ["oneTwoThree": 1], "ONETWOTHREE=1") { $0.keys = .uppercased },
        FormCase("C029 custom", ["oneTwoThree": "oneTwoThree"], "A=oneTwoThree") { $0.keys = .custom { _ in "A" } },
        FormCase("C030 URL", ["myURLProperty": 1], "my_url_property=1") { $0.keys = .snakeCase },
        FormCase("C030", ["myProperty": 1], "my_property=1") { $0.keys = .snakeCase },
        FormCase("key path in dots", ["a": ["b": ["c": 1]]], "a.b.c=1") { $0.keyPaths = .dots },
        FormCase("key path of one's own", ["a": ["b": ["c": 1]]], "a-b-c=1") { $0.keyPaths = .custom { "-\($0)" } },
    ]) func keysAreWritten(_ form: FormCase) throws {
        #expect(try form.text() == form.expected)
    }

    @Test(arguments: [
        FormCase("C032 false", ["foo": false], "foo=0"),
        FormCase("C032 integer", ["foo": 25], "foo=25"),
        FormCase("C032 double", ["foo": 1.1], "foo=1.1"),
        FormCase("literal booleans", ["foo": [true, false]], "foo=true&foo=false") {
            $0.booleans = .literal
            $0.arrays = .repeatedKey
        },
        FormCase("C033 Double", ["a": 1.0 as Double], "a=1.0"),
        FormCase("C033 Float", ["a": 1.0 as Float], "a=1.0"),
        FormCase("C033 Decimal", ["a": Decimal(1)], "a=1"),
        FormCase("C033 exact Decimal", ["a": Decimal(string: "1.123456")], "a=1.123456"),
        FormCase("C033 Int8", ["a": 1 as Int8], "a=1"),
        FormCase("C033 UInt64", ["a": UInt64.max], "a=18446744073709551615"),
        FormCase("Int128", ["a": Int128.min], "a=-170141183460469231731687303715884105728"),
        FormCase("C034", ["data": Data("data".utf8)], "data=ZGF0YQ%3D%3D"),
        FormCase("data as bytes", ["data": Data([1, 2])], "data%5B%5D=1&data%5B%5D=2") { $0.data = .deferredToData },
        FormCase("data by a closure", ["data": Data([1, 2])], "data=2") { $0.data = .custom { "\($0.count)" } },
        FormCase("date as it is", ["at": Date(timeIntervalSinceReferenceDate: 1.5)], "at=1.5"),
        FormCase("date in seconds", ["at": Date(timeIntervalSince1970: 1.5)], "at=1.5") {
            $0.dates = .secondsSince1970
        },
        FormCase("date in whole seconds", ["at": Date(timeIntervalSince1970: 2)], "at=2") {
            $0.dates = .secondsSince1970
        },
        FormCase("date in milliseconds", ["at": Date(timeIntervalSince1970: 2)], "at=2000") {
            $0.dates = .millisecondsSince1970
        },
        FormCase("date of RFC 3339", ["at": Date(timeIntervalSince1970: 0)], "at=1970-01-01T00%3A00%3A00Z") {
            $0.dates = .iso8601
        },
        FormCase("date by a formatter", ["at": Date(timeIntervalSince1970: 0)], "at=1970") {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(secondsFromGMT: 0)
            formatter.dateFormat = "yyyy"
            $0.dates = .formatted(formatter)
        },
        FormCase("date by a closure", ["at": Date(timeIntervalSince1970: 7)], "at=7.0s") {
            $0.dates = .custom { "\($0.timeIntervalSince1970)s" }
        },
        FormCase("URL", ["url": URL(string: "https://a/b?c")], "url=https%3A//a/b?c"),
        FormCase(
            "UUID", ["id": UUID(uuidString: "00000000-0000-0000-0000-000000000001")],
            "id=00000000-0000-0000-0000-000000000001"),
        FormCase("arrays by commas", ["a": ["x", "y,z", ""]], "a=x,y%2Cz,") { $0.arrays = .commaSeparated },
        FormCase("no elements, no name", ["a": [String]()], "") { $0.arrays = .commaSeparated },
    ]) func plainValuesAreWritten(_ form: FormCase) throws {
        #expect(try form.text() == form.expected)
    }

    @Test(arguments: [
        FormCase("C037 dropped", ["a": String?.none], ""),
        FormCase("C037 empty", ["a": String?.none], "a=") { $0.nils = .emptyValue },
        FormCase("C037 null", ["a": String?.none], "a=null") { $0.nils = .null },
        FormCase("C038 dropped", Optionals(), "one=one"),
        FormCase("C038 empty", Optionals(), "one=one&three=&two=") { $0.nils = .emptyValue },
        FormCase("C038 null", Optionals(), "one=one&three=null&two=null") { $0.nils = .null },
        FormCase("C050: the key alone", Optionals(), "one=one&three&two") { $0.nils = .keyOnly },
        FormCase("by a closure", Optionals(), "one=one&two=~") { $0.nils = .custom { $0 == "two" ? "~" : nil } },
        FormCase("in arrays", ["a": [1, nil, 2]], "a=1&a=2") { $0.arrays = .repeatedKey },
        FormCase("in arrays, as null", ["a": [1, nil, 2]], "a=1&a=null&a=2") {
            $0.arrays = .repeatedKey
            $0.nils = .null
        },
        FormCase("between commas", ["a": [1, nil, 2]], "a=1,,2") {
            $0.arrays = .commaSeparated
            $0.nils = .emptyValue
        },
    ]) func nilIsWrittenAsToldEverywhere(_ form: FormCase) throws {
        #expect(try form.text() == form.expected)
    }

    @Test(arguments: [
        FormCase("C040", ["+foo+": "+bar+"], "%2Bfoo%2B=%2Bbar%2B"),
        FormCase("C041", ["percent%": "%25"], "percent%25=%2525"),
        FormCase(
            "C042", ["reserved": ":#[]@!$&'()*+,;="], "reserved=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
        FormCase(
            "C044", ["illegal": " \"#%<>[]\\^`{}|"], "illegal=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C"),
        FormCase("C045", ["foo&bar": "baz&qux", "foobar": "bazqux"], "foo%26bar=baz%26qux&foobar=bazqux"),
        FormCase("C046 French", ["a": "français"], "a=fran%C3%A7ais"),
        FormCase("C046 emoji", ["a": "😃"], "a=%F0%9F%98%83"),
        FormCase("C046 Arabic", ["a": "العربية"], "a=%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9"),
        FormCase("C049", ["key": "value", "key1": "value&"], "key=value&key1=value%26"),
        FormCase("`?` and `/` stay", ["a?/b": "c?/d"], "a?/b=c?/d"),
        FormCase("unreserved only", ["a/b": "c?d"], "a%2Fb=c%3Fd") { $0.allowedCharacters = .unreserved },
        FormCase("characters of one's own", ["a": "b:c%&=+# é"], "a=b:c%25%26%3D%2B%23%20%C3%A9") {
            $0.allowedCharacters = .init("abc:%&=+# é")
        },
        FormCase("characters of a set", ["a": "b[]"], "a=b[]") {
            $0.allowedCharacters = .init(CharacterSet(charactersIn: "ab[]é"))
        },
        FormCase("space as a plus", ["a b": "c d+"], "a+b=c+d%2B") { $0.spaces = .plusReplaced },
        FormCase("control characters", ["a": "\r\n\0\u{7F}"], "a=%0D%0A%00%7F"),
    ]) func textIsEscaped(_ form: FormCase) throws {
        #expect(try form.text() == form.expected)
    }

    // C048
    @Test(arguments: 0..<8) func charactersAreNeverTornApart(_ shift: Int) throws {
        let text = String(repeating: "x", count: shift) + String(repeating: "👨‍👩‍👧‍👦🇩🇪👍🏽", count: 60)
        let encoded = try URLEncodedFormEncoder().encodeString(["a": text])
        #expect(encoded.dropFirst(2).removingPercentEncoding == text)
        #expect(encoded.utf8.count == 2 + shift + 3 * (text.utf8.count - shift))
    }

    // C026
    @Test func aRootWithoutKeysIsRefused() {
        let encoder = URLEncodedFormEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode([1]) }
        #expect(throws: EncodingError.self) { try encoder.encode("string") }
        #expect(throws: EncodingError.self) { try encoder.encode(Int?.none) }
        #expect(throws: EncodingError.self) { try encoder.encode([[1, 2, 3]]) }
    }

    @Test func aRootOfPairsKeepsItsOrder() throws {
        let encoder = URLEncodedFormEncoder()
        #expect(try encoder.encodeString([["b": 1], ["a": 2], ["b": 3]]) == "b=1&a=2&b=3")
        #expect(try encoder.encodeString([["b", "1"], ["a", "2"], ["b", "3"]]) == "b=1&a=2&b=3")
    }

    // C036
    @Test func whatAClosureThrowsIsThrown() {
        struct Refused: Error {}
        var encoder = URLEncodedFormEncoder()
        encoder.dates = .custom { _ in throw Refused() }
        encoder.data = .custom { _ in throw Refused() }
        #expect(throws: Refused.self) { try encoder.encode(["a": Date()]) }
        #expect(throws: Refused.self) { try encoder.encode(["a": Data()]) }
    }
}

/// An array of values of several kinds.
struct Mixed: Encodable, Sendable, ExpressibleByArrayLiteral {
    var values: [any Encodable & Sendable]
    init(arrayLiteral values: any Encodable & Sendable...) { self.values = values }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in values { try container.encode(value) }
    }
}

private struct Declared: Encodable, Sendable {
    var one = "one"
    var two = 2
    var three = true
    var four = [1, 2, 3]
    var five = ["a": "a"]
    var six = ["a": ["b": "b"]]
    var seven = Seven()

    struct Seven: Encodable, Sendable { var a = "a" }
}

private class Base: Encodable, @unchecked Sendable {
    let one = "one"
    let two = 2
    let three = true
}

private final class Derived: Base, @unchecked Sendable {
    private enum Keys: CodingKey { case four, five }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode([1, 2, 3], forKey: .four)
        try container.encode(["a": "a", "b": "b"], forKey: .five)
        try super.encode(to: container.superEncoder())
    }
}

private struct DeepArrays: Encodable, Sendable {
    private enum Keys: CodingKey { case root, a, string }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var root = container.nestedUnkeyedContainer(forKey: .root)
        try root.encode([1, 2, 3])
        var second = root.nestedContainer(keyedBy: Keys.self)
        var inside = second.nestedContainer(keyedBy: Keys.self, forKey: .a)
        try inside.encode("string", forKey: .string)
        var third = root.nestedUnkeyedContainer()
        try third.encode([1, 2, 3])
    }
}

private struct Optionals: Encodable, Sendable {
    var one: String? = "one"
    var two: String?
    var three: [Int]?
}
