// When a request is sent again, as a value. Default: never, until a client or a call asks for it; then three attempts in all,
// exponential backoff with full jitter, the server's Retry-After before it, and a budget per origin, so that a server in
// trouble is not met with a multiple of its load. RFC 9110, sections 9.2.2 and 10.2.3.

/// Whether, when and how often a request is sent again.
///
/// ```swift
/// let user: User = try await client.get("/users/1").retry(.idempotent).json()
/// ```
///
/// A policy is a value: take a preset and change what should be otherwise. What is never repeated, whatever the policy: a
/// cancelled call, a body that can be read once, a response that was handed out.
public struct RetryPolicy: Sendable {
    typealias Decide = nonisolated(nonsending) @Sendable (RetryAttempt) async throws -> RetryDecision

    enum Rule: Sendable { case never, idempotent, transient, connectionLost }

    /// The most attempts of a call, the first one included; 3 by default.
    public var maximumAttempts = 3

    /// How long to wait before the next attempt; 100 ms doubled each time up to 10 s, with full jitter, by default.
    public var backoff = RetryBackoff.exponential()

    /// How long an attempt may take until its response head is there; no limit by default. It then counts as failed, with
    /// `attemptTimeout`. The total timeout of the call bounds all attempts and the waits between them.
    public var attemptTimeout: Duration?

    /// The longest wait that a server may ask for with `Retry-After`; 60 s by default. More is cut to it.
    public var maximumRetryAfter = Duration.seconds(60)

    /// How many retries an origin is burdened with at most; a fifth of the requests and ten a second by default, nil for no
    /// limit.
    public var budget: RetryBudget? = RetryBudget()

    /// The statuses that the presets repeat; each has its own.
    public var statuses: StatusSet

    let rule: Rule
    var decide: Decide?

    private init(_ rule: Rule, statuses: StatusSet) {
        self.rule = rule
        self.statuses = statuses
    }

    /// No request is repeated: the default.
    public static let never = RetryPolicy(.never, statuses: StatusSet { _ in false })

    /// Repeats what does no harm when it is done twice: requests whose method is idempotent or that have an
    /// `Idempotency-Key`, after 408, 429, 500, 502, 503, 504 and after connections that failed. Others only when the server
    /// cannot have seen them.
    ///
    /// Set for a single call, it is the caller's word that the call may be repeated: see ``Call/retry(_:)``.
    public static let idempotent = RetryPolicy(.idempotent, statuses: .only(408, 429, 500, 502, 503, 504))

    /// Repeats, whatever the method, what the server shows that it did not take up: 429, 503, and connections that failed
    /// before a byte was sent.
    public static let transient = RetryPolicy(.transient, statuses: .only(429, 503))

    /// Repeats after connections that failed, whatever was answered before; requests that may have reached the server only
    /// when they are idempotent. No status is repeated.
    public static let connectionLost = RetryPolicy(.connectionLost, statuses: StatusSet { _ in false })

    /// The same policy, with the decision about each failed attempt made by `decide`, which is asked exactly once for each.
    ///
    /// It is told what this policy would do, and asked about errors and about statuses from 400. The limits of attempts,
    /// time and budget stay.
    public func deciding(
        _ decide: nonisolated(nonsending) @escaping @Sendable (RetryAttempt) async throws -> RetryDecision
    ) -> RetryPolicy {
        var policy = self
        policy.decide = decide
        return policy
    }

    /// The same policy with another number of attempts, the first one included.
    public func attempts(_ maximum: Int) -> RetryPolicy {
        var policy = self
        policy.maximumAttempts = maximum
        return policy
    }

    var isOn: Bool { rule != .never || decide != nil }

    /// Whether a response of this status may have to be repeated.
    func concerns(_ status: HTTPStatus) -> Bool {
        decide == nil ? statuses.contains(status) : status.code >= 400 || statuses.contains(status)
    }
}

/// What is to become of a failed attempt.
public enum RetryDecision: Sendable {
    /// Send the request again, after the wait that the server or the policy's backoff gives.
    case retry
    /// Send the request again after this long.
    case retryAfter(Duration)
    /// Take the outcome as it is.
    case stop
    /// End the call with this error.
    case fail(MartletError)
}

/// An attempt that failed: what a decision about another one has to go by.
public struct RetryAttempt: Sendable {
    /// The number of the attempt, from 1.
    public let number: Int
    /// The request as the retry layer has it.
    public let request: Request
    /// The response, when there was one.
    public let response: ResponseHead?
    /// The error, when there was no response.
    public let error: MartletError?
    /// How long the server asks to wait: its `Retry-After`, in seconds or as a date. Nil without one that can be read.
    public let retryAfter: Duration?
    /// What the policy would do.
    public internal(set) var suggestion = RetryDecision.stop

    /// Whether a byte of the request may have reached the server.
    public var mayHaveReachedServer: Bool { error?.mayHaveReachedServer ?? true }

    /// Whether the request does no harm when it is done twice: its method is idempotent, or it has an `Idempotency-Key`.
    public var isIdempotent: Bool {
        request.method.isIdempotent || request.headers.contains(RetryPolicy.idempotencyKeyField)
    }
}

extension RetryPolicy {
    /// The field that makes a POST or PATCH repeatable where the server knows it (draft-ietf-httpapi-idempotency-key-header).
    static let idempotencyKeyField = "Idempotency-Key"

    /// What the preset does about an attempt.
    func verdict(_ attempt: RetryAttempt) -> RetryDecision {
        if let error = attempt.error {
            guard Self.passes(error.code) else { return .stop }
            switch rule {
            case .never: return .stop
            case .transient: return error.mayHaveReachedServer ? .stop : .retry
            case .idempotent, .connectionLost:
                return !error.mayHaveReachedServer || attempt.isIdempotent ? .retry : .stop
            }
        }
        guard let status = attempt.response?.status, statuses.contains(status) else { return .stop }
        switch rule {
        case .never, .connectionLost: return .stop
        case .transient: return .retry
        case .idempotent: return attempt.isIdempotent ? .retry : .stop
        }
    }

    /// Whether an error is one of the moment. Trust, names that do not exist and what the caller did wrong stay as they are.
    static func passes(_ code: MartletError.Code) -> Bool {
        switch code {
        case .connectionRefused, .connectFailed, .connectTimeout, .lookUpFailed, .lookUpSaturated, .idleTimeout,
            .attemptTimeout, .connectionClosed, .streamReset:
            true
        default: false
        }
    }
}
