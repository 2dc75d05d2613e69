// Header fields: order, names without case, repeated fields, and that secrets stay out of what is printed.

import Testing

@testable import Martlet

@Suite struct HTTPHeadersTests {
    @Test func dictionaryLiteralHoldsEachNameOnce() {
        let headers: HTTPHeaders = ["key": "", "Key": "", "KEY": ""]
        #expect(headers.count == 1)
        #expect(headers.first?.name == "KEY")
    }

    @Test func fieldsKeepTheirOrderUntilSorted() {
        let headers: HTTPHeaders = ["b": "", "a": "", "c": ""]
        #expect(headers.names == ["b", "a", "c"])
        #expect(headers.sorted().names == ["a", "b", "c"])
    }

    @Test func sortingKeepsTheOrderOfRepeatedFields() {
        var headers: HTTPHeaders = [.init("B", "1"), .init("a", "2"), .init("b", "3"), .init("A", "4")]
        headers.sort()
        #expect(headers.map(\.value) == ["2", "4", "1", "3"])
    }

    @Test func settingReplacesInPlaceWithTheNewSpelling() {
        var headers: HTTPHeaders = ["a": "a", "b": "b", "c": "c", "d": "d"]
        headers["C"] = "C"
        #expect(headers.map(\.description) == ["a: a", "b: b", "C: C", "d: d"])
    }

    @Test func settingReplacesAllRepeatedFieldsByOne() {
        var headers: HTTPHeaders = [.init("x", "1"), .init("y", "2"), .init("X", "3"), .init("x", "4")]
        headers.set("X", "5")
        #expect(headers.map(\.description) == ["X: 5", "y: 2"])
    }

    @Test func appendingKeepsWhatIsThere() {
        var headers = HTTPHeaders()
        headers.append("Link", "a")
        headers.append("link", "b")
        #expect(headers["LINK"] == "a")
        #expect(headers.values(for: "Link") == ["a", "b"])
        #expect(headers.combined(for: "Link") == "a, b")
        #expect(headers.names == ["Link"])
        #expect(headers.dictionary == ["Link": "a, b"])
    }

    @Test func removingTakesAllOfTheName() {
        var headers: HTTPHeaders = [.init("x", "1"), .init("y", "2"), .init("X", "3")]
        headers["X"] = nil
        #expect(headers.map(\.description) == ["y: 2"])
        headers.remove("absent")
        #expect(headers.count == 1)
    }

    @Test func absentFieldIsNil() {
        let headers: HTTPHeaders = ["Accept": "*/*"]
        #expect(headers["Accept-Language"] == nil)
        #expect(headers.combined(for: "X") == nil)
        #expect(!headers.contains("X"))
        #expect(headers.contains("aCCEPT"))
    }

    @Test func mergingReplacesByNameAndKeepsRepeatedFields() {
        let base: HTTPHeaders = [.init("A", "1"), .init("B", "2"), .init("a", "3")]
        let merged = base.merging([.init("a", "4"), .init("C", "5"), .init("A", "6")])
        #expect(merged.map(\.description) == ["a: 4", "B: 2", "C: 5", "A: 6"])
    }

    @Test func equalityIgnoresTheCaseOfNamesOnly() {
        #expect(HTTPHeaders(["A": "b"]) == ["a": "b"])
        #expect(HTTPHeaders(["A": "b"]).hashValue == HTTPHeaders(["a": "b"]).hashValue)
        #expect(HTTPHeaders(["A": "b"]) != ["A": "B"])
        #expect(HTTPHeaders(["A": "b", "C": "d"]) != ["C": "d", "A": "b"])
    }

    @Test func equalityDoesNotDependOnHowTheFieldsCameToBe() {
        var edited: HTTPHeaders = ["A": "1", "B": "2", "C": "3"]
        edited["B"] = nil
        edited["A"] = "9"
        #expect(edited == ["A": "9", "C": "3"])
        #expect(edited.hashValue == HTTPHeaders(["A": "9", "C": "3"]).hashValue)
    }

