// Every parser of what comes from elsewhere, with what gets past its first check. What ends at the first wrong byte gets the
// bytes in pieces, each behind an opening of its own.

import Foundation

@testable import Martlet

extension ByteParser {
    static let all: [ByteParser] = requests + bodies + streams + heads + codings

    private static let requests = [
        ByteParser("form", openings: ["a[b][0]=", "a="], alphabet: "a=&[]%2B+;") { bytes in
            _ = try URLEncodedFormDecoder().decode([String: JSONValue].self, from: bytes)
        },
        ByteParser("form of arrays", openings: ["a=", "a[]=1&a[]="], alphabet: "ab=&[]%2B+,") { bytes in
            _ = try URLEncodedFormDecoder().decode([String: [String]].self, from: bytes)
        },
        ByteParser("URI template", openings: ["/{a*}{?b,c}{"], alphabet: "{a,b:3*}+#./;?&%41") { bytes in
            let template = try URITemplate(text(bytes))
            _ = try template.expand(["a": "1", "b": ["2", "3"]])
        },
        ByteParser(
            "URL", openings: ["https://", "https://a.example/", "http://[::1]:80/?"], alphabet: ":/?#[]@%41.a\\"
        ) {
            bytes in
            let text = text(bytes)
            _ = try? RequestURL(text)
            let base = try RequestURL("https://a.example/b?c")
            _ = try? base.resolving(text, allowingOtherOrigin: true)
            _ = try base.resolvingLocation(text)
        },
    ]

    private static let bodies = [
        ByteParser("multipart", openings: ["--B\r\n\r\n", "--B\r\nA: "], alphabet: "\r\n-B: a;=\"") { bytes in
            for try await part in MultipartReader(Pieces(bytes, 65_536), boundary: "B") { _ = try await part.collect() }
        },
        ByteParser("JSON", openings: ["{\"a\": [1, ", "[\"", "-0."], alphabet: "{}[],:\"\\u1e-.tfn ") { bytes in
            _ = try JSONValue(parsing: bytes)
        },
        ByteParser("problem", openings: ["{\"title\": \"", "{\"status\": "], alphabet: "{}[],:\"\\u1e-.tfn ") { bytes in
            _ = try JSONDecoder().decode(ProblemDetails.self, from: bytes)
        },
        ByteParser(
            "property list",
            openings: [
                "bplist00", "<?xml version=\"1.0\"?><plist><dict><key>", "<plist><array><data>", "{a = (", "\u{FEFF}",
            ],
            alphabet: "<>/&;dictkeyarsng={}()\"\u{0}\u{8}\u{1}"
        ) { bytes in
            let response = Response(
                head: ResponseHead(status: .ok, headers: [:]), body: bytes, url: try RequestURL("https://a.example/"))
            _ = try response.serialized(by: .propertyList([String: JSONValue].self))
        },
        ByteParser(
            "XML", openings: ["<a b='", "<a>", "<?xml version='1.0' encoding='shift_jis'?><a>", "<a><![CDATA["],
            alphabet: "<>/ab='&#x4;!-[]? \r\n"
        ) { bytes in
            // In pieces, for most of them end at the first wrong byte.
            for (index, piece) in pieces(of: bytes, 16_384).enumerated() {
                _ = try? XMLValue(parsing: Data(["", "<a>", "<a b='", "<!--"][index % 4].utf8) + piece)
            }
            _ = try XMLValue(parsing: bytes)
        },
        ByteParser("charset", alphabet: "a\u{1B}$B(J~{\u{E}\u{F}\u{E4}\u{20AC}") { bytes in
            // The last byte picks one.
            let charset = charsets[Int(bytes.last ?? 0) % charsets.count]
            _ = try TextEncoding.decode(bytes, contentType: "text/plain; charset=\(charset)")
        },
    ]

    private static let charsets = [
        "utf-8", "utf-16", "utf-16le", "utf-16be", "utf-32", "iso-8859-1", "windows-1252", "shift_jis", "gb18030",
        "big5",
        "euc-kr", "iso-2022-jp", "koi8-r", "us-ascii", "utf-7", "x-unknown",
    ]

