// Section 2.4 of the behaviour cases: forms with files, each case by its number.

import Foundation
import MartletTesting
import Testing

@testable import Martlet

@Suite struct MultipartFormTests {
    private func text(_ form: MultipartForm) async throws -> String {
        String(decoding: try await form.encode(), as: UTF8.self)
    }

    // C069
    @Test func onePartIsWritten() async throws {
        var form = MultipartForm(boundary: "B")
        form.append("data", "x=1")
        #expect(
            try await text(form)
                == "--B\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\nx=1\r\n--B--\r\n")
    }

    // C070
    @Test func partsKeepTheirOrderAndBytes() async throws {
        var form = MultipartForm(boundary: "B")
        form.append("a", .text("français"))
        form.append("b", .data(Data("日本語".utf8), filename: "b.txt", contentType: "text/plain"))
        form.append("a", "👨‍👩‍👧‍👦\r\n--\(1 + 1)")
        #expect(
            try await text(form)
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nfrançais"
                + "\r\n--B\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b.txt\"\r\nContent-Type: text/plain\r\n\r\n日本語"
                + "\r\n--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n👨‍👩‍👧‍👦\r\n--2\r\n--B--\r\n")
    }

    // C072
    @Test func theMediaTypeNamesTheBoundary() async throws {
        var form = MultipartForm(boundary: "custom-test-boundary")
        form.append("a", "b")
        #expect(form.contentType == "multipart/form-data; boundary=custom-test-boundary")
        #expect(try await text(form).contains("--custom-test-boundary\r\n"))
        #expect(MultipartForm(boundary: "a b:c").contentType == "multipart/form-data; boundary=\"a b:c\"")
        let random = MultipartForm()
        #expect(random.contentType == "multipart/form-data; boundary=\(random.boundary)")
        #expect(random.boundary != MultipartForm().boundary)
        #expect(random.boundary.utf8.count == 40)
    }

    // C073: the length is that of the whole body, boundaries and heads included, so that it is a Content-Length
    @Test func theLengthIsThatOfTheBody() async throws {
        let form: MultipartForm = [
            "a": .data(Data(count: 27)), "b": .stream(length: 23) { GatedChunks([String(repeating: "x", count: 23)]) },
        ]
        let body = try form.requestBody()
        #expect(body.length == (try await form.encode().count))
        #expect(body.isReplayable)
    }

    // C074, C080
    @Test func filesThatCannotBeSentAreErrors() async throws {
        try await withFolder { folder in
            let missing: MultipartForm = ["a": .file(folder.path + "/missing.txt")]
            await expectFailure(.fileUnreadable) { try await missing.encode() }
            let directory: MultipartForm = ["a": .file(folder)]
            await expectFailure(.fileUnreadable) { try await directory.encode() }
            let remote: MultipartForm = ["a": .file(try #require(URL(string: "http://example.com/a.txt")))]
            await expectFailure(.fileUnreadable) { try await remote.encode() }
            let empty: MultipartForm = ["a": .file("")]
            await expectFailure(.fileUnreadable) { try await empty.encode() }
        }
    }

    // C074: a name without an extension is a name too
    @Test(arguments: [
        ("a.json", "application/json"), ("noextension", "application/octet-stream"), ("ü \".txt", "text/plain"),
    ])
    func filesAreNamedAndTypedByTheirPath(_ name: String, _ type: String) async throws {
        try await withFolder { folder in
            let path = folder.path + "/" + name
            try Data("content".utf8).write(to: URL(filePath: path))
            var form = MultipartForm(boundary: "B")
            form.append("f", .file(path))
            form.append("g", .file(URL(filePath: path), filename: "other", contentType: "x/y"))
            let quoted = name.replacing("\"", with: "%22")
            #expect(
                try await text(form)
                    == "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(quoted)\"\r\nContent-Type: \(type)\r\n\r\n"
                    + "content\r\n--B\r\nContent-Disposition: form-data; name=\"g\"; filename=\"other\"\r\nContent-Type: x/y"
                    + "\r\n\r\ncontent\r\n--B--\r\n")
        }
    }

    // C076: streams are made anew, so that a form can be encoded twice
    @Test func aFormCanBeEncodedTwice() async throws {
        var form = MultipartForm(boundary: "B")
        form.append("s", .stream(length: 4, filename: "s.bin") { GatedChunks(["ab", "", "cd"]) })
        let first = try await form.encode()
        #expect(try await form.encode() == first)
    }

    // C077, C078: a stream of another length than was said is an error, whichever way
    @Test(arguments: [2, 8]) func aStreamOfAnotherLengthIsAnError(_ length: Int) async {
        let form: MultipartForm = ["s": .stream(length: length) { GatedChunks(["ab", "cd"]) }]
        await expectFailure(.bodyLengthMismatch) { try await form.encode() }
    }

    // C081
    @Test func theMediaTypeOfTheFormIsTheOnlyOne() throws {
        let client = MartletClient(transport: MockTransport { _ in .ok }, baseURL: "https://a.example").scoped {
            $0.headers.contentType = "application/json"
        }
        let form: MultipartForm = ["a": "b"]
        for call in [client.post("/", multipart: form), client.put("/", multipart: form).header("content-type", "x/y")]
        {
            #expect(try call.makeRequest().headers.values(for: "Content-Type") == [form.contentType])
        }
    }

    // C084
    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nX-Injected: 1", "a%0D%0AX-Injected: 1"), ("ü€", "ü€"), ("a%22", "a%22"),
        ("a\\b", "a\\b"),
        ("", ""), ("a\rb\nc", "a%0Db%0Ac"),
    ]) func namesAreQuotedAsBrowsersDo(_ name: String, _ quoted: String) async throws {
        var form = MultipartForm(boundary: "B")
        form.append(name, .data(Data(), filename: name))
        #expect(
            try await text(form)
                == "--B\r\nContent-Disposition: form-data; name=\"\(quoted)\"; filename=\"\(quoted)\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n\r\n--B--\r\n"
        )
    }

    @Test func namesThatNoHeaderMayHoldAreRefused() {
        for name in ["a\0b", "a\u{1B}b", "a\u{7F}"] {
            var form = MultipartForm()
            form.append(name, "x")
            #expect(throws: MartletError.self) { try form.requestBody() }
        }
        var form = MultipartForm()
        form.append("a", MultipartPart(headers: ["X-A": "b\r\nX-Injected: 1"], body: .empty))
        let error = #expect(throws: MartletError.self) { try form.requestBody() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func fileNamesMayBeWrittenTwice() async throws {
        var form = MultipartForm(boundary: "B")
        form.writesExtendedFilenames = true
        form.append("a", .data(Data(), filename: "grün'1.txt"))
        form.append("b", .data(Data(), filename: "plain.txt"))
        let text = try await text(form)
        #expect(text.contains("name=\"a\"; filename=\"grün'1.txt\"; filename*=UTF-8''gr%C3%BCn%271.txt\r\n"))
        #expect(text.contains("name=\"b\"; filename=\"plain.txt\"\r\n"))
    }

    @Test func headersOfOnesOwnAreKept() async throws {
        var form = MultipartForm(boundary: "B")
        form.append("a", MultipartPart(headers: ["Content-ID": "<1>", "Content-Type": "x/y"], body: .text("b")))
        form.append("b", MultipartPart(headers: ["Content-Disposition": "attachment"], body: .empty))
        #expect(
            try await text(form)
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-ID: <1>\r\nContent-Type: x/y\r\n\r\nb"
                + "\r\n--B\r\nContent-Disposition: attachment\r\n\r\n\r\n--B--\r\n")
    }

    @Test func fieldsOfAValueArePartsOfTheirOwn() async throws {
        var form = MultipartForm(boundary: "B")
        try form.append(fieldsOf: ["a": ["b": "x & y", "c": "1"]])
        #expect(form.count == 2)
        #expect(try await text(form).contains("name=\"a[b]\"\r\n\r\nx & y\r\n"))
    }

    @Test func aFormWithoutPartsIsRefused() {
        let error = #expect(throws: MartletError.self) { try MultipartForm().requestBody() }
        #expect(error?.code == .encodingFailed)
    }

    @Test func tooManyPartsAreRefused() {
        var form = MultipartForm()
        for _ in 0...100_000 { form.append("a", "") }
        let error = #expect(throws: MartletError.self) { try form.requestBody() }
        #expect(error?.code == .encodingFailed)
    }

    @Test func lengthsThatMakeNoLengthAreRefused() {
        let form: MultipartForm = [
            "a": .stream(length: .max) { GatedChunks([]) }, "b": .stream(length: .max) { GatedChunks([]) },
        ]
        #expect(throws: MartletError.self) { try form.requestBody() }
        let negative: MultipartForm = ["a": .stream(length: -1) { GatedChunks([]) }]
        #expect(throws: MartletError.self) { try negative.requestBody() }
    }

    @Test(arguments: ["", "a ", "a\r\nb", "ü", "a\"b", String(repeating: "x", count: 71)])
    func boundariesThatAreNoneAreRefused(_ boundary: String) {
        var form = MultipartForm(boundary: boundary)
        form.append("a", "b")
        let error = #expect(throws: MartletError.self) { try form.requestBody() }
        #expect(error?.code == .encodingFailed)
    }

    @Test(arguments: [
        ["--B"], ["--B--"], ["x\r\n--B"], ["x\r", "\n-", "-", "B"], ["\r\r\n--B"], ["x\r\n\r\n", "--Bxyz"],
    ])
    func contentThatHoldsAChosenBoundaryIsNotSent(_ chunks: [String]) async {
        var form = MultipartForm(boundary: "B")
        form.append("a", "innocent")
        form.append("b", .stream { GatedChunks(chunks) })
        await expectFailure(.encodingFailed) { try await form.encode() }
        var whole = MultipartForm(boundary: "B")
        whole.append("b", .text(chunks.joined()))
        await expectFailure(.encodingFailed) { try await whole.encode() }
    }

    @Test(arguments: ["x--B", "\n--B", "\r--B", "\r\n-B", "\r\n--b", "\r\n-\r\n--"])
    func contentThatIsOnlyLikeABoundaryIsSent(_ content: String) async throws {
        var form = MultipartForm(boundary: "B")
        form.append("a", .text(content))
        #expect(try await text(form).contains("\r\n\r\n" + content + "\r\n--B--\r\n"))
    }
}

