// The request head as it goes on the wire of HTTP/1.1, for `--verbose`. The SDK writes host and framing itself (RFC 9112,
// sections 3.2 and 6); a test holds this against what a server receives.

import Martlet

/// Shows request heads.
enum SentHead {
    /// The lines of the head.
    static func lines(_ request: Request, _ upload: Upload) -> [String] {
        var lines = ["\(request.method) \(request.url.target) HTTP/1.1"]
        lines.append("Host: \(request.headers.host ?? request.url.hostField)")
        for field in request.headers where !["host", "content-length"].contains(field.name.lowercased()) {
            lines.append("\(field.name): \(field.value)")
        }
        if request.headers.contains("TE") { lines.append("Connection: TE") }
        if let framing = framing(request, upload) { lines.append(framing) }
        return lines
    }

    private static func framing(_ request: Request, _ upload: Upload) -> String? {
        guard let length = upload.length else { return "Transfer-Encoding: chunked" }
        if length > 0 { return "Content-Length: \(length)" }
        let expectsContent: [HTTPMethod] = [.post, .put, .patch, .query]
        return upload.isStreamed || expectsContent.contains(request.method) ? "Content-Length: 0" : nil
    }
}
