// A file over several connections at once, for servers that limit each of them. Each segment is asked for by itself, resumed by itself,
// and only ever a part of the version that the download began with: an answer that is anything else ends this way of doing it, and the
// file is fetched in one stream.

import Foundation

/// Which parts of a file are there: a pure value.
struct SpanSet: Sendable, Equatable {
    private(set) var spans: [DownloadRecord.Span] = []

    init(_ spans: [DownloadRecord.Span] = []) {
        for span in spans { add(span.start..<span.end) }
    }

    var count: Int { spans.reduce(0) { $0 + $1.end - $1.start } }

    /// Adds bytes, joined with those that they touch.
    mutating func add(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var (start, end) = (range.lowerBound, range.upperBound)
        spans.removeAll { span in
            guard span.start <= end, span.end >= start else { return false }
            (start, end) = (min(start, span.start), max(end, span.end))
            return true
        }
        spans.insert(
            .init(start: start, end: end), at: spans.firstIndex { $0.start > start } ?? spans.count)
    }

    /// What is missing of a file of so many bytes.
    func gaps(upTo total: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var start = 0
        for span in spans where span.start < total {
            if span.start > start { gaps.append(start..<span.start) }
            start = max(start, span.end)
        }
        if start < total { gaps.append(start..<total) }
        return gaps
    }

    /// What is missing, in so many segments if they have at least a size.
    func segments(upTo total: Int, count: Int, minimum: Int) -> [Range<Int>] {
        let gaps = gaps(upTo: total)
        let missing = gaps.reduce(0) { $0 + $1.count }
        let size = max((missing + max(count, 1) - 1) / max(count, 1), minimum, 1)
        return gaps.flatMap { gap in
            let pieces = max((gap.count + size / 2) / size, 1)
            return (0..<pieces).map { index in
                gap.lowerBound + gap.count * index / pieces..<gap.lowerBound + gap.count * (index + 1)
                    / pieces
            }
        }
    }
}

/// The fetching of a file in segments.
struct SegmentedDownload: Sendable {
    /// Why the file is to be fetched in one stream.
    struct Unsuitable: Error { let reason: String }

    let call: Call
    let file: PartialFile
    let total: Int
    let validators: DownloadValidators
    let settings: Download.Settings
    let deadline: MonotonicInstant?
    let ledger: SegmentLedger