    private static let streams = [
        ByteParser("lines", alphabet: "\r\na") { bytes in
            for try await _ in ChunkedLines(Pieces(bytes, 65_536)) {}
        },
        ByteParser("server-sent events", openings: ["data: ", "id: \n"], alphabet: "\r\n: dataidevntry0\u{FEFF}") {
            bytes in
            try read(EventStreamParser(), bytes)
        },
        ByteParser("JSON lines", openings: ["{\"a\": \"", "\u{1E}{"], alphabet: "\r\n\u{1E}{}[]\"\\, 1") { bytes in
            try read(JSONFramer.lines(), bytes)
        },
        ByteParser("JSON array", openings: ["[", "[{\"a\": \""], alphabet: "{}[],\"\\1 ") { bytes in
            try read(JSONFramer.array(), bytes)
        },
        ByteParser("JSON in events", openings: ["data: {", "data: [DONE]"], alphabet: "\r\ndata: {}") { bytes in
            try read(JSONFramer.events(until: "[DONE]"), bytes)
        },
        ByteParser(
            "length-prefixed frames", openings: ["\u{0}\u{0}\u{0}\u{8}", "\u{1}"], alphabet: "\u{0}\u{1}\u{7F}\u{80}"
        ) {
            bytes in
            for size in [1, 2, 4, 8] {
                try? read(LengthFramer(prefix: .bigEndian(bytes: size), maximumBytes: 1 << 20), bytes)
                try? read(LengthFramer(prefix: .littleEndian(bytes: size), maximumBytes: 1 << 20), bytes)
            }
            try read(LengthFramer(prefix: .varint, maximumBytes: .max), bytes)
        },
    ]

    private static func read(_ framer: some StreamFramer, _ bytes: Data) throws {
        var framer = framer
        for piece in pieces(of: bytes, 65_536) {
            try framer.append(piece)
            while try framer.next() != nil {}
        }
        while try framer.finish() != nil {}
    }

    private static func pieces(of bytes: Data, _ size: Int) -> [Data] {
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }

    private static func text(_ bytes: Data) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Heads

    private static let heads = [
        ByteParser("HTTP/1.1 response", alphabet: "\r\n: 0123456789abcdefHTP/;,=\"") { bytes in
            let openings = responseOpenings
            for (index, piece) in pieces(of: bytes, 16_384).enumerated() {
                respond(Data(openings[index % openings.count].utf8) + piece, to: index.isMultiple(of: 5) ? .head : .get)
            }
        },
        ByteParser("header fields", alphabet: ",;=\"\\<>'%e2*/+ \t-.:0q_Aa") { bytes in
            // Once for all of them: making text of chance takes longer than reading it.
            let text = text(bytes)
            for field in fields { field.read(field.opening + text) }
        },
    ]

    private static let responseOpenings = [
        "", "HTTP/1.1 ", "HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nA", "HTTP/1.1 200 OK\r\nA: ", "HTTP/1.1 103 \r\nA: b\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: ", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: ",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ",
    ]

    /// Reads a response that comes in two portions.
    private static func respond(_ bytes: Data, to method: HTTPMethod) {
        var parser = HTTP1Parser()
        parser.start(method: method)
        for portion in [bytes.prefix(bytes.count / 3), bytes.dropFirst(bytes.count / 3)] {
            portion.withUnsafeBytes { buffer in
                var offset = 0
                while !parser.isIdle, (try? parser.next(buffer, from: &offset)) != nil {}
            }
        }
        if !parser.isIdle { _ = try? parser.finish() }
    }

    private static let fields: [(opening: String, read: @Sendable (String) -> Void)] = [
        ("text/html; charset=\"", { _ = MediaType($0)?.matches("*/*+json") }),
        ("attachment; filename*=UTF-8''", { _ = ContentDisposition($0)?.safeFilename }),
        ("</a>; rel=\"next\"; title=", { _ = WebLink.all(in: $0) }),
        ("1", { _ = RetryAfter($0) }),
        ("Sun, 06 Nov 1994 08:49:3", { _ = RetryAfter($0) }),
        ("Sunday, 06-Nov-94 ", { _ = HTTPDate($0) }),
        ("Sun Nov  6 ", { _ = HTTPDate($0) }),
        (
            "private=\"a, ",
            { text in
                let control = CacheControl(text)
                _ = (control.maxAge, control.fields(of: "private"))
            }
        ),
        ("gzip;q=0.5, ", { _ = QualityList($0).quality(of: "gzip") }),
        ("gzip, ", { _ = ContentCoding.listed(in: ["Content-Encoding": $0]) }),
    ]

    // MARK: Codings

    #if Zlib
    private static let codings = Coded.cases.map { coded in
        // Half of a good body is the opening: it is no text.
        let opening = coded.bytes.prefix(coded.bytes.count / 2)
        return ByteParser(coded.name, alphabet: "\u{0}\u{1F}\u{7F}a") { bytes in
            for opening in [Data(), opening] {
                let decoder = ContentDecoder([coded.coding], limits: ContentDecoding())
                try? decode(pieces(of: opening + bytes, 65_536), by: decoder)
            }
        }
    }

    private static func decode(_ pieces: [Data], by decoder: ContentDecoder) throws {
        for piece in pieces {
            decoder.push(piece)
            while try decoder.next() != nil {}
        }
        try decoder.finish()
    }
    #else
    private static let codings: [ByteParser] = []
    #endif
}
