// What becomes of 301, 302, 303, 307 and 308 (RFC 9110, section 15.4). Default: followed, at most 10 times, never from https
// to http; on a change of origin all that the caller set is dropped, for good, but for content negotiation. Other 3xx statuses
// are responses like any other.

/// Whether and where redirects are followed.
///
/// ```swift
/// let client = client.scoped { $0.redirects = .sameOrigin }
/// let response = try await client.get("/old").redirects(.never).response()
/// ```
///
/// A redirect that is not followed is the response; one that may not be followed ends the call with `invalidRedirect`,
/// `insecureRedirect` or `tooManyRedirects`.
public struct RedirectPolicy: Sendable {
    typealias Decide = nonisolated(nonsending) @Sendable (Redirect) async throws -> Request?

    /// The most redirects that a call follows; 10 by default. One more ends it with `tooManyRedirects`.
    public var maximum = 10

    /// Whether a redirect may lead from https to http; false by default, and one that does ends the call with
    /// `insecureRedirect`.
    public var allowsDowngrade = false

    let isOn: Bool
    var staysOnOrigin = false
    var decide: Decide?

    private init(isOn: Bool) { self.isOn = isOn }

    /// Follows up to 10 redirects: the default.
    public static let follow = RedirectPolicy(isOn: true)

    /// Follows no redirect: it is the response.
    public static let never = RedirectPolicy(isOn: false)

    /// Follows redirects that stay on the origin of the request; one that leaves it is the response.
    public static let sameOrigin: RedirectPolicy = {
        var policy = follow
        policy.staysOnOrigin = true
        return policy
    }()

    /// Follows up to `max` redirects.
    public static func follow(max: Int) -> RedirectPolicy {
        var policy = follow
        policy.maximum = max
        return policy
    }

    /// Asks before each redirect that the rules allow: `decide` returns the request to send, which it may have changed, or
    /// nil to take the redirect as the response.
    ///
    /// Credentials are dropped already where the redirect leaves the origin; what `decide` sets itself is sent.
    public static func deciding(
        max: Int = 10,
        _ decide: nonisolated(nonsending) @escaping @Sendable (Redirect) async throws -> Request?
    ) -> RedirectPolicy {
        var policy = follow(max: max)
        policy.decide = decide
        return policy
    }

    /// Whether a response of this status may be one to follow.
    func mayFollow(_ status: HTTPStatus) -> Bool {
        guard isOn, status.code >= 301, status.code <= 308 else { return false }
        return status.code <= 303 || status.code >= 307
    }
}

/// A redirect that is about to be followed.
public struct Redirect: Sendable {
    /// The number of the redirect in its call, from 1.
    public let number: Int
    /// The response that redirects.
    public let response: ResponseHead
    /// The request that it answers.
    public let request: Request
    /// The request that would be sent now.
    public let next: Request

    /// Whether scheme, host or port change.
    public var changesOrigin: Bool { request.url.origin != next.url.origin }
}

/// A redirect that was followed.
public struct RedirectRecord: Sendable, Hashable, CustomStringConvertible {
    /// The status that redirected.
    public var status: HTTPStatus
    /// The request that it answered, without its secrets.
    public var request: MartletError.RequestSummary

    /// Makes a record.
    public init(status: HTTPStatus, request: MartletError.RequestSummary) {
        self.status = status
        self.request = request
    }

    /// The status and the request.
    public var description: String { "\(status.code) to \(request)" }
}
