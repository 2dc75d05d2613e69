// A download in segments: whether the file is fit for it, and what becomes of it when one of them shows that it is not.

import Foundation

extension DownloadRun {
    /// The segments of a file that was begun in segments; nil when there is one stream.
    var segmentsToFetch: [Range<Int>]? {
        guard asksForParts, file != nil, let spans = record.spans, let total = record.total else { return nil }
        let segments = split(SpanSet(spans), total)
        return segments.isEmpty ? nil : segments
    }

    /// The segments of a file that is only begun; nil when it is too small, or its server not known to be fit for it.
    func segments(of response: Response<ResponseBody>) -> [Range<Int>]? {
        guard usesSegments, download.settings.segments > 1, asksForParts, call.method == .get, response.status == .ok,
            response.metrics.contentCodings.isEmpty, let total = response.headers.contentLength,
            response.headers["Accept-Ranges"]?.lowercased() == "bytes",
            DownloadValidators(response.headers).ifRange != nil
        else { return nil }
        let segments = split(SpanSet(), total)
        return segments.count > 1 ? segments : nil
    }

    private func split(_ spans: SpanSet, _ total: Int) -> [Range<Int>] {
        spans.segments(
            upTo: total, count: download.settings.segments, minimum: download.settings.minimumSegmentBytes)
    }

    nonisolated(nonsending) func fetch(
        _ segments: [Range<Int>], _ response: Response<ResponseBody>
    ) async throws -> DownloadedFile? {
        guard let file, let total = record.total else { return nil }
        let ledger = SegmentLedger(record, core.time, download.settings.progressInterval, report: report)
        let before = ledger.spans.count
        do {
            try await SegmentedDownload(
                call: call, file: file, total: total, validators: record.validators, settings: download.settings,
                deadline: deadline, ledger: ledger
            ).run(segments, first: response.body)
        } catch let unsuitable as SegmentedDownload.Unsuitable {
            fetched += ledger.spans.count - before
            interruptions += ledger.interruptions
            usesSegments = false
            try await startAgain(because: unsuitable.reason)
            return nil
        } catch {
            record = ledger.record
            done = ledger.spans.count
            let record = record
            _ = try? await FileIO.run { try file.save(record) }
            throw error
        }
        fetched += ledger.spans.count - before
        interruptions += ledger.interruptions
        record.spans = nil
        done = total
        return try await finish(response)
    }
}
