// Forms read by parsers that are not ours: werkzeug's, which comes with httpbin, and the one of Python's own mail library.

import Foundation
import Testing

@testable import Martlet

@Suite(.enabled(if: IndependentParsers.areThere, "Tests/install has not been run"), .timeLimit(.minutes(5)))
struct IndependentParserTests {
    // werkzeug undoes `%22` and leaves the escapes of line ends.
    @Test func partsOfEveryKindAreReadAsTheyWere() async throws {
        let form: MultipartForm = [
            "plain": "text", "ünïcode 名": "grün 名 👨‍👩‍👧‍👦", "empty": "", "lines": "a\r\n\r\n--b\r\n\nc\r",
            "quo\"te": "\"", "line\r\nend": "x", "semi;colon=1": "y", "file": .data(Data(0...255), filename: "a b.bin"),
            "named": .data(Data("x".utf8), filename: "qu\"ote ü\r\n.txt", contentType: "text/plain; charset=utf-8"),
            "emptyfile": .data(Data(), filename: "e"), "again": "1", "again": "2",
            "stream": .stream(filename: "s") { GatedChunks(["ab", "cd"]) },
        ]
        let parts = try await IndependentParsers.read(form)
        let fields = [
            ["plain", "text"], ["ünïcode 名", "grün 名 👨‍👩‍👧‍👦"], ["empty", ""], ["lines", "a\r\n\r\n--b\r\n\nc\r"],
            ["quo\"te", "\""], ["line%0D%0Aend", "x"], ["semi;colon=1", "y"], ["again", "1"], ["again", "2"],
        ]
        #expect(Set(parts.fields) == Set(fields))
        #expect(parts.fields.filter { $0[0] == "again" } == [["again", "1"], ["again", "2"]])
        let files = [
            ["file", "a b.bin", "application/octet-stream", Data(0...255).base64EncodedString()],
            ["named", "qu\"ote ü%0D%0A.txt", "text/plain", Data("x".utf8).base64EncodedString()],
            ["emptyfile", "e", "application/octet-stream", ""],
            ["stream", "s", "application/octet-stream", Data("abcd".utf8).base64EncodedString()],
        ]
        #expect(Set(parts.files) == Set(files))
        #expect(parts.mailParts == 13)
    }

    @Test func aThousandPartsAreRead() async throws {
        var form = MultipartForm()
        for index in 0..<1_000 { form.append("name \"\(index)\" ü", .text("value \(index)\r\n")) }
        let parts = try await IndependentParsers.read(form)
        #expect(parts.fields == (0..<1_000).map { ["name \"\($0)\" ü", "value \($0)\r\n"] })
        #expect(parts.mailParts == 1_000)
    }

    @Test func extendedFileNamesAreRead() async throws {
        var form = MultipartForm()
        form.writesExtendedFilenames = true
        form.append("a", .data(Data("x".utf8), filename: "grün 'ß' 名.txt"))
        let parts = try await IndependentParsers.read(form)
        #expect(parts.files.first?[1] == "grün 'ß' 名.txt")
    }

    // Python reads queries as browsers write them; ours are read the same.
    @Test(arguments: 0..<20) func queriesAreReadAsTheyWere(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("ab +&=%;/?#[]\"'\r\nüß€👨‍👩‍👧‍👦")
        var parameters = Parameters()
        var expected: [[String]] = []
        for index in 0..<20 {
            let value = String((0..<random.next(below: 9)).map { _ in alphabet[random.next(below: alphabet.count)] })
            parameters.append("k\(index) &=", value)
            expected.append(["k\(index) &=", value])
        }
        var encoder = URLEncodedFormEncoder()
        encoder.sortsKeys = false
        encoder.spaces = seed.isMultiple(of: 2) ? .percentEscaped : .plusReplaced
        let text = try encoder.encodeString(parameters)
        let read: [[String]] = try await IndependentParsers.run(
            "import sys,json,urllib.parse as u; print(json.dumps(u.parse_qsl(open(sys.argv[1]).read(), True, True)))",
            Data(text.utf8), "")
        #expect(read == expected)
    }
}

enum IndependentParsers {
    struct Parts: Decodable {
        var fields: [[String]]
        var files: [[String]]
        var mailParts: Int
    }

    private static let python = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/httpbin/bin/python").path

    static var areThere: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// What werkzeug makes of a form, and how many parts the mail library sees.
    static func read(_ form: MultipartForm) async throws -> Parts {
        let script = """
            import sys, os, io, json, base64, email.parser, email.policy
            from werkzeug.formparser import FormDataParser
            data = open(sys.argv[1], "rb").read()
            parser = FormDataParser(max_form_parts=None, max_form_memory_size=None, silent=False)
            kind, _, rest = sys.argv[2].partition(";")
            options = {"boundary": rest.partition("=")[2]}
            _, form, files = parser.parse(io.BytesIO(data), kind, len(data), options)
            mail = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(
                b"Content-Type: " + sys.argv[2].encode() + b"\\r\\n\\r\\n" + data)
            print(json.dumps({
                "fields": [[k, v] for k, v in form.items(multi=True)],
                "files": [[k, f.filename, f.mimetype, base64.b64encode(f.read()).decode()] for k, f in files.items(multi=True)],
                "mailParts": len(mail.get_payload())}))
            """
        return try await run(script, try await form.encode(), form.contentType)
    }

    static func run<Value: Decodable>(_ script: String, _ input: Data, _ argument: String) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "input")
        let output = folder.appending(path: "output")
        try input.write(to: file)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", script, file.path, argument]
        process.standardOutput = try FileHandle(forWritingTo: output)
        let (ended, signal) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in signal.finish() }
        try process.run()
        for await _ in ended {}
        return try JSONDecoder().decode(Value.self, from: try Data(contentsOf: output))
    }
}
