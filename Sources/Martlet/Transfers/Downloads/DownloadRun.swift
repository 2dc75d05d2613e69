// One download from its first request to the file's name: asks, looks at the answer, writes, and asks for the rest when the connection
// is lost. What an answer means is `RangeAnswer`'s to say; what is done about it is here.

import Foundation

/// The driver of a download. Used by one task.
final class DownloadRun {
    typealias Report = @Sendable (_ step: DownloadStep, _ isProgress: Bool) -> Void

    let download: Download
    let call: Call
    let url: RequestURL
    let core: ClientCore
    let deadline: MonotonicInstant?
    let report: Report

    var file: PartialFile?
    var record: DownloadRecord
    /// How many bytes of the file are there, from its beginning on.
    var done = 0
    var fetched = 0
    var interruptions = 0
    var restarts = 0
    /// Losses in a row that nothing new came before.
    var vainLosses = 0
    var furthest = 0
    /// False once the server has shown that it makes a mess of parts.
    var asksForParts = true
    /// False once the file has turned out not to be fit for it.
    var usesSegments = true
    var finalPath = ""
    var expected: [MessageDigest.Expected] = []
    var meter: ProgressMeter
    var reportedAt: MonotonicInstant

    init(_ download: Download, report: @escaping Report) throws {
        self.download = download
        self.report = report
        call = download.call
        core = download.call.client.core
        url = try download.call.makeRequest().url
        record = DownloadRecord(url)
        let now = core.time.now()
        deadline = call.options.timeouts.total.map { now + $0 }
        meter = ProgressMeter(total: nil, at: now)
        reportedAt = now
        if let text = download.settings.sha256 {
            guard let digest = MessageDigest.Expected(sha256: text) else {
                throw MartletError(.invalidRequest, "A SHA-256 has 64 hexadecimal digits.")
            }
            expected.append(digest)
        }
        if !expected.isEmpty || download.settings.verifiesDigest, MessageDigest.sha256(of: Data()) == nil {
            throw MartletError(.unsupported, "This build has no digests: enable the SocketTransport trait.")
        }
    }

    nonisolated(nonsending) func run() async throws -> DownloadedFile {
        try await checkDestination(nil)
        try await takeUp()
        do {
            while true {
                if let file = try await attempt() { return file }
            }
        } catch {
            await leave()
            throw Task.isCancelled ? CancellationError() : completed(error)
        }
    }

    // MARK: Before and after

    /// Looks for a file that must not be replaced, under the name that is known so far.
    nonisolated(nonsending) private func checkDestination(_ head: ResponseHead?) async throws {
        finalPath = download.destination.path(head, from: url)
        if case .directory = download.destination.place, head == nil { return }
        try await download.destination.check(finalPath)
    }

    /// Opens what an earlier download has left, if it can be of use.
    nonisolated(nonsending) private func takeUp() async throws {
        guard call.method == .get else { return }
        let token = download.settings.token
        let path = token?.partialPath ?? partialPath
        let url = url
        let found = try await FileIO.run { () throws -> (PartialFile, DownloadRecord, Int)? in
            guard let record = token?.record(for: url) ?? PartialFile.record(of: path), record.belongs(to: url),
                let file = try PartialFile.open(path, creating: false)
            else { return nil }
            return (file, record, record.prefix(ofFileWith: file.size))
        }
        guard let found else { return }
        record = found.1
        if let spans = record.spans, let total = record.total, download.settings.segments > 1 {
            let there = SpanSet(spans)
            guard there.count > 0 else { return }
            file = found.0
            done = there.gaps(upTo: total).isEmpty ? total : there.count
        } else {
            guard found.2 > 0 else { return }
            file = found.0
            done = found.2
            try await useOneStream()
        }
        furthest = done
    }

    /// Forgets what is there but for the beginning: what follows is written behind it.
    nonisolated(nonsending) private func useOneStream() async throws {
        guard record.spans != nil, let file else { return }
        record.spans = nil
        let (record, size) = (record, done)
        try await FileIO.run {
            // In this order: without its spans a record means the whole file.
            try file.truncate(to: size)
            try file.save(record)
        }
    }

