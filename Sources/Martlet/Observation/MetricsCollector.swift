// Figures of calls, counted as they end: no string is made and nothing is allocated for a call. Default: a hundred origins are told apart
// and the rest counted together, so that a server that redirects to ever new hosts cannot fill the memory.

/// An observer that counts: calls by origin and outcome, how long they took, how many are under way, how many were repeated.
///
/// ```swift
/// let metrics = MetricsCollector()
/// var configuration = ClientConfiguration()
/// configuration.defaults.observers = [metrics]
/// ```
///
/// Serve ``prometheusText(prefix:)`` to whoever scrapes, or read ``snapshot()``.
public final class MetricsCollector: ClientObserver {
    private struct State {
        var figures: [ClientMetrics.OriginFigures] = []
        var places: [Origin: Int] = [:]
        var last = 0
        /// The place of what is counted together; nil until there is any.
        var rest: Int?
    }

    /// Codes of errors beyond so many are counted as `other`: anybody can make new ones.
    private static let mostCodes = 100

    private let state = Lock(State())
    private let maximumOrigins: Int

    /// Makes a collector; of at most `maximumOrigins` origins, 100 by default, the figures are kept apart.
    public init(maximumOrigins: Int = 100) { self.maximumOrigins = max(0, maximumOrigins) }

    /// Calls and decisions.
    public var topics: ClientEvent.Topics { [.calls, .decisions] }

    /// Counts the event.
    public func observe(_ event: ClientEvent) {
        switch event.kind {
        case .callStarted:
            count(event) { $0.inFlight += 1 }
        case .callEnded(let outcome, let received):
            let place = ClientMetrics.Outcome(outcome).place
            let time = event.instant.nanoseconds(since: event.call.startedAt)
            count(event) {
                $0.inFlight -= 1
                $0.receivedBytes += received
                $0.latencies[place].record(time)
                if case .failed(let error) = outcome { Self.count(error.code.name, in: &$0.failures) }
            }
        case .retrying:
            count(event) { $0.retries += 1 }
        default: break
        }
    }

    /// The figures as they are now.
    public func snapshot() -> ClientMetrics {
        var metrics = ClientMetrics()
        metrics.origins = state.withLock { $0.figures }
        return metrics
    }

    /// Changes the figures of the call's origin, that of its own URL wherever it was redirected.
    @inline(__always)
    private func count(_ event: ClientEvent, _ change: (inout ClientMetrics.OriginFigures) -> Void) {
        let url = event.call.url
        state.withLock { state in
            let place = place(of: url.origin, in: &state)
            change(&state.figures[place])
        }
    }

    private func place(of origin: Origin, in state: inout State) -> Int {
        // Comparing costs far less than hashing, and most calls go where the last one went.
        if state.last < state.figures.count, state.figures[state.last].origin == origin { return state.last }
        if let place = state.places[origin] {
            state.last = place
            return place
        }
        if state.places.count < maximumOrigins {
            state.places[origin] = state.figures.count
            state.last = state.figures.count
            state.figures.append(ClientMetrics.OriginFigures(origin))
            return state.last
        }
        if let rest = state.rest { return rest }
        state.rest = state.figures.count
        state.figures.append(ClientMetrics.OriginFigures(nil))
        return state.figures.count - 1
    }

    private static func count(_ code: String, in failures: inout [String: Int]) {
        let isKnown = failures[code] != nil || failures.count < mostCodes
        failures[isKnown ? code : MartletError.Code.other.name, default: 0] += 1
    }
}
