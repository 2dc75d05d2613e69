// Values that mean no good: nothing that encodes itself may trap the process, grow without bounds or lose data in silence.

import Foundation
import Martlet
import Testing

@Suite struct FormEncoderAttackTests {
    @Test func nestingIsBounded() throws {
        #expect(throws: Never.self) { try URLEncodedFormEncoder().encode(Nested(levels: 60)) }
        #expect(throws: EncodingError.self) { try URLEncodedFormEncoder().encode(Nested(levels: 100_000)) }
        #expect(throws: EncodingError.self) { try URLEncodedFormEncoder().encode(Wrapped(levels: 100_000)) }
    }

    @Test(arguments: [true, false]) func containersNestedWithoutEndAreRefused(_ keyed: Bool) {
        #expect(throws: EncodingError.self) {
            try URLEncodedFormEncoder().encode(
                Custom { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    var list = container.nestedUnkeyedContainer(forKey: .a)
                    for _ in 0..<200_000 {
                        if keyed {
                            var nested = list.nestedContainer(keyedBy: Key.self)
                            list = nested.nestedUnkeyedContainer(forKey: .a)
                        } else {
                            list = list.nestedUnkeyedContainer()
                        }
                    }
                })
        }
    }

    @Test func twoFormsOfOneValueAreRefused() {
        let encoder = URLEncodedFormEncoder()
        #expect(throws: EncodingError.self) {
            try encoder.encode(
                Custom { encoder in
                    _ = encoder.container(keyedBy: Key.self)
                    var list = encoder.unkeyedContainer()
                    try list.encode(1)
                })
        }
        #expect(throws: EncodingError.self) {
            try encoder.encode([
                "a": Custom { encoder in
                    var value = encoder.singleValueContainer()
                    try value.encode(1)
                    try value.encode(2)
                }
            ])
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan]) func numbersWithoutAFormAreRefused(_ number: Double) throws {
        let encoder = URLEncodedFormEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode(["a": number]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [Float(number)]]) }
        var lenient = encoder
        lenient.nonFiniteFloats = .literals(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        #expect(try ["a=inf", "a=-inf", "a=nan"].contains(lenient.encodeString(["a": number])))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e18, 253_402_300_800, -62_135_596_801])
    func datesWithoutAFormAreRefused(_ seconds: Double) throws {
        let value = ["a": Date(timeIntervalSince1970: seconds)]
        var encoder = URLEncodedFormEncoder()
        encoder.dates = .iso8601
        #expect(throws: EncodingError.self) { try encoder.encode(value) }
        guard !seconds.isFinite else { return }
        for dates in [URLEncodedFormEncoder.DateEncoding.deferredToDate, .secondsSince1970, .millisecondsSince1970] {
            encoder.dates = dates
            #expect(throws: EncodingError.self) { try encoder.encode(value) }
        }
    }

    @Test func theLastDateOfRFC3339IsWritten() throws {
        var encoder = URLEncodedFormEncoder()
        encoder.dates = .iso8601
        let text = try encoder.encodeString(["a": Date(timeIntervalSince1970: 253_402_300_799)])
        #expect(text == "a=9999-12-31T23%3A59%3A59Z")
    }

    @Test func aDecimalThatIsNoNumberIsRefused() {
        #expect(throws: EncodingError.self) { try URLEncodedFormEncoder().encode(["a": Decimal.nan]) }
    }

    @Test func keysThatCollideAfterASpellingAreBothKept() throws {
        var encoder = URLEncodedFormEncoder()
        encoder.keys = .snakeCase
        let text = try encoder.encodeString(["fooBar", "foo_bar"].reduce(into: [:]) { $0[$1] = 1 })
        #expect(text == "foo_bar=1&foo_bar=1")
    }

    @Test func aKeyWrittenTwiceHasItsLastValue() throws {
        let text = try URLEncodedFormEncoder().encodeString(
            Custom { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .a)
                var again = encoder.container(keyedBy: Key.self)
                try again.encode(3, forKey: .b)
            })
        #expect(text == "a=2&b=3")
    }

    @Test func keysThatAreNoStringsMakeAnArray() throws {
        let text = try URLEncodedFormEncoder().encodeString(["a": [Date(timeIntervalSinceReferenceDate: 1): 2]])
        #expect(text == "a%5B%5D=1.0&a%5B%5D=2")
        #expect(try URLEncodedFormEncoder().encodeString([1: "x", 10: "y"]) == "1=x&10=y")
        #expect(throws: EncodingError.self) { try URLEncodedFormEncoder().encode([Date(): 1]) }
    }

    @Test func commasSeparatePlainValuesOnly() {
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = .commaSeparated
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [["b": 1]]]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a": [[1], [2]]]) }
    }

    @Test func aCommaThatIsAllowedIsStillNoSeparator() throws {
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = .commaSeparated
        encoder.allowedCharacters = .init("abcdefghijklmnopqrstuvwxyz,")
        #expect(try encoder.encodeString(["a": ["x,y", "z"]]) == "a=x%2Cy,z")
    }

    @Test func aMegabyteIsOneMatter() throws {
        let text = String(repeating: "ü x", count: 262_144)
        let clock = ContinuousClock()
        let time = try clock.measure {
            let encoded = try URLEncodedFormEncoder().encodeString(["a": text])
            #expect(encoded.utf8.count == 2 + 262_144 * 10)
        }
        // Linear is milliseconds; anything that copies what came before takes minutes.
        #expect(time < .seconds(60))
    }

    @Test func manyFieldsAreNoMatterOfTheirSquare() throws {
        let fields = Dictionary(uniqueKeysWithValues: (0..<50_000).map { ("key\($0)", $0) })
        let time = try ContinuousClock().measure {
            let text = try URLEncodedFormEncoder().encodeString(["all": fields])
            #expect(text.split(separator: "&").count == 50_000)
        }
        #expect(time < .seconds(60))
    }

    @Test func aValueThatEncodesNothingIsAnEmptyObject() throws {
        #expect(try URLEncodedFormEncoder().encodeString(Custom { _ in }) == "")
        #expect(try URLEncodedFormEncoder().encodeString(["a": Custom { _ in }]) == "")
    }

    @Test func whatAValueThrowsIsThrown() {
        struct Refused: Error {}
        #expect(throws: Refused.self) { try URLEncodedFormEncoder().encode(["a": Custom { _ in throw Refused() }]) }
    }

    @Test func encodersHandedOutAreFilledLater() throws {
        let text = try URLEncodedFormEncoder().encodeString(
            Custom { encoder in
                var container = encoder.container(keyedBy: Key.self)
                let under = container.superEncoder(forKey: .a)
                try container.encode(1, forKey: .b)
                try [5, 6].encode(to: under)
            })
        #expect(text == "a%5B%5D=5&a%5B%5D=6&b=1")
    }

    @Test func singleValuesMayWrapAnything() throws {
        let text = try URLEncodedFormEncoder().encodeString(
            Custom { encoder in
                var value = encoder.singleValueContainer()
                try value.encode([
                    "a": Custom { encoder in
                        var inner = encoder.singleValueContainer()
                        try inner.encode([1, 2])
                    }
                ])
            })
        #expect(text == "a%5B%5D=1&a%5B%5D=2")
    }
}

private enum Key: CodingKey { case a, b }

/// Encodes itself by a closure.
struct Custom: Encodable, Sendable {
    let body: @Sendable (any Encoder) throws -> Void
    init(_ body: @escaping @Sendable (any Encoder) throws -> Void) { self.body = body }
    func encode(to encoder: any Encoder) throws { try body(encoder) }
}

/// A dictionary in a dictionary, as deep as is said.
private struct Nested: Encodable {
    let levels: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if levels > 0 { try container.encode(Nested(levels: levels - 1), forKey: .a) }
    }
}

/// A single value in a single value, as deep as is said.
private struct Wrapped: Encodable {
    let levels: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if levels > 0 { try container.encode(Wrapped(levels: levels - 1)) } else { try container.encode(["a": 1]) }
    }
}