    private var partialPath: String { download.destination.partialPath(for: url) }

    /// Keeps what can be resumed, and takes away what cannot.
    nonisolated(nonsending) private func leave() async {
        guard let file else { return }
        let keeps = download.settings.keepsPartial && record.validators.ifRange != nil && done > 0
        _ = try? await FileIO.run { if !keeps { file.remove() } }
        self.file = nil
    }

    private func completed(_ error: any Error) -> any Error {
        guard let error = error as? MartletError, error.request == nil else { return error }
        return error.with { $0.request = .init(method: call.method, url: url.redactedDescription) }
    }

    // MARK: Attempts

    /// Sends one request and uses its answer; nil when another one is needed.
    nonisolated(nonsending) private func attempt() async throws -> DownloadedFile? {
        let segments = segmentsToFetch
        let question = question(for: segments?.first)
        let response: Response<ResponseBody>
        do {
            response = try await send(question)
        } catch let error as MartletError where interruptions > 0 && error.isLossOfConnection {
            try await pause(after: error)
            return nil
        }
        let head = response.head
        switch RangeAnswer(head, to: question) {
        case .complete:
            await response.body.discard(head)
            return try await finish(response)
        case .stale:
            await response.body.discard(head)
            try await startAgain(because: "the file on the server has changed")
            return nil
        case .refused(let reason):
            guard question != nil else {
                throw MartletError(.invalidResponse, "The server cannot be trusted with parts of files: \(reason).")
            }
            await response.body.discard(head)
            asksForParts = false
            try await startAgain(because: reason)
            return nil
        case .other where interruptions > 0 && Self.passingStatuses.contains(head.status.code):
            let wait = head.headers.retryDelay(now: core.wallTime())
            let error = MartletError(.unacceptableStatus, "The server answered \(head.status).")
            await response.body.discard(head)
            try await pause(after: error, asked: wait)
            return nil
        case .whole, .other:
            try await accept(response, as: head)
            let segments = self.segments(of: response)
            try await begin(head, response.metrics, inSegments: segments != nil)
            if let segments { return try await fetch(segments, response) }
            return try await receive(response, upTo: nil)
        case .part(_, let count, let total):
            var whole = head
            whole.status = .ok
            try await accept(response, as: whole)
            try await goOn(head, total)
            if let segments { return try await fetch(segments, response) }
            return try await receive(response, upTo: count)
        }
    }

    static let mostRestarts = 5
    static let passingStatuses = [408, 429, 500, 502, 503, 504]

    func question(for segment: Range<Int>? = nil) -> RangeQuestion? {
        guard asksForParts, call.method == .get, done > 0, record.validators.ifRange != nil else { return nil }
        if let segment {
            return RangeQuestion(
                start: segment.lowerBound, last: segment.upperBound - 1, total: record.total,
                validators: record.validators)
        }
        return RangeQuestion(start: done, total: record.total, validators: record.validators)
    }

    nonisolated(nonsending) private func send(_ question: RangeQuestion?) async throws -> Response<ResponseBody> {
        var call = call
        if let question {
            call = call.header("Range", "bytes=\(question.start)-\(question.last.map(String.init) ?? "")")
                .header("If-Range", question.validators.ifRange)
        } else if !call.headers.contains("Accept-Encoding") {
            call = call.header("Accept-Encoding", "identity")
        }
        if let deadline { call.options.timeouts.total = max(deadline.since(core.time.now()), .zero) }
        return try await core.send(try call.makeRequest(), through: call.layers)
    }

    /// Throws what the call does not accept.
    nonisolated(nonsending) private func accept(_ response: Response<ResponseBody>, as head: ResponseHead) async throws
    {
        let request = try call.makeRequest()
        if let refusal = call.validation.refusal(of: head, to: request) {
            throw try await call.refused(response, to: request, refusal)
        }
        if head.status == .noContent || head.status == .resetContent {
            throw MartletError(.emptyBody, "The server answered \(head.status), which has no body to download.")
        }
    }

