// A call as an upload whose progress is told: for bytes, files, forms and streams alike, since all are pulled through one place. Counted
// is what the connection has taken, which is ahead of the peer by the buffers in between.

public import Foundation

extension Call {
    /// The call as an upload, which tells how far its body is, and gives the response at the end.
    ///
    /// ```swift
    /// for try await step in client.put("/films/1", file: film).uploading() {
    ///     if case .progress(let progress) = step { print(progress.wireBytes) }
    /// }
    /// ```
    public func uploading() -> Upload { Upload(call: self) }
}

/// A step of an upload.
public enum UploadStep: Sendable {
    /// How far the body is: several a second while it is sent. Begins anew when the request is sent again.
    case progress(TransferProgress)
    /// The response, accepted by its status. No step comes behind it.
    case finished(Response<Data>)
}

/// An upload, as the sequence of its steps.
///
/// Each iteration sends the call. The upload does not wait for the loop; of its progress the newest is given. Leaving the loop ends it.
public struct Upload: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = UploadStep

    let call: Call
    var progressInterval = Duration.milliseconds(100)
    var bandwidth: BandwidthLimit?

    init(call: Call) { self.call = call }

    /// The least time between two steps of progress; 100 ms by default.
    public func progress(every interval: Duration) -> Upload {
        var copy = self
        copy.progressInterval = interval
        return copy
    }

    /// Holds the upload to a number of bytes a second; without a limit by default.
    public func bandwidth(_ limit: BandwidthLimit) -> Upload {
        var copy = self
        copy.bandwidth = limit
        return copy
    }

    /// Starts an iteration; the call is sent at its first step.
    public func makeAsyncIterator() -> Iterator { Iterator(upload: self) }

    /// The iterator. Dropping it ends the upload.
    public struct Iterator: AsyncIteratorProtocol {
        private let upload: Upload
        private var running: RunningTransfer<UploadStep>?

        init(upload: Upload) { self.upload = upload }

        /// The next step; nil behind the last.
        ///
        /// - Throws: `unacceptableStatus`, `bodyTooLarge`, and what else the call fails with; `CancellationError`.
        public nonisolated(nonsending) mutating func next() async throws -> UploadStep? {
            try Task.checkCancellation()
            let running = running ?? start()
            self.running = running
            return try await running.next()
        }

        /// The next step, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> UploadStep? {
            try await next()
        }

        private func start() -> RunningTransfer<UploadStep> {
            let upload = upload
            return RunningTransfer { steps in
                let count = UploadCount(upload.call.client.core.time, upload.progressInterval) {
                    steps.post(.progress($0), isProgress: true)
                }
                let call = upload.call
                let response = try await call.collected(
                    try await call.acceptedStream(of: call.counting(count, upload.bandwidth)))
                count.end()
                steps.post(.finished(response))
            }
        }
    }
}

/// The bytes of an upload's body, counted on both sides of its compression.
final class UploadCount: Sendable {
    private struct State {
        var meter: ProgressMeter
        var wire = 0
        var decoded = 0
        var toldAt: MonotonicInstant
        var hasTold = false
    }

    private let state: Lock<State>
    private let time: TimeSource
    private let interval: Duration
    private let tell: @Sendable (TransferProgress) -> Void

    init(_ time: TimeSource, _ interval: Duration, _ tell: @escaping @Sendable (TransferProgress) -> Void) {
        self.time = time
        self.interval = interval
        self.tell = tell
        state = Lock(State(meter: ProgressMeter(total: nil, at: time.now()), toldAt: time.now()))
    }

    /// Begins an attempt.
    func begin(total: Int?) {
        let now = time.now()
        state.withLock { $0 = State(meter: ProgressMeter(total: total, at: now), toldAt: now) }
    }

    func add(decoded count: Int) { state.withLock { $0.decoded += count } }

    func add(wire count: Int, isDecoded: Bool) {
        let now = time.now()
        let progress = state.withLock { state -> TransferProgress? in
            state.wire += count
            if isDecoded { state.decoded += count }
            state.meter.note(wire: state.wire, decoded: state.decoded, at: now)
            guard !state.hasTold || now.since(state.toldAt) >= interval else { return nil }
            state.toldAt = now
            state.hasTold = true
            return state.meter.progress
        }
        if let progress { tell(progress) }
    }

    /// Tells how far it has come, when the response is there.
    func end() {
        let now = time.now()
        tell(
            state.withLock { state in
                if state.meter.progress.total == nil { state.meter.setTotal(state.wire) }
                state.meter.note(wire: state.wire, decoded: state.decoded, at: now)
                return state.meter.progress
            })
    }
}

extension Call {
    /// The response to a request that the call has made, accepted by its head.
    nonisolated(nonsending) func acceptedStream(of request: Request) async throws -> Response<ResponseBody> {
        let response = try await client.core.send(request, through: layers)
        guard let refusal = validation.refusal(of: response.head, to: request) else { return response }
        throw try await refused(response, to: request, refusal)
    }

    /// The request with its body counted.
    func counting(_ count: UploadCount, _ limit: BandwidthLimit? = nil) throws(MartletError) -> Request {
        // Compression comes between the body that was given and the one that is sent.
        let isCompressed = options.compression != nil
        let call = with {
            guard isCompressed else { return }
            $0.body = $0.body.map { body in body.counted { _ in { count.add(decoded: $0) } } }
        }
        var request = try call.makeRequest()
        if let limit { request.body = request.body.limited(limit, client.core.clock) }
        request.body = request.body.counted { total in
            count.begin(total: total)
            return { count.add(wire: $0, isDecoded: !isCompressed) }
        }
        return request
    }
}

extension RequestBody {
    private static let pieceSize = 64 << 10

    /// The body, held to a number of bytes a second.
    func limited(_ limit: BandwidthLimit, _ clock: PolicyClock) -> RequestBody {
        guard !isEmpty else { return self }
        return opened {
            let opened = try await self.open()
            let feed: @Sendable (@escaping RequestBody.Sink) async throws -> Void
            switch opened.content {
            case .empty: return opened
            case .data(let data): feed = { try await $0(data) }
            case .feed(let own): feed = own
            }
            return OpenedBody(
                length: opened.length,
                content: .feed { sink in
                    try await feed { chunk in
                        var start = chunk.startIndex
                        while start < chunk.endIndex {
                            let end = min(start + limit.portion, chunk.endIndex)
                            try await limit.take(end - start, clock)
                            try await sink(chunk[start..<end])
                            start = end
                        }
                    }
                })
        }
    }

    /// The body, each of whose openings is told its length, and whose pieces are counted when the connection has taken them.
    func counted(_ begin: @escaping @Sendable (_ total: Int?) -> @Sendable (_ count: Int) -> Void) -> RequestBody {
        guard !isEmpty else { return self }
        return opened {
            let opened = try await self.open()
            let note = begin(opened.length)
            switch opened.content {
            case .empty: return opened
            case .data(let data):
                return OpenedBody(
                    length: opened.length,
                    content: .feed { sink in
                        var start = data.startIndex
                        while start < data.endIndex {
                            let end = min(start + Self.pieceSize, data.endIndex)
                            try await sink(data[start..<end])
                            note(end - start)
                            start = end
                        }
                    })
            case .feed(let feed):
                return OpenedBody(
                    length: opened.length,
                    content: .feed { sink in
                        try await feed { chunk in
                            try await sink(chunk)
                            note(chunk.count)
                        }
                    })
            }
        }
    }
}
