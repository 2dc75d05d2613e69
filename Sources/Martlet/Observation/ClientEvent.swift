// What happened to a call, as a value: one enum, with the call it belongs to and a monotonic instant. Default: nobody observes, and then
// no event is made.

/// Something that happened to a call.
///
/// The events of one call come one at a time and in order: `callStarted` first, `callEnded` last, each exactly once. Between an
/// `attemptStarted` and its `attemptEnded` lie the events of that attempt. None shows a secret when it is printed.
public struct ClientEvent: Sendable {
    /// The call.
    public let call: ObservedCall
    /// The number of the attempt, from 1, each request on the wire being one; 0 for what belongs to the call as a whole.
    public let attempt: Int
    /// What happened.
    public let kind: Kind
    /// When it happened, on the clock of the engine.
    package let instant: MonotonicInstant
    let topic: Topics

    /// The time since the call began.
    public var elapsed: Duration { instant.since(call.startedAt) }

    /// When it happened, in nanoseconds of the system's monotonic clock.
    public var monotonicNanoseconds: Int64 { instant.nanoseconds }

    /// What happened. More kinds may come: give a `switch` over them a `default`.
    public enum Kind: Sendable {
        // The call.

        /// The call began.
        case callStarted
        /// The call is over: the last byte of its response is there, or it failed. `received` counts the bytes of the body on the wire.
        case callEnded(Outcome, received: Int)
        /// A request has come to an interceptor, whose type is named.
        case layerEntered(String)
        /// An interceptor has returned or thrown.
        case layerLeft(String)

        // Attempts.

        /// A request is about to go on the wire.
        indirect case attemptStarted(Request)
        /// The exchange is over; the metrics are nil where it never got as far as having any.
        indirect case attemptEnded(Outcome, ResponseMetrics?)

        // The connection.

        /// The limits of the pool allow no connection, or one is being made that will do.
        case waitingForConnection
        /// The host's name is looked up.
        case lookUpStarted
        /// A connection is being made.
        case connecting
        /// The connection stands, and TLS begins.
        case handshaking
        /// A new connection carries the request.
        indirect case connected(Connection)
        /// A connection that has carried others carries the request.
        indirect case reusedConnection(Connection)

        // The transfer.

        /// The head of the request is with the system.
        case requestHeadSent
        /// So many bytes of the request body are with the system, and more will follow.
        case requestBodyProgress(sent: Int)
        /// The whole request body is with the system.
        case requestBodySent(Int)
        /// An interim response (100 to 199) came.
        indirect case informational(ResponseHead)
        /// The response head came.
        indirect case responseHead(ResponseHead)
        /// So many bytes of the response body have come on the wire, and more will follow.
        case bodyProgress(received: Int)
        /// The response body is complete.
        case bodyEnded(received: Int)

        // Decisions.

        /// The request is sent again, after a wait.
        case retrying(Cause, after: Duration)
        /// The request failed and is not sent again.
        case notRetrying(Cause, RetryRefusal)
        /// A redirect is followed.
        case redirecting(HTTPStatus, to: RequestURL)
        /// A redirect is not followed: by decision, or, with an error, because it must not be.
        case notRedirecting(HTTPStatus, MartletError?)
        /// The connection was lost before it did anything, and the request goes on another one.
        case recovering(MartletError)
        /// What another policy has decided, in words.
        case decision(policy: String, String)
    }

    /// Kinds of events; an observer is told those that it asks for, and others are not made.
    public struct Topics: OptionSet, Sendable, Hashable {
        /// One bit for each topic.
        public let rawValue: UInt8
        /// Makes a set of bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The beginning and the end of calls.
        public static let calls = Topics(rawValue: 1)
        /// Interceptors.
        public static let layers = Topics(rawValue: 2)
        /// The beginning and the end of attempts.
        public static let attempts = Topics(rawValue: 4)
        /// How a connection was come by.
        public static let connections = Topics(rawValue: 8)
        /// What was sent and received.
        public static let transfers = Topics(rawValue: 16)
        /// Decisions of policies.
        public static let decisions = Topics(rawValue: 32)
        /// All of them.
        public static let all = Topics(rawValue: 63)
    }
}