@Suite struct MultipartBodyTests {
    @Test func mixedPartsHaveNoNames() async throws {
        let body = MultipartBody(.mixed, boundary: "B", ["one", try .json(["a": 1])])
        #expect(body.contentType == "multipart/mixed; boundary=B")
        let text = String(decoding: try await body.requestBody().collect(upTo: 1_000), as: UTF8.self)
        #expect(text == "--B\r\n\r\none\r\n--B\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--B--\r\n")
    }

    @Test func relatedPartsNameTheirRoot() throws {
        let film = MultipartPart(headers: ["Content-ID": "<film>", "Content-Type": "video/mp4"], body: .empty)
        let parts = [try MultipartPart.json(["a": 1]), film]
        #expect(
            MultipartBody(.related, boundary: "B", parts).contentType
                == "multipart/related; boundary=B; type=\"application/json\"")
        #expect(
            MultipartBody(.related(start: "<film>"), boundary: "B", parts).contentType
                == "multipart/related; boundary=B; type=\"video/mp4\"; start=\"<film>\"")
        #expect(throws: MartletError.self) { try MultipartBody(.related(start: "<x>"), parts).requestBody() }
        #expect(throws: MartletError.self) { try MultipartBody(.mixed).requestBody() }
        #expect(throws: MartletError.self) { try MultipartBody(.init(subtype: "a b"), parts).requestBody() }
    }

    @Test func multipartMayHoldMultipart() async throws {
        var form = MultipartForm(boundary: "outer")
        form.append("files", try .multipart(MultipartBody(.mixed, boundary: "inner", ["one", "two"])))
        let text = String(decoding: try await form.encode(), as: UTF8.self)
        #expect(
            text
                == "--outer\r\nContent-Disposition: form-data; name=\"files\"\r\nContent-Type: multipart/mixed; boundary=inner"
                + "\r\n\r\n--inner\r\n\r\none\r\n--inner\r\n\r\ntwo\r\n--inner--\r\n\r\n--outer--\r\n")
        #expect(try form.requestBody().length == text.utf8.count)
    }
}

/// Gives `body` a folder that is removed afterwards.
nonisolated(nonsending) func withFolder(_ body: nonisolated(nonsending) (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}
