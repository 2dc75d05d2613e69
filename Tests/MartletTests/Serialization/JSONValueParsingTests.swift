import Foundation
import Testing

@testable import Martlet

@Suite struct JSONValueParsingTests {
    @Test(
        arguments: [
            ("null", nil), ("true", true), ("false", false), (" \t\r\n1 \t\r\n", 1), ("\u{FEFF}1", 1), ("0", 0),
            ("-0", 0),
            ("-1", -1), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .unsigned(1 << 63)), ("18446744073709551615", .unsigned(.max)),
            ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("1.0", .double(1)), ("-0.5", .double(-0.5)),
            ("1e3", .double(1000)), ("1E+2", .double(100)), ("25e-2", .double(0.25)), ("1e-400", .double(0)),
            ("0.1", .double(0.1)), (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e4\u00E4""#, "ää"), (#""\u0000""#, "\0"), (#""\ud83d\udc26""#, "🐦"), (#""x\u2028y""#, "x\u{2028}y"),
            (#""ä🐦\n""#, "ä🐦\n"), ("\"\u{7F}\"", "\u{7F}"), (#""\uFFFF""#, "\u{FFFF}"), ("[]", []), ("[ ]", []),
            ("[1,[2,[3]],4]", [1, [2, [3]], 4]), ("[ 1 , 2 ]", [1, 2]), ("{}", [:]), ("{ }", [:]),
            (#"{"a":1,"b":{"c":[]}}"#, ["a": 1, "b": ["c": []]]), (#"{ "a" : 1 , "b" : null }"#, ["a": 1, "b": nil]),
            (#"{"":0}"#, ["": 0]), (#"{"\u0061":0}"#, ["a": 0]),
        ] as [(String, JSONValue)])
    func textIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Data(text.utf8)) == value)
    }

    @Test(arguments: [
        "", " ", "\u{FEFF}", "nul", "nulll", "True", "tru", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5",
        "1.e3",
        "1e", "1e+", "0x1", "1_000", "1e400", "-1e999", "--1", "1 2", "1,", "[", "]", "[1", "[1,", "[,1]",
        "[1 2]",
        "[1}", "{", "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{a:1}", "{'a':1}", "{1:1}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{,}", "[]]", "{}}", "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u\"",
        "\"\\u12\"", "\"\\u12g4\"", "\"\\u1234", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\t\"", "\"\0\"", "'a'", "// x\n1", "1 /* x */", "#", "\0",

        "<html>", "undefined", "\u{A0}1",
    ])
    func malformedTextIsRefused(text: String) {
        #expect { try JSONValue(parsing: Data(text.utf8)) } throws: { ($0 as? MartletError)?.code == .decodingFailed }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22],
            [0x22, 0x5C, 0x6E, 0xFF, 0x22], [0xFF], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
        ] as [[UInt8]])
    func textThatIsNotUTF8IsRefused(bytes: [UInt8]) {
        #expect(throws: MartletError.self) { try JSONValue(parsing: Data(bytes)) }
    }

    @Test func nestingIsBounded() throws {
        func nested(_ depth: Int) -> Data {
            Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONValue(parsing: nested(512)) }
        #expect(throws: MartletError.self) { try JSONValue(parsing: nested(513)) }
        #expect(throws: MartletError.self) {
            try JSONValue(parsing: Data(String(repeating: "[{\"a\":", count: 50_000).utf8))
        }
    }

    @Test func failureKeepsTheDecodersError() throws {
        let error = try #require(throws: MartletError.self) { try JSONValue(parsing: Data("[1, x]".utf8)) }
        #expect(error.code == .decodingFailed)
        #expect(error.underlying is DecodingError)
    }

    @Test func sliceOfDataIsRead() throws {
        let data = Data("xx[1]yy".utf8)
        #expect(try JSONValue(parsing: data[2..<5]) == [1])
    }

    @Test func everyTruncationIsRefused() throws {
        let whole = Array(#"{"a":[1.5e3,"x\u00e4\ud83d\udc26",true,null],"b":{}}"#.utf8)
        #expect(throws: Never.self) { try JSONValue(parsing: Data(whole)) }
        for count in 0..<whole.count {
            #expect(throws: MartletError.self, "\(count) bytes") { try JSONValue(parsing: Data(whole[..<count])) }
        }
    }
}
