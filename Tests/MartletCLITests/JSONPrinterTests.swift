import Martlet
import Testing

@testable import MartletCLI

@Suite struct JSONPrinterTests {
    /// The layout of a text that comes in pieces of `size` bytes.
    private func layout(_ text: String, pieces size: Int = .max, hasColour: Bool = false) -> String {
        var printer = JSONPrinter(hasColour: hasColour)
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            out += piece.withUnsafeBytes { printer.layout($0) }
        }
        return String(decoding: out + printer.end(), as: UTF8.self)
    }

    private static let document =
        #"{"z":1,"a":[{"b":"\u00e9 \"x\"","c":null},[],{}, -0.50E+3],"big":12345678901234567890.10}"#
    private static let laidOut = #"""
        {
          "z": 1,
          "a": [
            {
              "b": "\u00e9 \"x\"",
              "c": null
            },
            [],
            {},
            -0.50E+3
          ],
          "big": 12345678901234567890.10
        }

        """#

    @Test(arguments: [1, 2, 7, Int.max])
    func tokensStayAsTheyAreInWhateverPiecesTheyCome(_ size: Int) {
        #expect(layout(Self.document, pieces: size) == Self.laidOut)
    }

    @Test func layingOutTwiceChangesNothing() {
        #expect(layout(Self.laidOut) == Self.laidOut)
    }

    @Test func coloursGoOnAndOffAroundTokens() {
        let text = layout(#"{"a":[1,"b",true]}"#, hasColour: true)
        #expect(text.contains("\u{1B}[34;1m\"a\"\u{1B}[0m: ["))
        #expect(text.contains("\u{1B}[36m1\u{1B}[0m,"))
        #expect(text.contains("\u{1B}[32m\"b\"\u{1B}[0m,"))
        #expect(text.contains("\u{1B}[35mtrue\u{1B}[0m\n"))
    }

    @Test(arguments: [
        ("1", "1\n"), (#""a""#, "\"a\"\n"), ("{}", "{}\n"), (" [ ] ", "[]\n"), ("", ""),
        ("{\"a\":1}\n{\"a\":2}\n", "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n"), ("1 2", "1\n2\n"),
        ("[1][2]", "[\n  1\n]\n[\n  2\n]\n"),
    ])
    func shortTextsAndSeveralValues(_ text: String, layout expected: String) {
        #expect(layout(text) == expected)
    }

    @Test(arguments: [
        ("<html> x", "<html> x"), ("{oops: 1}", "{oops: 1}"), ("[1, 2 ,x, \u{1}]", "[\n  1,\n  2,x, \u{1}]"),
        ("[\"a\nb\"]", "[\n  \"a\nb\"]"), ("[01]", "[\n  01]"), ("[1}", "[\n  1}"),
    ])
    func whatIsNoJSONPassesAsItIs(_ text: String, layout expected: String) {
        #expect(layout(text) == expected)
    }

    @Test func aTruncatedTextEndsWithoutColour() {
        #expect(layout(#"{"a": "b"#, hasColour: true).hasSuffix("\u{1B}[32m\"b\u{1B}[0m"))
    }

    @Test(arguments: [1, 2, Int.max])
    func controlCharactersThatJSONAllowsAreEscaped(_ size: Int) {
        #expect(
            layout("[\"\u{9B}31m \u{7F} é \u{A0}\u{C2}\"]", pieces: size)
                == "[\n  \"\\u009b31m \\u007f é \u{A0}\u{C2}\"\n]\n")
    }

    @Test func nestingWithoutEndDoesNotGrowTheOutputWithoutEnd() {
        let count = layout(String(repeating: "[", count: 100_000)).utf8.count
        #expect(count < 1_000_000)
    }

    @Test(arguments: [
        ("application/json", true), ("application/json; charset=utf-8", true), ("Application/Problem+JSON", true),
        ("application/x-ndjson", true), ("text/plain", false), ("application/jsonp", false), (nil, false),
    ])
    func goesByTheContentType(_ type: String?, isJSON: Bool) {
        #expect(JSONPrinter.reads(type) == isJSON)
    }
}

@Suite struct JSONGrammarTests {
    @Test(arguments: [
        "0", "-0", "10", "1.5", "1e5", "1E-5", "0.0e+1", "true", "false", "null", #""""#, #""\"\\\/\b\f\n\r\t\u12aF""#,
        "[]", "{}", " [ 1 , 2 ] ", #"{"a":{"b":[{}]}}"#, "\t\r\n1\n", #""é""#,
    ])
    func acceptsJSON(_ text: String) {
        #expect(JSONGrammar.fault(in: text) == nil)
    }

    @Test(arguments: [
        ("", 1), (" ", 2), ("1 2", 3), ("01", 2), ("-", 2), ("1.", 3), (".5", 1), ("1e", 3), ("+1", 1), ("tru", 4),
        ("truex", 5), ("nul]", 4), ("[1,]", 4), ("[,1]", 2), ("[1 2]", 4), ("{a:1}", 2), (#"{"a"}"#, 5),
        (#"{"a":}"#, 6), (#"{"a":1,}"#, 8), ("[1}", 3), ("]", 1), ("[", 2), (#""a"#, 3), (#""\x""#, 3),
        (#""\u12g4""#, 6),
        ("'a'", 1), ("é", 1), (#"["é",]"#, 6), ("{}{}", 3), ("NaN", 1), ("\"\u{1}\"", 2), ("1:", 2),
    ])
    func findsTheFault(_ text: String, at place: Int) {
        #expect(JSONGrammar.fault(in: text) == place)
    }
}
