// File names: how they are read (RFC 6266, RFC 8187), and what is left of one that is fit for a folder (C190 of the behaviour cases).

import Testing

@testable import Martlet

@Suite struct ContentDispositionTests {
    @Test(
        arguments: [
            ("attachment; filename=\"report.pdf\"", "attachment", "report.pdf"),
            ("Attachment; FileName=report.pdf", "attachment", "report.pdf"),
            ("inline", "inline", nil), ("attachment; filename=\"\"", "attachment", ""),
            ("attachment; filename=\"a \\\"b\\\".txt\"", "attachment", "a \"b\".txt"),
            ("attachment; filename=\"a;b.txt\"", "attachment", "a;b.txt"),
            ("attachment; filename=EURO.txt; filename*=UTF-8''%e2%82%ac%20rates.txt", "attachment", "€ rates.txt"),
            ("attachment; filename*=utf-8'en'%C3%A4.txt; filename=a.txt", "attachment", "ä.txt"),
            ("attachment; filename*=iso-8859-1''%E4.txt", "attachment", "ä.txt"),
            ("attachment; filename*=UTF-8''%ff.txt; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename*=UTF-8''%e2%82; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename*=UTF-8''%2; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename*=koi8-r''a.txt; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename*=a.txt; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename*=UTF-8''ä.txt; filename=plain.txt", "attachment", "plain.txt"),
            ("attachment; filename=foo%41.txt", "attachment", "foo%41.txt"),
            ("attachment; filename=a.txt; filename=b.txt", "attachment", "a.txt"),
            ("attachment; xfilename=a.txt", "attachment", nil),
        ] as [(String, String, String?)])
    func dispositionIsRead(_ text: String, _ type: String, _ filename: String?) throws {
        let disposition = try #require(ContentDisposition(text))
        #expect(disposition.type == type)
        #expect(disposition.filename == filename)
        #expect(disposition.isAttachment == (type != "inline"))
    }

    @Test(arguments: ["", ";", "; filename=a", "filename=a", "\"attachment\"; filename=a", "attach ment; filename=a"])
    func valueWithoutAKindIsNone(_ text: String) {
        #expect(ContentDisposition(text) == nil)
    }

    @Test(
        arguments: [
            ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("/etc/passwd", "passwd"),
            ("C:\\a\\b.txt", "b.txt"), ("..", nil), (".", nil), ("", nil), ("a/", nil), ("   ", nil), ("...", nil),
            (".bashrc", "bashrc"), ("a.txt. .", "a.txt"), ("a\0b\r\nc.txt", "abc.txt"),
            ("plain name.txt", "plain name.txt"),
            ("日本語.png", "日本語.png"), ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a\u{2028}b", "ab"),
            ("../..", nil), ("a/../b", "b"), ("\u{200B}.ssh", "ssh"),
        ] as [(String, String?)])
    func safeNameIsOneNameInAFolder(_ name: String, _ safe: String?) {
        #expect(ContentDisposition.safe(name) == safe)
    }

    @Test func longNameIsShortenedAndKeepsItsExtension() throws {
        let name = try #require(ContentDisposition.safe(String(repeating: "ä", count: 300) + ".tar.gz"))
        #expect(name.utf8.count <= 255)
        #expect(name.utf8.count > 250)
        #expect(name.hasSuffix("ä.gz"))
        let bare = try #require(ContentDisposition.safe(String(repeating: "a", count: 300)))
        #expect(bare.utf8.count == 255)
        let dotted = try #require(ContentDisposition.safe("a." + String(repeating: "b", count: 300)))
        #expect(dotted.utf8.count == 255)
    }

    @Test func fieldsOfAPartAreFound() {
        let headers: HTTPHeaders = ["Content-Disposition": "form-data; name=\"a b\"; filename=\"../x.txt\""]
        #expect(headers.disposition?.name == "a b")
        #expect(headers.disposition?.filename == "../x.txt")
        #expect(headers.disposition?.safeFilename == "x.txt")
        #expect(headers.disposition?.description == "form-data; name=\"a b\"; filename=\"../x.txt\"")
        #expect(HTTPHeaders().disposition == nil)
    }
}
