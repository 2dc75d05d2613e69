// What a collector has counted, as values.

/// Figures of calls, by origin.
public struct ClientMetrics: Sendable {
    /// How a call ended, as far as figures tell it apart.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Answered with 200 to 299.
        case success = "2xx"
        /// Answered with 300 to 399.
        case redirection = "3xx"
        /// Answered with 400 to 499.
        case clientError = "4xx"
        /// Answered with 500 to 599.
        case serverError = "5xx"
        /// Answered with another status.
        case otherStatus = "other"
        /// Without a complete response.
        case failed
        /// The caller's task was cancelled.
        case cancelled
        /// Nobody took the rest of the response.
        case abandoned

        /// The class of an outcome.
        public init(_ outcome: ClientEvent.Outcome) {
            switch outcome {
            case .completed(let status):
                switch status.code / 100 {
                case 2: self = .success
                case 3: self = .redirection
                case 4: self = .clientError
                case 5: self = .serverError
                default: self = .otherStatus
                }
            case .failed: self = .failed
            case .cancelled: self = .cancelled
            case .abandoned: self = .abandoned
            }
        }

        var place: Int {
            switch self {
            case .success: 0
            case .redirection: 1
            case .clientError: 2
            case .serverError: 3
            case .otherStatus: 4
            case .failed: 5
            case .cancelled: 6
            case .abandoned: 7
            }
        }
    }

    /// Figures of the calls to one origin.
    public struct OriginFigures: Sendable {
        /// The origin; nil for all those beyond the most that are told apart.
        public let origin: Origin?
        /// Calls under way.
        public internal(set) var inFlight = 0
        /// Requests that a retry policy sent again.
        public internal(set) var retries = 0
        /// Bytes of response bodies as they came on the wire.
        public internal(set) var receivedBytes = 0
        /// Failed calls by the code of their error.
        public internal(set) var failures: [String: Int] = [:]
        var latencies = [LatencyHistogram](repeating: LatencyHistogram(), count: Outcome.allCases.count)

        init(_ origin: Origin?) { self.origin = origin }

        /// The times that calls with this outcome took, from their start to the last byte.
        public func latency(_ outcome: Outcome) -> LatencyHistogram { latencies[outcome.place] }

        /// How many calls have ended, whatever the outcome.
        public var count: Int { latencies.reduce(0) { $0 + $1.count } }
    }

    /// The figures, in the order in which the origins were first seen.
    public internal(set) var origins: [OriginFigures] = []

    /// The figures of one origin; nil when there are none of its own.
    public subscript(origin: Origin) -> OriginFigures? { origins.first { $0.origin == origin } }
}
