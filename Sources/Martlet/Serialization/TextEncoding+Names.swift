// Names of charsets (IANA's registry, and those that the web uses beside it), and what Foundation calls them. What Foundation has no
// constant for it knows by the number that Core Foundation gives it. EUC-JP is not among them: on Linux Foundation reads none of it.

import Foundation

extension TextEncoding {
    /// The encoding of a charset name, in any case; nil when it is not known here.
    static func named(_ charset: String) -> TextEncoding? {
        let name = charset.lowercased()
        return name == "utf-8" ? utf8 : byName[name]
    }

    /// The encoding with the name that it goes by on the wire; a name of Foundation's when it has none.
    static func of(_ encoding: String.Encoding) -> TextEncoding {
        if encoding == .utf8 { return utf8 }
        return byName.values.first { $0.encoding == encoding }
            ?? TextEncoding(name: encoding.description.lowercased(), encoding: encoding)
    }

    private static let byName: [String: TextEncoding] = {
        var byName: [String: TextEncoding] = [:]
        for (encoding, names) in table {
            let names = names.split(separator: " ").map(String.init)
            guard let preferred = names.first else { continue }
            for name in names { byName[name] = TextEncoding(name: preferred, encoding: encoding) }
        }
        return byName
    }()

    /// An encoding by its number in Core Foundation.
    private static func numbered(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }

    // The first of each row is the preferred name.
    private static let table: [(String.Encoding, String)] = [
        (.utf8, "utf-8 utf8 unicode-1-1-utf-8 csutf8"),
        (.utf16, "utf-16 utf16 unicode-1-1 iso-10646-ucs-2 csutf16 csunicode"),
        (.utf16LittleEndian, "utf-16le csutf16le"),
        (.utf16BigEndian, "utf-16be csutf16be"),
        (.utf32, "utf-32 utf32 csutf32 iso-10646-ucs-4"),
        (.utf32LittleEndian, "utf-32le csutf32le"),
        (.utf32BigEndian, "utf-32be csutf32be"),
        (
            .ascii,
            "us-ascii ascii ansi_x3.4-1968 ansi_x3.4-1986 iso646-us iso_646.irv:1991 iso-ir-6 us ibm367 cp367 csascii"
        ),
        (.isoLatin1, "iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 latin1 l1 ibm819 cp819 iso-ir-100 csisolatin1"),
        (.isoLatin2, "iso-8859-2 iso8859-2 iso_8859-2 iso_8859-2:1987 latin2 l2 iso-ir-101 csisolatin2"),
        (numbered(0x203), "iso-8859-3 iso8859-3 iso_8859-3 iso_8859-3:1988 latin3 l3 iso-ir-109 csisolatin3"),
        (numbered(0x204), "iso-8859-4 iso8859-4 iso_8859-4 iso_8859-4:1988 latin4 l4 iso-ir-110 csisolatin4"),
        (numbered(0x205), "iso-8859-5 iso8859-5 iso_8859-5 iso_8859-5:1988 cyrillic iso-ir-144 csisolatincyrillic"),
        (
            numbered(0x206),
            "iso-8859-6 iso8859-6 iso_8859-6 iso_8859-6:1987 arabic ecma-114 asmo-708 iso-ir-127 csisolatinarabic"
        ),
        (
            numbered(0x207),
            "iso-8859-7 iso8859-7 iso_8859-7 iso_8859-7:1987 greek greek8 ecma-118 elot_928 iso-ir-126 csisolatingreek"
        ),
        (
            numbered(0x208),
            "iso-8859-8 iso8859-8 iso_8859-8 iso_8859-8:1988 hebrew iso-8859-8-i iso-ir-138 csisolatinhebrew"
        ),
        (numbered(0x209), "iso-8859-9 iso8859-9 iso_8859-9 iso_8859-9:1989 latin5 l5 iso-ir-148 csisolatin5"),
        (numbered(0x20A), "iso-8859-10 iso8859-10 iso_8859-10 latin6 l6 iso-ir-157 csisolatin6"),
        (numbered(0x20B), "iso-8859-11 iso8859-11 iso_8859-11 tis-620"),
        (numbered(0x20D), "iso-8859-13 iso8859-13 iso_8859-13 latin7 csiso885913"),
        (numbered(0x20E), "iso-8859-14 iso8859-14 iso_8859-14 latin8 l8 csiso885914"),
        (numbered(0x20F), "iso-8859-15 iso8859-15 iso_8859-15 latin-9 latin9 csiso885915"),
        (numbered(0x210), "iso-8859-16 iso8859-16 iso_8859-16 latin10 l10 csiso885916"),
        (.windowsCP1250, "windows-1250 cp1250 x-cp1250 cswindows1250"),
        (.windowsCP1251, "windows-1251 cp1251 x-cp1251 cswindows1251"),
        (.windowsCP1252, "windows-1252 cp1252 x-cp1252 cswindows1252"),
        (.windowsCP1253, "windows-1253 cp1253 x-cp1253 cswindows1253"),
        (.windowsCP1254, "windows-1254 cp1254 x-cp1254 cswindows1254"),
        (numbered(0x505), "windows-1255 cp1255 x-cp1255 cswindows1255"),
        (numbered(0x506), "windows-1256 cp1256 x-cp1256 cswindows1256"),
        (numbered(0x507), "windows-1257 cp1257 x-cp1257 cswindows1257"),
        (numbered(0x508), "windows-1258 cp1258 x-cp1258 cswindows1258"),
        (numbered(0x41D), "windows-874 cp874 dos-874 cswindows874"),
        (numbered(0x400), "ibm437 cp437 437 cspc8codepage437"),
        (numbered(0x410), "ibm850 cp850 850 cspc850multilingual"),
        (numbered(0x41B), "ibm866 cp866 866 csibm866"),
        (numbered(0xA02), "koi8-r koi8 koi cskoi8r"),
        (numbered(0xA08), "koi8-u koi8-ru cskoi8u"),
        (numbered(0), "macintosh mac x-mac-roman csmacintosh"),
        (numbered(7), "x-mac-cyrillic x-mac-ukrainian"),
        (.shiftJIS, "shift_jis shift-jis sjis ms_kanji x-sjis csshiftjis"),
        (numbered(0x420), "windows-31j cswindows31j cp932 ms932"),
        (.iso2022JP, "iso-2022-jp csiso2022jp"),
        (
            numbered(0x632),
            "gb18030 gbk gb2312 gb_2312-80 chinese cp936 ms936 windows-936 x-gbk csgb2312 csgbk csgb18030"
        ),
        (numbered(0xA03), "big5 big5-hkscs cn-big5 x-x-big5 csbig5"),
        (
            numbered(0x422),
            "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc_5601 korean windows-949 cp949 uhc iso-ir-149 cseuckr"
        ),
    ]
}
