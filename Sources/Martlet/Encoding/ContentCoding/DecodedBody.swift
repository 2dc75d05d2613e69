// The decoding stage on a body's stream: it pulls a chunk when it has nothing left to give, so that back pressure reaches the
// wire, and its end is the transfer's: dropped, failed or cancelled, the transfer ends with it.

import Foundation
import Synchronization

/// The iterator of a body whose codings are taken off.
final class DecodedChunks: ChunkPuller {
    private var chunks: ResponseBody.Iterator?
    private let decoder: ContentDecoder
    private let record: DecodingRecord

    init(_ body: ResponseBody, _ record: DecodingRecord) {
        chunks = body.makeAsyncIterator()
        decoder = ContentDecoder(record.codings, limits: record.limits)
        self.record = record
    }

    nonisolated(nonsending) func next() async throws -> Data? {
        do {
            // What is decoded already must not outrun a cancellation, which ends the transfer in the source's own step.
            if Task.isCancelled, chunks != nil {
                _ = try await chunks?.next()
                throw CancellationError()
            }
            while chunks != nil {
                if let data = try decoder.next() {
                    record.count(decoded: data.count)
                    return data
                }
                if let chunk = try await chunks?.next() {
                    record.count(received: chunk.count)
                    decoder.push(chunk)
                } else {
                    chunks = nil
                    try decoder.finish()
                }
            }
            return nil
        } catch let error as MartletError {
            chunks = nil
            throw record.completed(error)
        } catch {
            chunks = nil
            throw error
        }
    }
}

/// What is known of a decoded body: its transfer's outcome, with what decoding adds to it.
final class DecodingRecord: TransferRecord {
    let codings: [ContentCoding]
    let limits: ContentDecoding
    private let inner: (any TransferRecord)?
    private let atHead: ResponseMetrics
    private let request: (method: HTTPMethod, url: RequestURL)
    private let received = Atomic(0)
    private let decoded = Atomic(0)

    init(_ codings: [ContentCoding], _ response: Response<ResponseBody>, _ request: Request) {
        self.codings = codings
        limits = request.options.contentDecoding
        inner = response.body.record
        atHead = response.metrics
        self.request = (request.method, request.url)
    }

    var outcome: TransferOutcome {
        var outcome = inner?.outcome ?? TransferOutcome()
        var metrics = outcome.metrics ?? atHead
        metrics.contentCodings = codings
        metrics.decodedBytes = decoded.load(ordering: .relaxed)
        // A transport that keeps no books.
        if inner == nil { metrics.bodyBytesReceived = received.load(ordering: .relaxed) }
        outcome.metrics = metrics
        return outcome
    }

    func count(received count: Int) { received.wrappingAdd(count, ordering: .relaxed) }

    func count(decoded count: Int) { decoded.wrappingAdd(count, ordering: .relaxed) }

    /// The error with what is known of the call, which the body itself does not know.
    func completed(_ error: MartletError) -> MartletError {
        guard error.request == nil else { return error }
        return error.with {
            $0.request = MartletError.RequestSummary(method: request.method, url: request.url.redactedDescription)
            $0.phase = $0.phase ?? .receiving
            $0.mayHaveReachedServer = true
        }
    }
}
