// The call behind events, and what keeps them in order: they happen on the caller's threads and on the loop's, and are handed out one at
// a time by whoever is there. Made only for calls that somebody observes.

import Synchronization

/// The call that an event belongs to.
///
/// `@unchecked Sendable`: what changes is reached only under one of the locks that all calls share.
public final class ObservedCall: @unchecked Sendable {
    /// The number of the call in this process, from 1.
    public let id: UInt64
    /// The method that the caller asked for.
    public let method: HTTPMethod
    /// The URL that the caller asked for.
    public let url: RequestURL

    let startedAt: MonotonicInstant
    private let observers: ObserverSet
    private let time: TimeSource

    // An event is queued only while another one is being handed out, by another thread or further up on this one.
    private var queue: [ClientEvent] = []
    private var isDelivering = false
    private var hasEnded = false
    private var attempts = 0
    private var openAttempts: [ObservedAttempt] = []
    /// The transfer that the call ends with.
    private var final: UInt64?
    /// Transfers that ended before it was known whether the call ends with them.
    private var last: EndedTransfer?
    private var earlier: [EndedTransfer] = []

    private struct EndedTransfer {
        let id: UInt64
        let outcome: ClientEvent.Outcome
        let received: Int
    }

    private static let counter = Atomic<UInt64>(0)
    // Shared, since a mutex of its own would cost a call two allocations.
    // Not of `Void`: a value without a size would lie where its mutex does, which the thread sanitizer takes for a race.
    private static let locks = (0..<16).map { _ in Lock(false) }

    init(_ request: Request, _ observers: ObserverSet, _ time: TimeSource) {
        id = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        method = request.method
        url = request.url
        self.observers = observers
        self.time = time
        startedAt = time.now()
    }

    /// How many requests have gone on the wire for it so far.
    public var attemptCount: Int { locked { attempts } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        Self.locks[Int(id & 15)].withLock { _ in body() }
    }

    // MARK: Events

    /// Whether anybody wants to hear of this.
    func wants(_ topic: ClientEvent.Topics) -> Bool { observers.topics.contains(topic) }

    /// Tells of an event, which is made only if somebody wants it.
    func emit(_ topic: ClientEvent.Topics, attempt: Int = 0, _ kind: @autoclosure () -> ClientEvent.Kind) {
        guard wants(topic) else { return }
        post(topic, attempt, kind(), isLast: false)
    }

    private func post(_ topic: ClientEvent.Topics, _ attempt: Int, _ kind: ClientEvent.Kind, isLast: Bool) {
        let first: ClientEvent? = locked {
            guard !hasEnded else { return nil }
            hasEnded = isLast
            let event = ClientEvent(call: self, attempt: attempt, kind: kind, instant: time.now(), topic: topic)
            if isDelivering {
                queue.append(event)
                return nil
            }
            isDelivering = true
            return event
        }
        var next = first
        while let event = next {
            observers.deliver(event)
            next = locked {
                if queue.isEmpty {
                    isDelivering = false
                    return nil
                }
                return queue.removeFirst()
            }
        }
    }

    // MARK: Ends

    /// The call is over; what is still open ends with it.
    func end(_ outcome: ClientEvent.Outcome, received: Int = 0) {
        if wants(.attempts) {
            let left = locked {
                defer { openAttempts = [] }
                return hasEnded ? [] : openAttempts
            }
            for attempt in left { attempt.end(.abandoned, nil) }
        }
        post(.calls, 0, .callEnded(outcome, received: received), isLast: true)
    }

    /// The call has a response. It ends with the body of that, which may be complete already.
    func returned(_ response: inout Response<ResponseBody>) {
        switch response.body.course {
        case .whole:
            end(.completed(response.status), received: response.metrics.bodyBytesReceived)
        case .transfer(let id):
            let ended: EndedTransfer? = locked {
                if let last, last.id == id { return last }
                if let before = earlier.last(where: { $0.id == id }) { return before }
                final = id
                return nil
            }
            if let ended { end(ended.outcome, received: ended.received) }
        case .other:
            response.body = response.body.watched(BodyWatch(self, response.status))
        }
    }

    /// A transfer of the engine's is over.
    func transferEnded(_ id: UInt64, _ outcome: ClientEvent.Outcome, received: Int) {
        let isFinal = locked {
            if final == id { return true }
            if let last { earlier.append(last) }
            last = EndedTransfer(id: id, outcome: outcome, received: received)
            return false
        }
        if isFinal { end(outcome, received: received) }
    }

    // MARK: Attempts

    /// A request is about to go on the wire.
    func beginAttempt(_ request: Request) -> ObservedAttempt {
        let isTold = wants(.attempts)
        let attempt = locked {
            attempts += 1
            let attempt = ObservedAttempt(self, attempts)
            if isTold { openAttempts.append(attempt) }
            return attempt
        }
        if isTold { post(.attempts, attempt.number, .attemptStarted(request), isLast: false) }
        return attempt
    }

    fileprivate func close(_ attempt: ObservedAttempt) {
        locked { openAttempts.removeAll { $0 === attempt } }
    }
}

/// One request on the wire, of a call that is observed.
package final class ObservedAttempt: Sendable {
    let call: ObservedCall
    let number: Int
    private let isCarried = Atomic(false)
    private let hasEnded = Atomic(false)

    fileprivate init(_ call: ObservedCall, _ number: Int) {
        self.call = call
        self.number = number
    }

    /// The engine has taken it up, and tells of its end.
    func carry() { isCarried.store(true, ordering: .relaxed) }

    func emit(_ topic: ClientEvent.Topics, _ kind: @autoclosure () -> ClientEvent.Kind) {
        guard call.wants(topic), !hasEnded.load(ordering: .relaxed) else { return }
        call.emit(topic, attempt: number, kind())
    }

    func end(_ outcome: ClientEvent.Outcome, _ metrics: ResponseMetrics?) {
        guard call.wants(.attempts), !hasEnded.exchange(true, ordering: .relaxed) else { return }
        call.close(self)
        call.emit(.attempts, attempt: number, .attemptEnded(outcome, metrics))
    }

    /// The transport has thrown.
    func failed(_ error: any Error) {
        if !isCarried.load(ordering: .relaxed) { end(ClientEvent.Outcome(error), nil) }
    }

    /// The transport has answered. One that is not the engine tells of nothing by itself.
    func answered(_ response: inout Response<ResponseBody>) {
        guard !isCarried.load(ordering: .relaxed) else { return }
        emit(.transfers, .responseHead(response.head))
        if case .whole = response.body.course {
            emit(.transfers, .bodyEnded(received: response.metrics.bodyBytesReceived))
            end(.completed(response.status), response.metrics)
        } else {
            response.body = response.body.watched(BodyWatch(self, response.status))
        }
    }
}
