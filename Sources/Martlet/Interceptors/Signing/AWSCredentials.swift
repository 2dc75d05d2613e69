// What requests to AWS, and to the services that speak its protocol, are signed with.

/// An access key of AWS.
public struct AWSCredentials: Sendable, Hashable {
    /// The key's id.
    public var accessKeyID: String
    /// The key itself.
    public var secretAccessKey: Secret
    /// The token of a temporary key; nil for one that is not.
    public var sessionToken: Secret?

    /// Makes credentials.
    public init(accessKeyID: String, secretAccessKey: Secret, sessionToken: Secret? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}
