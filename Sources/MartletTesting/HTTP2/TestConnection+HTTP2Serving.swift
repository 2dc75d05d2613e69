#if SocketTransport && os(Linux)
// A server of HTTP/2 that answers requests, many at a time, within the client's windows: what `TestServer.serve` does on a
// connection whose client speaks HTTP/2.

#if canImport(Glibc)
import Glibc
#endif
import Foundation
import Martlet

/// Answers on their way from the tasks that make them to the connection's thread.
private final class HTTP2Outbox: Sendable {
    enum Item: Sendable {
        case head(UInt32, [HTTP2Frame], ends: Bool)
        case bytes(UInt32, Data)
        case repeating(UInt32, Data)
        case end(UInt32, [RecordedRequest.Field])
        case failed(UInt32)
        case goAway
    }

    private let items = Lock<[Item]>([])
    let pending = Watched(0)

    /// Whether no answer is being made or waits to be taken.
    var isIdle: Bool { pending.value == 0 && items.withLock { $0.isEmpty } }

    func add(_ item: Item) { items.withLock { $0.append(item) } }

    func take() -> [Item] {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}

/// What is to be sent on one stream.
private struct HTTP2Answer {
    var bytes = Data()
    var repeating: Data?
    var trailers: [RecordedRequest.Field]?
}

extension TestConnection {
    /// Whether the client begins to speak HTTP/2: agreed on by ALPN, or said at once in plain text.
    func speaksHTTP2() throws(TestServerError) -> Bool {
        if let tlsSession { return tlsSession.applicationProtocol == "h2" }
        if core.tls != nil { return false }
        let preface = Array(Self.http2Preface.utf8)
        while true {
            let seen = min(unread.count, preface.count)
            guard (0..<seen).allSatisfy({ unread[$0] == preface[$0] }) else { return false }
            if seen == preface.count { return true }
            if try fill(65_536) == 0 { return false }
        }
    }

    /// Answers the requests of an HTTP/2 connection, each as soon as its answer is there.
    func serveHTTP2(_ answer: @escaping @Sendable (RecordedRequest) async throws -> TestResponse) async throws {
        try acceptHTTP2()
        let outbox = HTTP2Outbox()
        let core = core
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            var answers: [UInt32: HTTP2Answer] = [:]
            while true {
                for request in try serveOnce(outbox, &answers) {
                    outbox.pending.update { $0 += 1 }
                    group.addTask {
                        await Self.answer(request, answer, outbox, core)
                        outbox.pending.update { $0 -= 1 }
                    }
                }
                if isClosed { return close() }
                if http2.finalStream != nil, answers.isEmpty, http2.open.isEmpty, outbox.isIdle { return leave() }
                if http2.hasEnded { return }
                await Task.yield()
            }
        }
    }

    /// Says that nothing more comes and waits for the client to go: closed at once, what it still sends would be answered with
    /// a reset, which overtakes the answers.
    private func leave() {
        do {
            try halfClose()
            try stall()
        } catch {
            // The client has gone already, or the server stops.
        }
        close()
    }

    /// One round: sends what may be sent, then reads what is there, waiting for it when there is nothing else to do.
    private func serveOnce(
        _ outbox: HTTP2Outbox, _ answers: inout [UInt32: HTTP2Answer]
    ) throws(TestServerError) -> [RecordedRequest] {
        for item in outbox.take() { try accept(item, &answers) }
        for reset in http2.resets {
            answers[reset.stream] = nil
            http2.windows[reset.stream] = nil
        }
        http2.resets = []
        let hasSent = try sendAnswers(&answers)
        let waits = hasSent ? 0 : outbox.pending.value > 0 ? 1 : 100
        guard try hasInput(waitingFor: Int32(waits)) else { return [] }
        guard let frame = try readFrameOrEnd() else {
            http2.hasEnded = true
            return []
        }
        let known = http2.lastStream
        let request = try take(frame)
        if http2.lastStream > known, let open = http2.open[http2.lastStream], open.expectsContinue {
            try send(.headers(http2.lastStream, [":status": "100"]))
        }
        return request.map { [$0] } ?? []
    }

    private func hasInput(waitingFor milliseconds: Int32) throws(TestServerError) -> Bool {
        if !unread.isEmpty { return true }
        return try socket.using(.reading) { () throws(TestServerError) in
            if socket.tls?.hasPending == true { return true }
            return pollOne(socket.descriptor, Int16(POLLIN) | peerFinishedEvent, milliseconds: milliseconds) != 0
        }
    }

