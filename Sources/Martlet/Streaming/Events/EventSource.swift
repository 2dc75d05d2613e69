// An event stream that connects again (WHATWG HTML, section 9.2.3, "Processing model"). Defaults: 3 s until it does, or what the server's
// `retry` says, up to half as much more at random, and doubled up to a minute while there is no connection; five failures in a row end it.

import Foundation

extension MartletClient {
    /// The server-sent events of a URL, over as many connections as it takes.
    ///
    /// ```swift
    /// for try await event in client.eventSource("/news") { print(event.data) }
    /// ```
    public func eventSource(_ url: some URLConvertible) -> EventSource { get(url).eventSource() }
}

extension Call {
    /// The call as an event stream that connects again: each time it is sent anew, with the `Last-Event-ID` of what came.
    ///
    /// A body has to be one that can be sent again. A total timeout bounds each connection, and the idle timeout the silence on it, in
    /// which a comment is a sign of life.
    public func eventSource() -> EventSource { EventSource(call: self) }
}

/// Server-sent events, over as many connections as it takes.
///
/// Each iteration connects anew. It ends when the server answers 204, and throws what no other connection will change: a status, a media
/// type that is none of an event stream, an event that is too large.
public struct EventSource: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    struct Settings: Sendable {
        var lastEventID = ""
        var delay = Duration.seconds(3)
        var longestDelay = Duration.seconds(60)
        var maximumFailures = 5
        var maximumBytes = 1 << 20
    }

    let call: Call
    var settings = Settings()

    init(call: Call) { self.call = call }

    /// Begins behind the event of this id; by default with what the server has.
    public func after(lastEventID: String) -> EventSource { with { $0.lastEventID = lastEventID } }

    /// How long to wait before connecting again, as long as the server's `retry` does not say: 3 s by default. Doubled with each failure in
    /// a row, up to `longest`, a minute by default; up to half as much is added at random.
    public func reconnecting(after delay: Duration, upTo longest: Duration = .seconds(60)) -> EventSource {
        with {
            $0.delay = delay
            $0.longestDelay = longest
        }
    }

    /// How many times in a row there may be no event stream to be had; 5 by default. The next failure is thrown.
    public func failures(upTo count: Int) -> EventSource { with { $0.maximumFailures = Swift.max(count, 0) } }

    /// The most bytes of one event or line; 1 MiB by default. More throw `frameTooLarge`.
    public func maximumEventBytes(_ count: Int) -> EventSource { with { $0.maximumBytes = count } }

    /// Starts an iteration; the first connection is made at its first step.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    private func with(_ change: (inout Settings) -> Void) -> EventSource {
        var copy = self
        change(&copy.settings)
        return copy
    }

    /// The iterator. Dropping it ends the connection.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var frames: FramingIterator<ResponseBody.Iterator, EventStreamParser>?
        private var lastEventID: String
        private var retry: Duration?
        private var failures = 0
        private var isOver = false

        init(source: EventSource) {
            self.source = source
            lastEventID = source.settings.lastEventID
        }

        /// The next event; nil when the server says that there are no more.
        ///
        /// - Throws: `unacceptableStatus`, `unacceptableContentType`, `frameTooLarge`, `bodyNotReplayable`, what the last of too many
        ///   failures was; `CancellationError`.
        public nonisolated(nonsending) mutating func next() async throws -> ServerSentEvent? {
            guard !isOver else { return nil }
            do {
                while true {
                    if frames == nil {
                        guard try await connect() else { break }
                    }
                    if let event = try await nextOnConnection() { return event }
                    try await pause(after: nil)
                }
                isOver = true
                return nil
            } catch {
                isOver = true
                frames = nil
                throw error
            }
        }

        /// The next event, on the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            try await next()
        }

        /// Makes a connection, however often it takes; false when the server has no more events.
        private nonisolated(nonsending) mutating func connect() async throws -> Bool {
            while true {
                do {
                    let type = EventStreamParser.mediaType
                    var call = source.call.accepting(contentTypes: [type])
                    if !lastEventID.isEmpty { call = call.header("Last-Event-ID", lastEventID) }
                    let response = try await call.acceptedStream(type)
                    failures = 0
                    guard response.status != .noContent else { return false }
                    var parser = EventStreamParser(
                        maximumBytes: source.settings.maximumBytes, lastEventID: lastEventID)
                    parser.retry = retry
                    frames = FramingIterator(response.body.makeAsyncIterator(), parser)
                    return true
                } catch let error as MartletError where Self.passes(error) {
                    failures += 1
                    guard failures <= source.settings.maximumFailures else { throw error }
                    try await pause(after: error)
                }
            }
        }

        /// The next event of the connection at hand; nil when that has ended.
        private nonisolated(nonsending) mutating func nextOnConnection() async throws -> ServerSentEvent? {
            defer {
                // An id counts without an event behind it.
                lastEventID = frames?.framer.lastEventID ?? lastEventID
                retry = frames?.framer.retry ?? retry
            }
            do {
                return try await frames?.next()
            } catch let error as MartletError where error.isLossOfConnection {
                return nil
            }
        }

        private nonisolated(nonsending) mutating func pause(after error: MartletError?) async throws {
            frames = nil
            try Task.checkCancellation()
            guard try source.call.body.get().isReplayable else {
                throw MartletError(
                    .bodyNotReplayable,
                    "The event stream has ended and would be asked for again, but the call's body can be read only once."
                )
            }
            let core = source.call.client.core
            var wait = Swift.max(retry ?? source.settings.delay, .zero)
            for _ in 1..<Swift.max(failures, 1) {
                wait = Swift.min(wait * 2, Swift.max(source.settings.longestDelay, wait))
            }
            if let asked = error?.response?.head.headers.retryDelay(now: core.wallTime()) {
                wait = Swift.max(wait, asked)
            }
            wait = Swift.min(wait, PolicyClock.longest)
            let jitter = RetryBackoff.exponential(base: wait / 2, factor: 1, cap: wait / 2)
            wait += core.backoff(jitter, after: 1)
            if wait > .zero { try await core.clock.sleep(wait) }
        }

        /// Whether another connection may bring what this one did not.
        private static func passes(_ error: MartletError) -> Bool {
            if let status = error.response?.head.status.code { return [408, 429, 500, 502, 503, 504].contains(status) }
            return error.isLossOfConnection
        }
    }
}
