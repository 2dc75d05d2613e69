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
