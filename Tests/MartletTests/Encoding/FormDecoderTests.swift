// Form text as values, and back: what the encoder writes, the decoder with the same strategies reads.

import Foundation
import Martlet
import Testing

@Suite struct FormDecoderTests {
    private struct Search: Codable, Equatable {
        var q: String
        var tags: [String]
        var page: Int?
        var exact: Bool
    }

    private let expected = Search(q: "a b+c", tags: ["x", "ü"], page: nil, exact: true)

    @Test(arguments: [
        "q=a+b%2Bc&tags[]=x&tags[]=%C3%BC&exact=1", "q=a%20b%2Bc&tags%5B%5D=x&tags%5B%5D=%c3%bc&exact=true",
        "tags=x&q=a+b%2Bc&tags=%C3%BC&exact=1", "q=a+b%2Bc&tags[1]=%C3%BC&tags[0]=x&exact=1",
        "&&q=a+b%2Bc&tags[7]=x&tags[999999999999]=%C3%BC&exact=1&",
        "q=a+b%2Bc&tags[]=x&tags[]=ü&exact=1&other=1&x[y]=2",
    ]) func everyFormOfArraysIsRead(_ text: String) throws {
        #expect(try URLEncodedFormDecoder().decode(Search.self, from: text) == expected)
        #expect(try URLEncodedFormDecoder().decode(Search.self, from: Data(text.utf8)) == expected)
    }

    @Test func nestingIsRead() throws {
        struct Outer: Decodable { var a: [String: Inner] }
        struct Inner: Decodable { var list: [Item] }
        struct Item: Decodable, Equatable { var b: Int; var c: String? }
        let indexed = try URLEncodedFormDecoder().decode(
            Outer.self, from: "a[k][list][0][b]=1&a[k][list][1][b]=2&a[k][list][1][c]=x")
        #expect(indexed.a["k"]?.list == [Item(b: 1), Item(b: 2, c: "x")])
        let bracketed = try URLEncodedFormDecoder().decode(
            Outer.self, from: "a[k][list][][b]=1&a[k][list][][b]=2&a[k][list][][c]=x")
        #expect(bracketed.a["k"]?.list == [Item(b: 1), Item(b: 2, c: "x")])
        var dotted = URLEncodedFormDecoder()
        dotted.keyPaths = .dots
        let dots = try dotted.decode(Outer.self, from: "a.k.list[0].b=1&a.k.list[1].b=2&a.k.list[1].c=x")
        #expect(dots.a["k"]?.list == [Item(b: 1), Item(b: 2, c: "x")])
    }

    @Test(arguments: ["a=%", "a=%2", "a=%zz", "%=1", "a=%ff", "a=%C3"]) func brokenTextIsRefused(_ text: String) {
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode([String: String].self, from: text) }
    }

    @Test(arguments: ["a=1&a=2", "a=x", "a=1.5", "a=99999999999999999999", "a=", "a[b]=1", "b=1", "a=%201"])
    func whatIsNoIntegerIsRefused(_ text: String) {
        struct Value: Decodable { var a: Int }
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode(Value.self, from: text) }
    }

    @Test(arguments: ["a=nan", "a=inf", "a=1e999", "a=x", "a="]) func whatIsNoNumberIsRefused(_ text: String) {
        struct Value: Decodable { var a: Double }
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode(Value.self, from: text) }
    }

    @Test(arguments: ["a=1x", "a=1.2.3", "a=--1", "a=", "a=.", "a=1e5"]) func whatIsNoDecimalIsRefused(_ text: String) {
        struct Value: Decodable { var a: Decimal }
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode(Value.self, from: text) }
    }

    @Test func namesThatBracketsDoNotDivideAreWhole() throws {
        let text = "[a]=1&a[b=2&a]b=3&[]=4&c[d]e=5&f[g[h]]=6"
        let values = try URLEncodedFormDecoder().decode([String: Int].self, from: text)
        #expect(values == ["[a]": 1, "a[b": 2, "a]b": 3, "[]": 4, "c[d]e": 5, "f[g[h]]": 6])
    }

    @Test func nestingAndFieldsAreBounded() {
        let deep = "a" + String(repeating: "[b]", count: 100_000) + "=1"
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode([String: String].self, from: deep) }
        let many = String(repeating: "a=1&", count: 100_001)
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode([String: [String]].self, from: many) }
        let dots = "a" + String(repeating: ".b", count: 100_000) + "=1"
        var dotted = URLEncodedFormDecoder()
        dotted.keyPaths = .dots
        #expect(throws: DecodingError.self) { try dotted.decode([String: String].self, from: dots) }
        var few = URLEncodedFormDecoder()
        few.maximumFields = 2
        #expect((try? few.decode([String: Int].self, from: "a=1&&b=2&")) == ["a": 1, "b": 2])
        #expect(throws: DecodingError.self) { try few.decode([String: Int].self, from: "a=1&b=2&c=3") }
        final class Endless: Decodable { let next: Endless }
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode(Endless.self, from: "") }
    }

    @Test func whatIsEmptyIsReadFromNothing() throws {
        struct Value: Decodable { var list: [Int]; var map: [String: Int]; var text: String? }
        let value = try URLEncodedFormDecoder().decode(Value.self, from: "")
        #expect(value.list.isEmpty && value.map.isEmpty && value.text == nil)
    }

    @Test(arguments: 0..<20) func randomTextNeverTraps(_ block: UInt64) {
        struct Value: Decodable {
            var a: [String: [Int]]?
            var b: [[String]]?
            var c: Date?
            var d: Data?
            var e: [Value]?
        }
        let alphabet = Array("abcde[][]=&&==%20+.0129\u{0}ü")
        for seed in (block * 500)..<((block + 1) * 500) {
            var random = SeededRandom(seed: seed)
            let text = String((0..<random.next(below: 60)).map { _ in alphabet[random.next(below: alphabet.count)] })
            var decoder = URLEncodedFormDecoder()
            if seed.isMultiple(of: 2) { decoder.keyPaths = .dots }
            decoder.splitsAtCommas = seed.isMultiple(of: 3)
            _ = try? decoder.decode(Value.self, from: text)
            _ = try? decoder.decode([String: String].self, from: text)
        }
    }
}

