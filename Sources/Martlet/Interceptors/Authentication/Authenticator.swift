// What makes requests prove who sends them, in two steps: before a request is sent, and when a server has refused it. Default:
// none. The place is layer 4: inside redirects, so that each hop is looked at anew, and outside retries. RFC 9110, section 11.

/// Adds a credential to requests, and answers when a server asks for one.
///
/// Ready ones are ``BasicAuthenticator``, ``BearerAuthenticator``, ``APIKeyAuthenticator``, ``DigestAuthenticator``,
/// ``RefreshingAuthenticator`` and ``NetrcAuthenticator``:
///
/// ```swift
/// let client = MartletClient(baseURL: "https://api.example.com")
///     .authenticated(by: .bearer("s3cr3t"))
/// ```
///
/// It is asked only for requests to the origin that it was bound to. Hold what is secret as a ``Secret``.
public protocol Authenticator: Sendable {
    /// Adds to a request what proves who sends it; called for each hop, and once more after `respond` said so.
    ///
    /// - Throws: what ends the call: an error that is no ``MartletError`` becomes the cause of one with the code
    ///   `authenticationFailed`.
    nonisolated(nonsending) func prepare(_ request: inout Request) async throws

    /// Says whether the refused request is to be prepared again and sent again; false by default, and the refusal is then
    /// the response.
    ///
    /// Called at most twice for a request. The response's connection is kept meanwhile, so do not wait for other calls
    /// here: that is what `prepare` is for.
    ///
    /// - Throws: what ends the call, as with `prepare`.
    nonisolated(nonsending) func respond(to refusal: AuthenticationRefusal) async throws -> Bool

    /// Whether a response refuses the credential; by default one with the status 401.
    func isRefusal(_ response: ResponseHead) -> Bool

    /// Whether who reads a request on its way could use the credential for others; true by default, and the credential is
    /// then not sent over plain http except to loopback names and addresses.
    var exposesCredential: Bool { get }
}

extension Authenticator {
    /// Gives up.
    public nonisolated(nonsending) func respond(to refusal: AuthenticationRefusal) async throws -> Bool { false }

    /// Whether the status is 401.
    public func isRefusal(_ response: ResponseHead) -> Bool { response.status.code == 401 }

    /// True.
    public var exposesCredential: Bool { true }
}

/// A response that refuses a request for want of a credential, or of a better one.
public struct AuthenticationRefusal: Sendable {
    /// The request as it was sent.
    public let request: Request
    /// The response.
    public let response: ResponseHead
    /// The number of refusals of this request, from 1.
    public let number: Int

    /// Makes a refusal, for tests of authenticators.
    public init(request: Request, response: ResponseHead, number: Int = 1) {
        self.request = request
        self.response = response
        self.number = number
    }

    /// What the server asks for, in its order of preference.
    public var challenges: [AuthenticationChallenge] { AuthenticationChallenge.all(in: response.headers) }
}

extension Request {
    /// Whether the caller authenticates the request without help.
    var hasOwnAuthorization: Bool { headers.firstIndex(ofLowercasedASCII: "authorization") != nil }
}