    /// Fetches the segments, the first of them from a response that is under way, if there is one.
    ///
    /// - Throws: `Unsuitable`; what the transfer or the file fails with.
    nonisolated(nonsending) func run(_ segments: [Range<Int>], first: ResponseBody?) async throws {
        let queue = Lock(Array(segments.dropFirst()))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<min(settings.segments, segments.count) {
                let own = index == 0 ? segments.first : nil
                group.addTask {
                    if let own { try await fetch(own, first) }
                    while let next = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                        try await fetch(next, nil)
                    }
                }
            }
            // The first failure ends the others with the group.
            while try await group.next() != nil {}
        }
    }

    nonisolated(nonsending) private func fetch(_ segment: Range<Int>, _ first: ResponseBody?)
        async throws
    {
        var place = segment.lowerBound
        var furthest = place
        var vainLosses = 0
        var first = first
        while place < segment.upperBound {
            var asked: Duration?
            let failure: MartletError
            do {
                let body: ResponseBody
                if let given = first {
                    body = given
                    first = nil
                } else {
                    switch try await ask(place..<segment.upperBound) {
                    case .body(let answer): body = answer
                    case .busy(let error, let wait):
                        asked = wait
                        throw error
                    }
                }
                try await write(body, at: &place, upTo: segment.upperBound)
                continue
            } catch let error as MartletError
                where error.isLossOfConnection || error.code == .unacceptableStatus
            {
                failure = error
            }
            vainLosses = place > furthest ? 0 : vainLosses + 1
            furthest = place
            guard settings.maximumInterruptions > 0, vainLosses <= settings.maximumInterruptions else {
                if failure.code == .unacceptableStatus { throw Unsuitable(reason: failure.message) }
                throw failure
            }
            ledger.countInterruption()
            try await pause(vainLosses, asked, failure)
        }
    }

    private enum Answer {
        case body(ResponseBody)
        case busy(MartletError, Duration?)
    }

    nonisolated(nonsending) private func ask(_ range: Range<Int>) async throws -> Answer {
        let core = call.client.core
        var call = call.header("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
            .header("If-Range", validators.ifRange)
        if let deadline { call.options.timeouts.total = max(deadline.since(core.time.now()), .zero) }
        let response = try await core.send(try call.makeRequest(), through: call.layers)
        let question = RangeQuestion(
            start: range.lowerBound, last: range.upperBound - 1, total: total, validators: validators)
        switch RangeAnswer(response.head, to: question) {
        case .part: return .body(response.body)
        case .other where DownloadRun.passingStatuses.contains(response.status.code):
            let wait = response.headers.retryDelay(now: core.wallTime())
            await response.body.discard(response.head)
            return .busy(
                MartletError(.unacceptableStatus, "The server answered \(response.status)."), wait)
        case .refused(let reason): throw Unsuitable(reason: reason)
        case .whole, .stale, .complete, .other:
            throw Unsuitable(reason: "the server answered \(response.status)")
        }
    }

    /// Writes what comes up to the end of the segment; what comes behind it is another segment's.
    nonisolated(nonsending) private func write(
        _ body: ResponseBody, at place: inout Int, upTo end: Int
    ) async throws {
        var writer = ChunkWriter(file: file, size: settings.writeSize)
        do {
            for try await chunk in body {
                let room = end - place - writer.count
                if writer.add(chunk.count <= room ? chunk : chunk.prefix(room)) {
                    try await flush(&writer, &place)
                }
                if chunk.count >= room { break }
            }
        } catch {
            if !error.isOfTheFile { try await flush(&writer, &place) }
            throw error
        }
        try await flush(&writer, &place)
        guard place >= end else {
            throw MartletError(.bodyTruncated, "The server sent less of the file than it said.")
        }
    }

    nonisolated(nonsending) private func flush(_ writer: inout ChunkWriter, _ place: inout Int)
        async throws
    {
        let start = place
        place += try await writer.flush(at: place)
        try await ledger.add(start..<place, to: file)
        try await settings.bandwidth?.take(place - start, call.client.core.clock)
    }

    nonisolated(nonsending) private func pause(
        _ losses: Int, _ asked: Duration?, _ error: MartletError
    ) async throws {
        try Task.checkCancellation()
        let core = call.client.core
        let policy = call.layers.policies.retry
        var wait = core.backoff(policy.isOn ? policy.backoff : .exponential(), after: max(losses, 1))
        if let asked { wait = max(wait, min(asked, policy.maximumRetryAfter)) }
        if let deadline, core.time.now() + wait >= deadline { throw error }
        if wait > .zero { try await core.clock.sleep(wait) }
    }
}

/// What the segments have in common: which bytes are there, and how far that is.
final class SegmentLedger: Sendable {
    private struct State {
        var spans: SpanSet
        var record: DownloadRecord
        var meter: ProgressMeter
        var unsaved = 0
        var isSaving = false
        var reportedAt: MonotonicInstant
        var interruptions = 0
    }

    // The record is behind the file by so much at most, which a killed process has to fetch again.
    private static let saveEvery = 4 << 20

    private let state: Lock<State>
    private let time: TimeSource
    private let interval: Duration
    private let report: DownloadRun.Report

    init(
        _ record: DownloadRecord, _ time: TimeSource, _ interval: Duration,
        report: @escaping DownloadRun.Report
    ) {
        let spans = SpanSet(record.spans ?? [])
        self.time = time
        self.interval = interval
        self.report = report
        let now = time.now()
        state = Lock(
            State(
                spans: spans, record: record,
                meter: ProgressMeter(from: spans.count, total: record.total, at: now), reportedAt: now))
    }

    var spans: SpanSet { state.withLock { $0.spans } }

    var interruptions: Int { state.withLock { $0.interruptions } }

    /// The record of what is there now.
    var record: DownloadRecord {
        state.withLock { state in
            state.record.spans = state.spans.spans
            return state.record
        }
    }

    func countInterruption() { state.withLock { $0.interruptions += 1 } }

    /// Notes bytes that were written.
    nonisolated(nonsending) func add(_ range: Range<Int>, to file: PartialFile) async throws {
        guard !range.isEmpty else { return }
        let now = time.now()
        let (progress, saves) = state.withLock { state -> (TransferProgress?, Bool) in
            state.spans.add(range)
            let count = state.spans.count
            state.meter.note(wire: count, decoded: count, at: now)
            state.unsaved += range.count
            let saves = state.unsaved >= Self.saveEvery && !state.isSaving
            if saves { (state.unsaved, state.isSaving) = (0, true) }
            guard now.since(state.reportedAt) >= interval else { return (nil, saves) }
            state.reportedAt = now
            return (state.meter.progress, saves)
        }
        if let progress { report(.progress(progress), true) }
        guard saves else { return }
        defer { state.withLock { $0.isSaving = false } }
        let record = record
        try await FileIO.run { try file.save(record) }
    }
}
