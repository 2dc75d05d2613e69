// XML documents as values: what is read, what is refused, and a parser that is not ours (expat) at the same documents.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct XMLValueTests {
    private static func read(_ text: String) throws -> XMLValue { try XMLValue(parsing: Data(text.utf8)) }

    @Test func aDocumentIsReadAndWalked() async throws {
        let document = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- a feed --><?style sheet?>
            <feed version='2' xmlns:m="urn:m">
              <title>Birds &amp; <b>more</b> birds</title>
              <m:item id="1"/><item id="2">two</item>
            </feed>

            """
        let client = answering(.data(Data(document.utf8), headers: ["Content-Type": "application/xml"]))
        let feed = try await client.get("/").serialized(by: .xml)
        #expect(feed.name == "feed")
        #expect(feed.attributes == ["version": "2", "xmlns:m": "urn:m"])
        #expect(feed["title"]?.text == "Birds & more birds")
        #expect(feed["title"]?["b"]?.content == [.text("more")])
        #expect(feed.elements.map(\.name) == ["title", "m:item", "item"])
        #expect(feed.elements("item").map { $0.attributes["id"] } == ["1", "2"])
        #expect(feed["m:item"]?.localName == "item")
        #expect(feed["m:item"]?.content == [])
        #expect(feed["nothing"] == nil)
    }

    @Test(arguments: [
        ("<a/>", ""), ("<a></a>", ""), ("<a>x</a >\n<!-- -->", "x"),
        ("<a>&lt;&#65;&#x1F426;&apos;&quot;&gt;</a>", "<A🐦'\">"),
        ("<a><![CDATA[<b>&amp;]]]]></a>", "<b>&amp;]]"), ("<a>x\r\ny\rz&#13;</a>", "x\ny\nz\r"),
        ("<a>]] ></a>", "]] >"),
        ("<a>1<b>2<c>3</c></b>4</a>", "1234"), ("<a>1<!-- - -->2<?p?>3<?p > ?></a>", "123"), ("<ä:_-.·/>", ""),
    ]) func textIsThatOfAllElements(_ document: String, _ text: String) throws {
        #expect(try Self.read(document).text == text)
    }

    @Test func spaceInAttributesIsNormalised() throws {
        let element = try Self.read("<a b=\"1\t2\r\n3\r4&#10;5\" c = '\"&#9;' d=''/>")
        #expect(element.attributes == ["b": "1 2 3 4\n5", "c": "\"\t", "d": ""])
    }

    @Test(arguments: [
        " ", "x", "<", "<a", "<a>", "<a b>", "<a b=c/>", "<a b='c/>", "<a b='<'/>", "<a b=''b=''/>", "<a b='' b=''/>",
        "<a/><b/>",
        "<a/>x", "<a></b>", "</a>", "<a></a b>", "<a>&b;</a>", "<a>&amp</a>", "<a>&</a>", "<a>&#0;</a>",
        "<a>&#xD800;</a>",
        "<a>&#x110000;</a>", "<a>&#+65;</a>", "<a>&#X41;</a>", "<a>&#;</a>", "<a>]]></a>", "<a><!-- -- --></a>",
        "<a><!--></a>",
        "<a><![CDATA[</a>", "<a>\u{1}</a>", "<a>\u{FFFF}</a>", "<1/>", "<-/>", "<a ×=''/>", "<a/ >", "< a/>",
        "<a><?xml ?></a>",
        " <?xml version='1.0'?><a/>", "<?xml version='1.0'", "<a><?p</a>", "<?p+?><a/>", "<a><!DOCTYPE a></a>",
        "<a><!x></a>",
    ]) func whatIsNotWellFormedIsRefused(_ document: String) {
        let error = #expect(throws: MartletError.self) { try Self.read(document) }
        #expect(error?.code == .decodingFailed)
    }

    @Test func theErrorNamesTheLine() {
        let error = #expect(throws: MartletError.self) { try Self.read("<a>\n<b>\n</a>") }
        #expect(error?.message.contains("line 3") == true)
    }

    @Test(arguments: [
        "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
        "<?xml version='1.0'?>\n<!-- --><!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><a>&c;</a>",
        "<!DOCTYPE a [<!NOTATION n SYSTEM 'x'>]><a/>",
    ]) func declarationsOfTypesAreRefused(_ document: String) {
        let error = #expect(throws: MartletError.self) { try Self.read(document) }
        #expect(error?.message.contains("document type") == true)
    }

    @Test(
        arguments: [
            (nil, [0xEF, 0xBB, 0xBF] + Array("<a>ä</a>".utf8)),
            ("text/xml; charset=iso-8859-1", latin1("<a>\u{E4}</a>")),
            (nil, latin1("<?xml version='1.0' encoding = 'ISO-8859-1'?><a>\u{E4}</a>")),
            (nil, Array("<?xml version='1.0' encoding='utf-16'?><a>ä</a>".utf8)),
            (nil, [0xFE, 0xFF] + "<a>ä</a>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }),
            ("text/xml; charset=utf-16le", "<a>ä</a>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
            ("text/xml; charset=utf-8", Array("<?xml version='1.0' encoding='iso-8859-1'?><a>ä</a>".utf8)),
        ] as [(String?, [UInt8])])
    func theEncodingIsTheOneNamedOrMarked(_ type: String?, _ bytes: [UInt8]) throws {
        #expect(try XMLValue(parsing: Data(bytes), contentType: type).text == "ä")
    }

    @Test(arguments: [
        latin1("<a>\u{E4}</a>"), latin1("<?xml version='1.0' encoding='klingon'?><a/>"), [0xFE, 0xFF, 0], [0xC0, 0x80],
    ]) func bytesThatAreNotInTheEncodingAreRefused(_ bytes: [UInt8]) {
        let error = #expect(throws: MartletError.self) { try XMLValue(parsing: Data(bytes)) }
        #expect(error?.code == .decodingFailed)
    }

    @Test func nestingIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try Self.read(nested(XMLValue.maximumDepth)).elements.count == 1)
        #expect(throws: MartletError.self) { try Self.read(nested(XMLValue.maximumDepth + 1)) }
        #expect(throws: MartletError.self) { try Self.read(String(repeating: "<a>", count: 300_000)) }
    }

    @Test func anEmptyBodyIsNoDocument() async throws {
        for status in [200, 204] {
            let call = answering(.status(HTTPStatus(status))).get("/")
            await expectFailure(.emptyBody) { try await call.serialized(by: .xml) }
            #expect(try await call.serialized(by: .optional(.xml)) == nil)
        }
        let wrong = answering(.text("<a>")).get("/")
        let error = await expectFailure(.decodingFailed) { try await wrong.serialized(by: .xml) }
        #expect(error?.response?.bodyPrefix == Data("<a>".utf8))
    }

    // MARK: The same by another

    private static let pieces = [
        "<a>", "</a>", "<b c='d'>", "</b>", "<e/>", "x", " ", "\n", "\r\n", "&amp;", "&#65;", "&#x20AC;", "&x;",
        "<!--c-->", "<?p d?>",
        "<![CDATA[", "]]>", "<", ">", "&", "\"", "'", "=", "<a b=\"1\" c='2\n&lt;'>", "ä", "😃", "\u{1}", "-", "<?p?>",
        "<a ", "/>", ":",
    ]

    /// A document of pieces that mostly fit.
    private static func document(_ random: inout SeededRandom) -> String {
        var (text, open) = ("<r>", ["r"])
        for _ in 0..<random.next(below: 12) {
            switch random.next(below: 4) {
            case 0:
                text += "<e f='&quot;\t'>"
                open.append("e")
            case 1 where open.count > 1: text += "</\(open.removeLast())>"
            case 2:
                text +=
                    ["t", " u\r", "&lt;", "<!-- v -->", "<w/>", "<![CDATA[<]]>"].randomElement(using: &random) ?? ""
            default: if random.next(below: 6) == 0 { text += pieces.randomElement(using: &random) ?? "" }
            }
        }
        return text + open.reversed().map { "</\($0)>" }.joined()
    }

    @Test(.enabled(if: IndependentParsers.areThere, "Tests/install has not been run"), arguments: 0..<4)
    func expatReadsTheSame(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let documents = (0..<Soak.count(500, soak: 20_000)).map { _ in Self.document(&random) }
        let script = """
            import sys, json, xml.parsers.expat
            def read(text):
                root = [None, {}, []]
                stack = [root]
                def start(name, attributes):
                    element = [name, attributes, []]
                    stack[-1][2].append(element)
                    stack.append(element)
                def characters(data):
                    content = stack[-1][2]
                    if content and isinstance(content[-1], str): content[-1] += data
                    else: content.append(data)
                # What Martlet leaves out parts no text either.
                parser = xml.parsers.expat.ParserCreate("utf-8")
                parser.StartElementHandler = start
                parser.EndElementHandler = lambda name: stack.pop()
                parser.CharacterDataHandler = characters
                try: parser.Parse(text_bytes(text), True)
                except (xml.parsers.expat.ExpatError, ValueError): return None
                return root[2][0]
            def text_bytes(text): return text.encode("utf-8")
            print(json.dumps([read(text) for text in json.load(open(sys.argv[1]))]))
            """
        let read: [JSONValue] = try await IndependentParsers.run(script, try JSONEncoder().encode(documents), "")
        try #require(read.count == documents.count)
        for (document, expected) in zip(documents, read) {
            let value = try? Self.read(document).asJSON
            if (value ?? .null) != expected { Issue.record("\(document): \(value ?? .null), not \(expected)") }
        }
        #expect(read.contains { $0 == .null } && read.contains { $0 != .null })
    }
}

extension XMLValue {
    fileprivate var asJSON: JSONValue {
        let content = content.map { piece -> JSONValue in
            switch piece {
            case .element(let element): element.asJSON
            case .text(let text): .string(text)
            }
        }
        return [.string(name), .object(attributes.mapValues { .string($0) }), .array(content)]
    }
}