    private func accept(_ item: HTTP2Outbox.Item, _ answers: inout [UInt32: HTTP2Answer]) throws(TestServerError) {
        switch item {
        case .head(let stream, let frames, let ends):
            guard http2.windows[stream] != nil else { return }
            if ends { http2.windows[stream] = nil } else { answers[stream] = HTTP2Answer() }
            try send(frames)
        case .bytes(let stream, let data): answers[stream]?.bytes.append(data)
        case .repeating(let stream, let data): answers[stream]?.repeating = data
        case .end(let stream, let trailers): answers[stream]?.trailers = trailers
        case .failed(let stream):
            if answers.removeValue(forKey: stream) != nil { try send(.reset(stream, code: 2)) }
        case .goAway:
            guard http2.finalStream == nil else { return }
            http2.finalStream = http2.lastStream
            try send(.goAway(last: http2.lastStream))
        }
    }

    /// Sends what the windows allow, a frame for each stream in turn; whether there was any.
    private func sendAnswers(_ answers: inout [UInt32: HTTP2Answer]) throws(TestServerError) -> Bool {
        var hasSent = false
        for stream in answers.keys.sorted() {
            guard var answer = answers[stream] else { continue }
            if let chunk = answer.repeating, answer.bytes.count < 65_536, !chunk.isEmpty {
                while answer.bytes.count < 65_536 { answer.bytes.append(chunk) }
            }
            let room = min(http2.connectionWindow, http2.windows[stream] ?? 0, 16_384)
            let part = answer.bytes.prefix(max(0, room))
            answer.bytes = Data(answer.bytes.dropFirst(part.count))
            http2.connectionWindow -= part.count
            http2.windows[stream]? -= part.count
            let ends = answer.bytes.isEmpty && answer.repeating == nil && answer.trailers != nil
            let trailers = answer.trailers ?? []
            answers[stream] = ends ? nil : answer
            if !part.isEmpty || (ends && trailers.isEmpty) {
                try send(.data(stream, [UInt8](part), ends: ends && trailers.isEmpty))
                hasSent = true
            }
            if ends {
                http2.windows[stream] = nil
                if !trailers.isEmpty {
                    let fields = trailers.map { RecordedRequest.Field($0.name.lowercased(), $0.value) }
                    try send(.headers(stream, fields: fields, ends: true))
                }
            }
        }
        return hasSent
    }

    // MARK: Answers, in their own tasks

    private static func answer(
        _ request: RecordedRequest, _ answer: @Sendable (RecordedRequest) async throws -> TestResponse,
        _ outbox: HTTP2Outbox, _ core: ServerCore
    ) async {
        let stream = request.stream ?? 0
        let response: TestResponse
        do {
            response = try await answer(request)
        } catch {
            if !(error is CancellationError) { core.recordFailure(error) }
            response = .text("The test's handler threw: \(error)", status: 500)
        }
        let allowsBody = request.method != "HEAD" && !response.isBodiless
        var frames = response.informational.map { HTTP2Frame.headers(stream, fields: fields(of: $0, length: nil)) }
        var length: Int?
        switch response.body {
        case .empty: length = response.isBodiless ? nil : 0
        case .data(let data): length = data.count
        default: break
        }
        frames.append(.headers(stream, fields: fields(of: response, length: length), ends: !allowsBody))
        outbox.add(.head(stream, frames, ends: !allowsBody))
        if allowsBody { await send(response, stream, outbox, core) }
        if !response.keepsConnection || response.body.endsWithConnection { outbox.add(.goAway) }
    }

    private static func send(
        _ response: TestResponse, _ stream: UInt32, _ outbox: HTTP2Outbox, _ core: ServerCore
    ) async {
        switch response.body {
        case .empty: break
        case .data(let data), .untilClose(let data): outbox.add(.bytes(stream, data))
        case .chunked(let chunks): chunks.forEach { outbox.add(.bytes(stream, $0)) }
        case .infinite(let chunk): return outbox.add(.repeating(stream, chunk))
        case .stream(let produce):
            do {
                try await produce { outbox.add(.bytes(stream, $0)) }
            } catch {
                core.recordFailure(error)
                return outbox.add(.failed(stream))
            }
        }
        outbox.add(.end(stream, response.trailers))
    }

    private static func fields(of response: TestResponse, length: Int?) -> [RecordedRequest.Field] {
        var fields = [RecordedRequest.Field(":status", String(response.status))]
        for field in response.fields where !["connection", "transfer-encoding"].contains(field.name.lowercased()) {
            fields.append(.init(field.name.lowercased(), field.value))
        }
        if let length, !fields.contains(where: { $0.name == "content-length" }) {
            fields.append(.init("content-length", String(length)))
        }
        return fields
    }
}
#endif