    /// Makes room for a file from its first byte on.
    nonisolated(nonsending) private func begin(
        _ head: ResponseHead, _ metrics: ResponseMetrics, inSegments: Bool
    ) async throws {
        try await checkDestination(head)
        let isPlain = metrics.contentCodings.isEmpty
        record = DownloadRecord(
            url, isPlain ? DownloadValidators(head.headers) : DownloadValidators(),
            total: isPlain ? head.headers.contentLength : nil)
        if head.headers["Accept-Ranges"]?.lowercased() == "none" { record.validators.ifRange = nil }
        if inSegments { record.spans = [] }
        noteDigest(head)
        let (open, path, record, destination) = (file, partialPath, record, download.destination)
        file = try await FileIO.run {
            if open == nil { try destination.makeDirectories() }
            guard let file = try open ?? PartialFile.open(path, creating: true) else { return nil }
            // In this order: a record must never speak of bytes that are another version's.
            try file.truncate(to: 0)
            try file.save(record.validators.ifRange == nil ? nil : record)
            return file
        }
        done = 0
        meter = ProgressMeter(total: record.total, at: core.time.now())
        report(.started(head), false)
    }

    /// Goes on behind what is there.
    nonisolated(nonsending) private func goOn(_ head: ResponseHead, _ total: Int?) async throws {
        if finalPath.isEmpty || interruptions == 0 { try await checkDestination(head) }
        noteDigest(head)
        record.total = record.total ?? total
        meter = ProgressMeter(from: done, total: record.total, at: core.time.now())
        if interruptions == 0 { report(.started(head), false) }
        report(.resumed(at: done), false)
    }

    private func noteDigest(_ head: ResponseHead) {
        guard download.settings.verifiesDigest, let stated = MessageDigest.Expected(head) else { return }
        if !expected.contains(stated) { expected.append(stated) }
    }

    // MARK: The body

    nonisolated(nonsending) private func receive(
        _ response: Response<ResponseBody>, upTo limit: Int?
    ) async throws -> DownloadedFile? {
        let start = done
        do {
            try await write(response.body, upTo: limit.map { start + $0 })
        } catch let error as MartletError where error.isLossOfConnection && call.method == .get {
            try await pause(after: error)
            return nil
        }
        if let limit, done < start + limit {
            try await pause(after: MartletError(.bodyTruncated, "The server sent less of the file than it said."))
            return nil
        }
        // A server may give less than the rest; how much the rest is may have to be asked for.
        if let limit, record.total.map({ done < $0 }) ?? (limit > 0) { return nil }
        return try await finish(response)
    }

    nonisolated(nonsending) private func write(_ body: ResponseBody, upTo end: Int?) async throws {
        guard let file else { return }
        var writer = ChunkWriter(file: file, size: download.settings.writeSize)
        do {
            for try await chunk in body {
                if let end, done + writer.count + chunk.count > end {
                    throw MartletError(.invalidResponse, "The server sent more of the file than it said.")
                }
                if writer.add(chunk) { try await flush(&writer) }
            }
        } catch {
            if !error.isOfTheFile { try await flush(&writer) }
            throw error
        }
        try await flush(&writer)
    }

    nonisolated(nonsending) private func flush(_ writer: inout ChunkWriter) async throws {
        let count = try await writer.flush(at: done)
        guard count > 0 else { return }
        done += count
        fetched += count
        tellProgress()
        try await download.settings.bandwidth?.take(count, core.clock)
    }

    func tellProgress(isLast: Bool = false) {
        let now = core.time.now()
        meter.note(wire: done, decoded: done, at: now)
        guard isLast || now.since(reportedAt) >= download.settings.progressInterval else { return }
        reportedAt = now
        report(.progress(meter.progress), true)
    }
}