@Suite struct FormRoundTripTests {
    struct Value: Codable, Equatable {
        var text: String
        var other: String?
        var myURLPath: String
        var flag: Bool
        var small: Int8
        var large: UInt64
        var double: Double
        var float: Float
        var decimal: Decimal
        var date: Date
        var data: Data
        var id: UUID
        var words: [String]
        var numbers: [Int]
        var flags: [Bool]?
        var map: [String: Int]
        var inner: Inner
        var items: [Inner]
        var byID: [Int: Inner]
        var kind: Kind

        struct Inner: Codable, Equatable { var name: String; var count: Int? }
        enum Kind: String, Codable { case one, two }

        init(_ random: inout SeededRandom) {
            text = Self.text(&random)
            other = random.next(below: 2) == 0 ? nil : "x" + Self.text(&random)
            myURLPath = Self.text(&random)
            flag = .random(using: &random)
            small = .random(in: .min ... .max, using: &random)
            large = random.next()
            double = Double(bitPattern: random.next() & ~(1 << 62))
            float = Float.random(in: -1e6...1e6, using: &random)
            decimal = Decimal(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1000
            date = Date(timeIntervalSince1970: Double(random.next(below: 4_000_000_000)))
            data = Data((0..<random.next(below: 20)).map { _ in UInt8.random(in: 0...255, using: &random) })
            id = UUID(
                uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8.random(in: 0...255, using: &random)))
            words = (0..<random.next(below: 4)).map { _ in "w" + Self.text(&random) }
            numbers = (0..<random.next(below: 14)).map { _ in Int.random(in: -99...99, using: &random) }
            flags = random.next(below: 2) == 0 ? nil : [true, false, .random(using: &random)]
            map = Dictionary((0..<random.next(below: 4)).map { ("key \($0)+&=%ü", $0) }) { $1 }
            inner = Self.inner(&random)
            items = (0..<random.next(below: 12)).map { _ in Self.inner(&random) }
            byID = Dictionary((0..<random.next(below: 3)).map { ($0 * 7, Self.inner(&random)) }) { $1 }
            kind = random.next(below: 2) == 0 ? .one : .two
        }

        private static func inner(_ random: inout SeededRandom) -> Inner {
            Inner(name: text(&random), count: random.next(below: 2) == 0 ? nil : random.next(below: 100))
        }

        private static func text(_ random: inout SeededRandom) -> String {
            let alphabet = Array("abz019 +&=%[].,;/?#\"'\\\r\n\0\tüß€👨‍👩‍👧‍👦🇩🇪")
            return String((0..<random.next(below: 12)).map { _ in alphabet[random.next(below: alphabet.count)] })
        }
    }

    /// An encoder with strategies chosen by chance, of those that can be undone for this value: objects in arrays need indexes.
    private static func encoder(_ random: inout SeededRandom) -> URLEncodedFormEncoder {
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = .indexInBrackets
        encoder.booleans = random.next(below: 2) == 0 ? .numeric : .literal
        encoder.data = random.next(below: 2) == 0 ? .base64 : .deferredToData
        encoder.dates = [.deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601][random.next(below: 4)]
        encoder.keys =
            [.unchanged, .snakeCase, .kebabCase, .capitalized, .uppercased, .lowercased][
                random.next(below: 6)]
        encoder.keyPaths = random.next(below: 2) == 0 ? .brackets : .dots
        encoder.nils = [.dropped, .keyOnly, .dropped][random.next(below: 3)]
        encoder.spaces = random.next(below: 2) == 0 ? .percentEscaped : .plusReplaced
        encoder.allowedCharacters = random.next(below: 2) == 0 ? .query : .unreserved
        encoder.sortsKeys = random.next(below: 2) == 0
        return encoder
    }

    @Test(arguments: 0..<20) func whatIsEncodedIsDecoded(_ block: UInt64) throws {
        for seed in (block * 50)..<((block + 1) * 50) { try check(seed) }
    }

    private func check(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var value = Value(&random)
        let encoder = Self.encoder(&random)
        // Keys of dictionaries are spelled anew as well, and their own spelling is then gone.
        if case .unchanged = encoder.keys {} else { value.map = [:] }
        let text = try encoder.encodeString(value)
        let decoded = try URLEncodedFormDecoder(matching: encoder).decode(Value.self, from: text)
        #expect(decoded == value, "seed \(seed): \(text)")
    }

    struct Plain: Codable, Equatable {
        var words: [String]
        var numbers: [Int]
        var name: String
    }

    @Test(arguments: 0..<40) func arraysOfPlainValuesComeBackInEveryForm(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let source = Value(&random)
        let value = Plain(words: source.words, numbers: source.numbers, name: source.text)
        var encoder = URLEncodedFormEncoder()
        encoder.arrays = [.brackets, .repeatedKey, .indexInBrackets, .commaSeparated][Int(seed % 4)]
        let text = try encoder.encodeString(value)
        #expect(try URLEncodedFormDecoder(matching: encoder).decode(Plain.self, from: text) == value, "\(text)")
    }
}
