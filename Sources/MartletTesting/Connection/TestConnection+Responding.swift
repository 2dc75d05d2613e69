// Sending a `TestResponse`, and the loop of a server that answers every request on a connection.

import Foundation

extension TestConnection {
    /// Sends a response. Its body is left out when the last request read was a HEAD; the connection is closed when the
    /// response says so.
    ///
    /// Throws `TestServerError`, and what the closure of a streamed body throws.
    public func respond(_ response: TestResponse) async throws {
        for informational in response.informational {
            try send(head(informational, framing: []))
        }
        let fields = framing(of: response)
        let allowsBody = lastMethod != "HEAD" && !response.isBodiless
        do {
            try await send(response, framing: fields, allowsBody: allowsBody)
        } catch {
            // The client must not take what it has for the whole.
            if !(error is TestServerError) { reset() }
            throw error
        }
        if !response.keepsConnection || response.body.endsWithConnection { close() }
    }

    private func send(
        _ response: TestResponse, framing: [RecordedRequest.Field], allowsBody: Bool
    ) async throws {
        let head = Data(head(response, framing: framing).utf8)
        guard allowsBody else { return try send(head) }
        switch response.body {
        case .empty:
            try send(head)
        case .data(let data), .untilClose(let data):
            try send(head + data)
        case .chunked(let chunks):
            try send(head)
            for chunk in chunks { try sendChunk(chunk) }
            try send(lastChunk(response.trailers))
        case .stream(let produce):
            try send(head)
            try await produce { try await self.sendChunk($0) }
            try send(lastChunk(response.trailers))
        case .infinite(let chunk):
            try send(head)
            guard !chunk.isEmpty else { return try stall() }
            while true { try sendChunk(chunk) }
        }
    }

    private func lastChunk(_ trailers: [RecordedRequest.Field]) -> String {
        "0\r\n" + trailers.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    private func head(_ response: TestResponse, framing: [RecordedRequest.Field]) -> String {
        let reason = response.reason ?? TestResponse.usualReason(response.status)
        let lines = (response.fields + framing).map { "\($0)\r\n" }.joined()
        return "HTTP/1.1 \(response.status) \(reason)\r\n\(lines)\r\n"
    }

    private func framing(of response: TestResponse) -> [RecordedRequest.Field] {
        func isSet(_ name: String) -> Bool { response.fields.contains { isSameName($0.name, name) } }
        var fields: [RecordedRequest.Field] = []
        if !isSet("Content-Length"), !isSet("Transfer-Encoding"), !response.isBodiless {
            switch response.body {
            case .empty: fields.append(.init("Content-Length", "0"))
            case .data(let data): fields.append(.init("Content-Length", String(data.count)))
            case .chunked, .stream, .infinite: fields.append(.init("Transfer-Encoding", "chunked"))
            case .untilClose: break
            }
        }
        if !response.trailers.isEmpty, !isSet("Trailer") {
            fields.append(.init("Trailer", response.trailers.map(\.name).joined(separator: ", ")))
        }
        if !response.keepsConnection || response.body.endsWithConnection, !isSet("Connection") {
            fields.append(.init("Connection", "close"))
        }
        return fields
    }

    /// Answers request after request until the client has finished or does not want to keep the connection.
    func serve(_ answer: @escaping @Sendable (RecordedRequest) async throws -> TestResponse) async throws {
        #if SocketTransport && os(Linux)
        if try speaksHTTP2() { return try await serveHTTP2(answer) }
        #endif
        while let head = try readHeadOrEnd() {
            if head.expectsContinue { try send("HTTP/1.1 100 Continue\r\n\r\n") }
            let request = try readBody(of: head)
            let response: TestResponse
            do {
                response = try await answer(request)
            } catch {
                core.recordFailure(error)
                response = .text("The test's handler threw: \(error)", status: 500)
            }
            try await respond(response)
            guard !isClosed, request.keepsConnection else { return }
        }
    }
}

extension TestResponse {
    /// Whether the status forbids a body (RFC 9110, 6.4.1).
    var isBodiless: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

    static func usualReason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Status"
        }
    }
}

extension TestResponse.Body {
    var endsWithConnection: Bool {
        if case .untilClose = self { true } else { false }
    }
}