    @Test func spaceAroundAValueIsDropped() {
        #expect(HTTPHeaders(["A": " \t b c \t"])["A"] == "b c")
        #expect(HTTPHeaders(["A": "  "])["A"] == "")
    }

    @Test func settingOverAndOverDoesNotGrowTheBuffer() {
        var headers: HTTPHeaders = ["A": "b", "Keep": "this"]
        for number in 0..<10_000 { headers["A"] = "value \(number)" }
        #expect(headers.bytes.count < 1_000)
        #expect(headers["A"] == "value 9999")
        #expect(headers["keep"] == "this")
    }

    @Test func valueThatIsNotUTF8ReadsAsLatin1() {
        var headers = HTTPHeaders()
        for bytes: [UInt8] in [[0xE9], [0xC3, 0xA9]] {
            bytes.withUnsafeBytes { value in
                [UInt8(ascii: "A")].withUnsafeBytes { headers.append(nameBytes: $0, valueBytes: value) }
            }
        }
        #expect(headers.values(for: "a") == ["\u{E9}", "\u{E9}"])
    }

    @Test func fieldBytesAreReachedWithoutStrings() {
        let headers: HTTPHeaders = ["Name": " value "]
        let sizes = headers.withFieldBytes(at: 0) { ($0.count, $1.count) }
        #expect(sizes == (4, 5))
        #expect(headers.firstIndex(ofLowercasedASCII: "name") == 0)
        #expect(headers.firstIndex(ofLowercasedASCII: "nam") == nil)
    }

    @Test(arguments: ["Authorization", "proxy-authorization", "COOKIE", "Set-Cookie"])
    func secretsAreNeverPrinted(_ name: String) {
        let headers: HTTPHeaders = ["A": "b", "X": "y", name: "canary"]
        var dumped = ""
        dump(headers, to: &dumped)
        dump(headers.last, to: &dumped)
        dump(ResponseHead(status: .ok, headers: headers), to: &dumped)
        #expect(headers.description == "A: b\nX: y\n\(name): <redacted>")
        #expect(!"\(headers) \(Array(headers)) \(String(reflecting: headers)) \(dumped)".contains("canary"))
    }

    @Test func readyFieldsHaveTheirNames() {
        #expect(HTTPHeaders.Field.basic(user: "user", password: "password").value == "Basic dXNlcjpwYXNzd29yZA==")
        #expect(HTTPHeaders.Field.basic(user: "\u{FC}", password: "").value == "Basic w7w6")
        #expect(HTTPHeaders.Field.authorization(bearer: "t") == .init("Authorization", "Bearer t"))
        #expect(HTTPHeaders.Field.accept("text/csv") == .init("Accept", "text/csv"))
        #expect(HTTPHeaders.Field.range(from: 5) == .init("Range", "bytes=5-"))
        #expect(HTTPHeaders.Field.range(from: 5, through: 9).value == "bytes=5-9")
        #expect(
            HTTPHeaders.Field.acceptLanguage(preferring: ["a", "b", "c", "d", "e", "f", "g"]).value
                == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
    }

    @Test func wellKnownFieldsAreReadAndSet() {
        var headers: HTTPHeaders = ["content-type": "text/html", "Location": "/x"]
        #expect(headers.contentType == "text/html")
        #expect(headers.location == "/x")
        headers.contentType = nil
        headers.userAgent = "u"
        #expect(headers.map(\.description) == ["Location: /x", "User-Agent: u"])
    }

    @Test(arguments: [
        ("5", 5), ("5, 5", 5), ("005", 5), ("5,6", nil), ("-5", nil), ("+5", nil), ("", nil),
        ("99999999999999999999", nil),
    ])
    func contentLengthIsReadStrictly(_ value: String, _ length: Int?) {
        #expect(HTTPHeaders(["Content-Length": value]).contentLength == length)
    }
}
