// A body on its way to a consumer who is watched, where the engine cannot tell of its end: bodies of other transports, and those that
// layers have made of others.

import Foundation
import Synchronization

/// Told how far a body has come, and once how it ended; forgotten, it was abandoned.
final class BodyWatch: Sendable {
    private let call: ObservedCall?
    private let attempt: ObservedAttempt?
    private let status: HTTPStatus
    private let received = Atomic(0)
    private let hasEnded = Atomic(false)

    /// Watches for the end of a call.
    init(_ call: ObservedCall, _ status: HTTPStatus) {
        self.call = call
        attempt = nil
        self.status = status
    }

    /// Watches for the end of an attempt.
    init(_ attempt: ObservedAttempt, _ status: HTTPStatus) {
        call = nil
        self.attempt = attempt
        self.status = status
    }

    deinit { end(.abandoned, nil) }

    func took(_ count: Int) {
        let sum = received.wrappingAdd(count, ordering: .relaxed).newValue
        attempt?.emit(.transfers, .bodyProgress(received: sum))
    }

    func completed(_ metrics: ResponseMetrics?) {
        attempt?.emit(.transfers, .bodyEnded(received: received.load(ordering: .relaxed)))
        end(.completed(status), metrics)
    }

    func end(_ outcome: ClientEvent.Outcome, _ metrics: ResponseMetrics?) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        attempt?.end(outcome, metrics)
        call?.end(outcome, received: metrics?.bodyBytesReceived ?? received.load(ordering: .relaxed))
    }
}

/// The iterator of a body that is watched.
private final class ObservedChunks: ChunkPuller {
    private var chunks: ResponseBody.Iterator?
    private let record: (any TransferRecord)?
    private let watch: BodyWatch

    init(_ body: ResponseBody, _ watch: BodyWatch) {
        chunks = body.makeAsyncIterator()
        record = body.record
        self.watch = watch
    }

    deinit { watch.end(.abandoned, record?.outcome.metrics) }

    nonisolated(nonsending) func next() async throws -> Data? {
        do {
            if let chunk = try await chunks?.next() {
                watch.took(chunk.count)
                return chunk
            }
        } catch {
            chunks = nil
            watch.end(ClientEvent.Outcome(error), record?.outcome.metrics)
            throw error
        }
        chunks = nil
        watch.completed(record?.outcome.metrics)
        return nil
    }
}

extension ResponseBody {
    /// The same body, whose end is told.
    func watched(_ watch: BodyWatch) -> ResponseBody {
        ResponseBody(record) { ObservedChunks(self, watch) }
    }
}
