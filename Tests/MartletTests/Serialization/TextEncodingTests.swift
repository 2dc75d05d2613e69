import Foundation
import Testing

@testable import Martlet

@Suite struct TextEncodingTests {
    @Test(
        arguments: [
            ("text/plain; charset=utf-8", "utf-8"), ("text/plain;charset=UTF-8", "UTF-8"),
            ("text/plain; charset=\"utf-8\"", "utf-8"), ("text/plain; Charset=Latin1; x=y", "Latin1"),
            ("text/plain; x=\"a;charset=utf-16\"; charset=latin1", "latin1"), ("text/plain; charset=a; charset=b", "a"),
            ("text/plain; charset=\"ut\\f-8\"", "utf-8"), ("text/plain;;; charset = utf-8", "utf-8"),
            ("text/plain; x; charset=utf-8", "utf-8"), ("text/plain", nil), ("text/plain; charset", nil),
            ("text/plain; charset=", nil), ("text/plain; charset=\"\"", nil), ("text/plain; xcharset=utf-8", nil),
            ("charset=utf-8", nil), ("", nil), (";", nil), ("text/plain; charset=\"utf-8", "utf-8"),
            ("text/plain; charset=\"utf-8\\", "utf-8"),
        ] as [(String, String?)])
    func charsetParameterIsRead(contentType: String, charset: String?) {
        #expect(TextEncoding.charset(of: contentType) == charset)
    }

