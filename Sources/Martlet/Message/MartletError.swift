// The one error type of Martlet. `code` has one member for each thing a user would handle differently; the description is a
// sentence that says what happened and what to do. Never a secret in it: URLs are redacted, header values never quoted.

public import Foundation

/// What went wrong, in a form that can be switched on and read.
///
/// Cancellation is not a `MartletError`: it surfaces as `CancellationError`.
public struct MartletError: Error, Sendable {
    // A box, so that throwing and storing it moves one reference.
    private var storage: Storage

    private final class Storage: Sendable {
        let code: Code
        let message: String
        let underlying: (any Error)?
        let mayHaveReachedServer: Bool
        let phase: Phase?
        let request: RequestSummary?
        let response: FailedResponse?
        let attempts: [AttemptRecord]
        let redirects: [RedirectRecord]
        let reusedConnection: Bool
        let recovery: Recovery?
        let lostAt: MonotonicInstant?

        init(_ fields: Fields) {
            code = fields.code
            message = fields.message
            underlying = fields.underlying
            mayHaveReachedServer = fields.mayHaveReachedServer
            phase = fields.phase
            request = fields.request
            response = fields.response
            attempts = fields.attempts
            redirects = fields.redirects
            reusedConnection = fields.reusedConnection
            recovery = fields.recovery
            lostAt = fields.lostAt
        }
    }

    private struct Fields {
        var code: Code
        var message: String
        var underlying: (any Error)?
        var mayHaveReachedServer = false
        var phase: Phase?
        var request: RequestSummary?
        var response: FailedResponse?
        var attempts: [AttemptRecord] = []
        var redirects: [RedirectRecord] = []
        var reusedConnection = false
        var recovery: Recovery?
        var lostAt: MonotonicInstant?
    }

    /// Makes an error; `message` is one sentence that says what happened and what can be done about it.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        storage = Storage(Fields(code: code, message: message, underlying: underlying))
    }

    /// The kind of failure.
    public var code: Code { storage.code }

    /// What happened, and what to do about it.
    public internal(set) var message: String {
        get { storage.message }
        set { change { $0.message = newValue } }
    }

    /// The error this one was made from, when there is one: a `DecodingError`, or what a caller's own code threw.
    public var underlying: (any Error)? { storage.underlying }

    /// Whether a byte of the request may have reached the server, so that repeating it may do its work twice.
    public var mayHaveReachedServer: Bool {
        get { storage.mayHaveReachedServer }
        set { change { $0.mayHaveReachedServer = newValue } }
    }

    /// Where in its life the call was, when that is known.
    public var phase: Phase? {
        get { storage.phase }
        set { change { $0.phase = newValue } }
    }

    /// The request that failed, without its secrets.
    public var request: RequestSummary? {
        get { storage.request }
        set { change { $0.request = newValue } }
    }

    /// The response that was refused, with the first bytes of its body.
    public var response: FailedResponse? {
        get { storage.response }
        set { change { $0.response = newValue } }
    }

    /// The attempts that came before this failure, oldest first.
    public var attempts: [AttemptRecord] {
        get { storage.attempts }
        set { change { $0.attempts = newValue } }
    }

    /// The redirects that were followed before this failure, oldest first.
    public var redirects: [RedirectRecord] {
        get { storage.redirects }
        set { change { $0.redirects = newValue } }
    }

    /// Whether the connection had carried a request before: a server may close such a one at any moment.
    public var reusedConnection: Bool {
        get { storage.reusedConnection }
        set { change { $0.reusedConnection = newValue } }
    }

    /// Whether the failure was one of the connection alone, so that the request may go on another one.
    package enum Recovery: Sendable {
        /// The server cannot have processed the request: no byte was sent, or the protocol said so.
        case unprocessed
        /// A pooled connection ended without a byte of a response.
        case staleConnection
        /// The server has not processed the request, and wants it over HTTP/1.1.
        case http1Required
    }

    /// How the request may be recovered, when it may.
    package var recovery: Recovery? {
        get { storage.recovery }
        set { change { $0.recovery = newValue } }
    }

    /// When the request was lost that may be recovered: a connection made since has nothing to do with it.
    package var lostAt: MonotonicInstant? {
        get { storage.lostAt }
        set { change { $0.lostAt = newValue } }
    }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var fields = Fields(
            code: code, message: message, underlying: underlying, mayHaveReachedServer: mayHaveReachedServer,
            phase: phase, request: request, response: response, attempts: attempts, redirects: redirects,
            reusedConnection: reusedConnection, recovery: recovery, lostAt: lostAt)
        body(&fields)
        storage = Storage(fields)
    }

    /// The same error with changes made by `body`.
    package func with(_ body: (inout MartletError) -> Void) -> MartletError {
        var copy = self
        body(&copy)
        return copy
    }
}

extension MartletError {
    /// A stage of a call's life, in the order in which they come.
    public enum Phase: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// Waiting for a connection that the pool's limits allow.
        case queued
        /// Looking up the host's addresses.
        case lookUp = "name look-up"
        /// Connecting to an address.
        case connecting
        /// Shaking hands over TLS.
        case tls = "TLS handshake"
        /// Sending the request.
        case sending
        /// Waiting for the response head.
        case waiting = "waiting for the response"
        /// Receiving the response body.
        case receiving = "receiving the body"

        /// The phase as it reads in an error's sentence.
        public var description: String { rawValue }
    }

    /// A request as an error may show it: the method, and the URL without query values and user information.
    public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
        /// The method.
        public var method: HTTPMethod
        /// The URL, its query values replaced.
        public var url: String

        /// Makes a summary; `url` must be redacted already.
        public init(method: HTTPMethod, url: String) {
            self.method = method
            self.url = url
        }

        /// The method and the redacted URL. A method that is no token is not shown: it may hold anything, line ends too.
        public var description: String { "\(method.isValidToken ? method.rawValue : "<invalid method>") \(url)" }
    }

    /// A response that was not accepted: its head, and the first bytes of its body (at most 16 KiB).
    public struct FailedResponse: Sendable {
        /// The response head.
        public var head: ResponseHead
        /// The first bytes of the body.
        public var bodyPrefix: Data

        /// Makes a failed response.
        public init(head: ResponseHead, bodyPrefix: Data) {
            self.head = head
            self.bodyPrefix = bodyPrefix
        }
    }

    /// One attempt that failed before the final outcome.
    public struct AttemptRecord: Sendable {
        /// The attempt's number, from 1.
        public var number: Int
        /// Why it failed.
        public var cause: any Error
        /// How long was waited before the next attempt; nil where there was no policy to wait for.
        public var delay: Duration?

        /// Makes a record.
        public init(number: Int, cause: any Error, delay: Duration? = nil) {
            self.number = number
            self.cause = cause
            self.delay = delay
        }
    }
}

extension MartletError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// The sentence, with the phase, the request and whether it may have reached the server.
    public var description: String {
        var text = message
        if let request { text += " [\(request)]" }
        if mayHaveReachedServer { text += " The request may have reached the server." }
        if let underlying { text += " Cause: \(underlying)" }
        return text
    }

    /// The code and the description.
    public var debugDescription: String { "MartletError.\(code): \(description)" }

    /// The description, for Foundation's error bridging.
    public var errorDescription: String? { description }
}
