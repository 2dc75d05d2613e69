// What events hold beside their kind.

extension ClientEvent {
    /// How a call or an attempt ended.
    public enum Outcome: Sendable {
        /// The response came, whatever its status, and its body is complete.
        case completed(HTTPStatus)
        /// It failed.
        case failed(MartletError)
        /// The caller's task was cancelled.
        case cancelled
        /// The response came, but nobody took the rest of its body.
        case abandoned

        /// The outcome of what threw an error.
        init(_ error: any Error) {
            switch error {
            case let error as MartletError: self = .failed(error)
            case is CancellationError: self = .cancelled
            default: self = .failed(MartletError(.other, "The transport or the body failed.", underlying: error))
            }
        }
    }

    /// The connection of an attempt.
    public struct Connection: Sendable, Hashable, CustomStringConvertible {
        /// The number of the connection.
        public let id: Int
        /// The protocol, as ALPN names it.
        public let protocolName: String
        /// The TLS version; nil in plain text.
        public let tlsVersion: String?
        /// The peer's address and port.
        public let remoteAddress: String?
        /// The number of the stream; nil where there are none.
        public let stream: Int?

        init(_ metrics: ResponseMetrics) {
            id = metrics.connectionID ?? 0
            protocolName = metrics.protocolName
            tlsVersion = metrics.tlsVersion
            remoteAddress = metrics.remoteAddress
            stream = metrics.streamID
        }

        /// The address, the protocol and the TLS version.
        public var description: String {
            ([remoteAddress, protocolName, tlsVersion].compactMap(\.self) + (stream.map { ["stream \($0)"] } ?? []))
                .joined(separator: ", ")
        }
    }

    /// Why a request might be sent again.
    public enum Cause: Sendable, CustomStringConvertible {
        /// The server answered with this status.
        case status(HTTPStatus)
        /// There was no response.
        case error(MartletError)

        /// The status or the code of the error.
        public var description: String {
            switch self {
            case .status(let status): "\(status)"
            case .error(let error): "\(error.code)"
            }
        }
    }

    /// Why a request is not sent again.
    public enum RetryRefusal: String, Sendable, Hashable {
        /// The policy does not repeat what failed so.
        case policy
        /// The policy's decision ended the call with an error.
        case failed
        /// There were as many attempts as the policy allows.
        case attempts
        /// The wait would not end before the call's deadline.
        case deadline
        /// The budget of the origin is used up.
        case budget
        /// The request body can be read only once.
        case body
    }
}

extension ClientEvent: CustomStringConvertible, CustomReflectable {
    /// The number of the call and of the attempt, and what happened; without secrets.
    public var description: String {
        attempt == 0 ? "call \(call.id): \(kind)" : "call \(call.id), attempt \(attempt): \(kind)"
    }

    /// The description, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: CollectionOfOne(description)) }
}

extension ClientEvent.Outcome: CustomStringConvertible {
    /// The status, the code of the error, or the word for it.
    public var description: String {
        switch self {
        case .completed(let status): "\(status)"
        case .failed(let error): "failed: \(error.code)"
        case .cancelled: "cancelled"
        case .abandoned: "abandoned"
        }
    }
}

extension ClientEvent.Kind: CustomStringConvertible, CustomReflectable {
    /// What happened, in a few words without secrets.
    public var description: String {
        switch self {
        case .callStarted: "started"
        case .callEnded(let outcome, let received): "ended: \(outcome), \(received) bytes"
        case .layerEntered(let name): "entered \(name)"
        case .layerLeft(let name): "left \(name)"
        case .attemptStarted(let request): "attempt: \(request)"
        case .attemptEnded(let outcome, _): "attempt ended: \(outcome)"
        case .waitingForConnection: "waiting for a connection"
        case .lookUpStarted: "looking up the name"
        case .connecting: "connecting"
        case .handshaking: "TLS handshake"
        case .connected(let connection): "connected: \(connection)"
        case .reusedConnection(let connection): "reused connection: \(connection)"
        case .requestHeadSent: "request head sent"
        case .requestBodyProgress(let sent): "\(sent) bytes of the request body sent"
        case .requestBodySent(let sent): "request body sent: \(sent) bytes"
        case .informational(let head): "informational: \(head.status)"
        case .responseHead(let head): "response head: \(head.status)"
        case .bodyProgress(let received): "\(received) bytes of the body received"
        case .bodyEnded(let received): "body ended: \(received) bytes"
        case .retrying(let cause, let wait): "retrying after \(cause), in \(wait)"
        case .notRetrying(let cause, let refusal): "not retrying after \(cause): \(refusal.rawValue)"
        case .redirecting(let status, let url): "redirecting (\(status.code)) to \(url.redactedDescription)"
        case .notRedirecting(let status, let error):
            "not redirecting (\(status.code))" + (error.map { ": \($0.code)" } ?? "")
        case .recovering(let error): "on another connection after \(error.code)"
        case .decision(let policy, let words): "\(policy): \(words)"
        }
    }

    /// The description, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: CollectionOfOne(description)) }
}