    @Test(
        arguments: [
            (nil, [0x61, 0xC3, 0xA4], "aä"), (nil, [0xEF, 0xBB, 0xBF, 0x61], "a"), (nil, [], ""),
            (nil, [0xFF, 0xFE, 0x61, 0], "a"), (nil, [0xFE, 0xFF, 0, 0x61], "a"),
            (nil, [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "a"),
            (nil, [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "a"), ("utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xA4], "ä"),
            ("UTF-8", [0xC3, 0xA4], "ä"), ("iso-8859-1", [0xE4], "ä"), ("ISO-8859-1", [0xEF, 0xBB, 0xBF], "ï»¿"),
            ("us-ascii", [0x61], "a"), ("windows-1252", [0x80], "€"), ("windows-1251", [0xCF], "П"),
            ("windows-1250", [0x9A], "š"), ("iso-8859-2", [0xB1], "ą"),
            ("shift_jis", [0x93, 0xFA], "日"), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
            ("utf-16", [0xFF, 0xFE, 0x61, 0], "a"), ("utf-16", [0xFE, 0xFF, 0, 0x61], "a"), ("utf-16", [0, 0x61], "a"),
            ("utf-16le", [0x61, 0], "a"), ("utf-16le", [0xFF, 0xFE, 0x61, 0], "a"), ("utf-16be", [0, 0x61], "a"),
            ("utf-32le", [0x61, 0, 0, 0], "a"), ("x-unknown", [0xC3, 0xA4], "ä"),
            ("x-unknown", [0xFE, 0xFF, 0, 0x61], "a"),
        ] as [(String?, [UInt8], String)])
    func textIsDecoded(charset: String?, bytes: [UInt8], text: String) throws {
        let contentType = charset.map { "text/plain; charset=\($0)" }
        #expect(try TextEncoding.decode(Data(bytes), contentType: contentType) == text)
    }

    /// The bytes are those that Python's codecs make.
    @Test(
        arguments: [
            ("iso-8859-3", [0xB1], "ħ"),
            ("iso-8859-4", [0xF3], "ķ"),
            ("iso-8859-5", [0xCF], "Я"),
            ("iso-8859-6", [0xC8], "ب"),
            ("iso-8859-7", [0xD9], "Ω"),
            ("iso-8859-8", [0xE0], "א"),
            ("iso-8859-9", [0xF0], "ğ"),
            ("iso-8859-10", [0xBF], "ŋ"),
            ("iso-8859-11", [0xA1], "ก"),
            ("iso-8859-13", [0xFB], "ū"),
            ("iso-8859-14", [0xF0], "ŵ"),
            ("iso-8859-15", [0xA4], "€"),
            ("iso-8859-16", [0xFE], "ț"),
            ("windows-1255", [0xE0], "א"),
            ("windows-1256", [0xC8], "ب"),
            ("windows-1257", [0xFB], "ū"),
            ("windows-1258", [0xFD], "ư"),
            ("windows-874", [0xA1], "ก"),
            ("cp437", [0x82], "é"),
            ("cp850", [0x82], "é"),
            ("cp866", [0x9F], "Я"),
            ("koi8-r", [0xF1], "Я"),
            ("koi8-u", [0xA7], "ї"),
            ("macintosh", [0x8E, 0xB0], "é∞"),
            ("x-mac-cyrillic", [0x9F], "Я"),
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
            ("cp932", [0x93, 0xFA, 0x96, 0x7B, 0x87, 0x40], "日本①"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
            ("gb18030", [0xD6, 0xD0, 0xB9, 0xFA, 0xA2, 0xE3], "中国€"),
            ("gbk", [0xD6, 0xD0, 0xB9, 0xFA], "中国"),
            ("gb2312", [0xD6, 0xD0, 0xB9, 0xFA], "中国"),
            ("big5", [0xA4, 0xA4, 0xB0, 0xEA], "中國"),
            ("euc-kr", [0xC7, 0xD1, 0xB1, 0xB9], "한국"),
            ("cp949", [0x8C, 0x63], "똠"),
            ("tis-620", [0xA1], "ก"),
        ] as [(String, [UInt8], String)])
    func charsetsOfTheWebAreKnown(charset: String, bytes: [UInt8], text: String) throws {
        #expect(try TextEncoding.decode(Data(bytes), contentType: "text/html; charset=\(charset.uppercased())") == text)
        let known = try #require(TextEncoding.named(charset))
        #expect(TextEncoding.of(known.encoding) == known)
    }

    // C093, C094, C212
    @Test func encodingIsTheNamedOneThenTheCharsetThenTheMarkThenTheDefault() throws {
        let latin = Data([0x63, 0x61, 0x66, 0xE9])
        let marked = Data([0xFF, 0xFE, 0x61, 0])
        let utf16 = try #require(TextEncoding.named("utf-16"))
        let latin1 = TextEncoding.of(.isoLatin1)
        #expect(latin1.name == "iso-8859-1")
        #expect(try TextEncoding.decode(latin, as: latin1, contentType: "text/plain; charset=utf-8") == "café")
        #expect(try TextEncoding.decode(latin, contentType: "text/plain; charset=ISO-8859-1", default: utf16) == "café")
        #expect(try TextEncoding.decode(marked, contentType: "text/plain", default: latin1) == "a")
        #expect(try TextEncoding.decode(latin, contentType: "text/plain", default: latin1) == "café")
        #expect(try TextEncoding.decode(latin, contentType: "text/plain; charset=x-unknown", default: latin1) == "café")
        let utf32 = try #require("café".data(using: .utf32))
        let error = try #require(throws: MartletError.self) {
            try TextEncoding.decode(utf32, as: .utf8, contentType: nil)
        }
        #expect(error.message.contains("utf-8"))
    }

    @Test(
        arguments: [
            (nil, [0xFF], "utf-8"), ("utf-8", [0xE4], "utf-8"), ("utf-8", [0xED, 0xA0, 0x80], "utf-8"),
            ("us-ascii", [0xE4], "us-ascii"), ("windows-1252", [0x81], "windows-1252"),
            ("utf-16le", [0x61], "utf-16le"),
            ("utf-16le", [0x00, 0xD8], "utf-16le"), ("utf-16", [0x61, 0, 0x62], "utf-16"),
            ("utf-32be", [0, 0x11, 0, 0], "utf-32be"),
            ("x-unknown", [0xE4], "charset of its Content-Type is not known"),
        ] as [(String?, [UInt8], String)])
    func undecodableBytesAreAnErrorThatNamesTheEncoding(charset: String?, bytes: [UInt8], name: String) throws {
        let error = try #require(throws: MartletError.self) {
            try TextEncoding.decode(Data(bytes), contentType: charset.map { "text/plain; charset=\($0)" })
        }
        #expect(error.code == .decodingFailed)
        #expect(error.message.contains(name))
    }

    @Test func noContentTypeMeansUTF8() throws {
        #expect(try TextEncoding.decode(Data("ü".utf8), contentType: "application/json") == "ü")
    }
}
