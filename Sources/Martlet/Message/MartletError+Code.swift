// The vocabulary of failures: an extensible struct rather than an enum, so that a new member breaks nobody's switch.

extension MartletError {
    /// The kind of a failure; compare with the static members.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let name: String

        /// Makes a code of your own, for a transport or a layer of your own.
        public init(_ name: String) { self.name = name }

        /// The name.
        public var description: String { name }

        // What the caller gave.

        /// The URL cannot be read, or not in one way only.
        public static let invalidURL = Code("invalidURL")
        /// The request holds something that must not go on the wire: an illegal byte, a framing field, too large a head.
        public static let invalidRequest = Code("invalidRequest")
        /// A value could not be encoded into the request body.
        public static let encodingFailed = Code("encodingFailed")
        /// A request body file cannot be opened or read.
        public static let fileUnreadable = Code("fileUnreadable")
        /// There is a file of that name, which is not to be replaced.
        public static let fileExists = Code("fileExists")
        /// A file cannot be made, written or named: a missing right, a folder that is not there, another download to it.
        public static let fileUnwritable = Code("fileUnwritable")
        /// There is no room left for a file.
        public static let diskFull = Code("diskFull")
        /// The request body gave fewer or more bytes than were declared.
        public static let bodyLengthMismatch = Code("bodyLengthMismatch")
        /// The request body failed: the caller's own sequence threw.
        public static let bodyFailed = Code("bodyFailed")
        /// The request had to be sent again, but its body can be read only once.
        public static let bodyNotReplayable = Code("bodyNotReplayable")
        /// An interceptor of the caller's failed; `underlying` says with what.
        public static let interceptorFailed = Code("interceptorFailed")
        /// A request could not be authenticated: a credential could not be had, or an authenticator of the caller's failed;
        /// `underlying` says with what.
        public static let authenticationFailed = Code("authenticationFailed")
        /// A credential would have been sent where others can read it.
        public static let insecureCredential = Code("insecureCredential")
        /// A credential was refreshed too often; see ``RefreshWindow``.
        public static let excessiveRefresh = Code("excessiveRefresh")
        /// What was asked for is not supported by this transport or build.
        public static let unsupported = Code("unsupported")
        /// This build has no transport of its own, and none was given.
        public static let transportUnavailable = Code("transportUnavailable")
        /// The client was shut down.
        public static let clientShutDown = Code("clientShutDown")

        // Reaching the server.

        /// The host name does not exist or has no address.
        public static let nameNotFound = Code("nameNotFound")
        /// The name look-up failed for another reason; trying again may help.
        public static let lookUpFailed = Code("lookUpFailed")
        /// Too many name look-ups are under way already.
        public static let lookUpSaturated = Code("lookUpSaturated")
        /// Nothing listens at the address: the connection was refused.
        public static let connectionRefused = Code("connectionRefused")
        /// No connection could be made.
        public static let connectFailed = Code("connectFailed")
        /// The process has no file descriptor left.
        public static let tooManyOpenFiles = Code("tooManyOpenFiles")
        /// The connection was not made within the connect timeout (name look-up and TLS included).
        public static let connectTimeout = Code("connectTimeout")
        /// The peer neither sent nor took a byte for the idle timeout.
        public static let idleTimeout = Code("idleTimeout")
        /// An attempt had no response head within its own timeout; see ``RetryPolicy/attemptTimeout``.
        public static let attemptTimeout = Code("attemptTimeout")
        /// The call did not end within its total timeout.
        public static let deadlineExceeded = Code("deadlineExceeded")

        /// The server does not agree to the version of HTTP that was asked for.
        public static let versionNotNegotiated = Code("versionNotNegotiated")

        // TLS.

        /// The TLS handshake, or the connection after it, failed for a reason other than trust.
        public static let tlsHandshakeFailed = Code("tlsHandshakeFailed")
        /// The certificate is not for this host.
        public static let certificateHostMismatch = Code("certificateHostMismatch")
        /// The certificate has expired.
        public static let certificateExpired = Code("certificateExpired")
        /// The certificate is not valid yet.
        public static let certificateNotYetValid = Code("certificateNotYetValid")
        /// The certificate is signed by itself and is not among the trusted roots.
        public static let certificateSelfSigned = Code("certificateSelfSigned")
        /// The issuer of the certificate is not known: an untrusted root, or an intermediate the server did not send.
        public static let certificateIssuerUnknown = Code("certificateIssuerUnknown")
        /// The certificate is not trusted for another reason.
        public static let certificateUntrusted = Code("certificateUntrusted")
        /// The TLS configuration cannot be used: no root certificates, an unreadable file.
        public static let tlsConfigurationInvalid = Code("tlsConfigurationInvalid")

        // What the server did.

        /// The connection ended before the response head was complete.
        public static let connectionClosed = Code("connectionClosed")
        /// The server reset the call's stream (HTTP/2) before it had answered.
        public static let streamReset = Code("streamReset")
        /// The response body ended before it was complete.
        public static let bodyTruncated = Code("bodyTruncated")
        /// The response breaks the rules of HTTP (framing, syntax), so that it cannot be trusted.
        public static let invalidResponse = Code("invalidResponse")
        /// The response head (or its trailers, or chunk extensions) exceeds the limits.
        public static let headTooLarge = Code("headTooLarge")
        /// The server sent more informational responses than are allowed.
        public static let tooManyInformationalResponses = Code("tooManyInformationalResponses")
        /// The call was redirected more often than is allowed, or in a circle; see ``MartletError/redirects``.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// A redirect leads to no URL that can be followed: malformed, not http or https, with user information, several.
        public static let invalidRedirect = Code("invalidRedirect")
        /// A redirect leads from https to http.
        public static let insecureRedirect = Code("insecureRedirect")
        /// The response status is not one that the call accepts.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The response body is not in the content coding that it is said to be in, or is damaged.
        public static let invalidContentCoding = Code("invalidContentCoding")
        /// The response body is compressed more often over than is undone.
        public static let tooManyContentCodings = Code("tooManyContentCodings")
        /// The response body is larger than it may be once it is decompressed.
        public static let decompressedSizeExceeded = Code("decompressedSizeExceeded")
        /// The media type of the response is not one that the call accepts, or there is none.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// The response was refused by a check of the caller's own.
        public static let validationFailed = Code("validationFailed")
        /// The body is empty where a value was expected.
        public static let emptyBody = Code("emptyBody")
        /// The pages of a list do not come to an end: too many, or one that was there before.
        public static let paginationEndless = Code("paginationEndless")
        /// The body could not be decoded into the type asked for.
        public static let decodingFailed = Code("decodingFailed")
        /// The body exceeds the limit for collected bodies.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The file that was downloaded does not have the digest that it should have.
        public static let digestMismatch = Code("digestMismatch")
        /// A line of the body exceeds its limit.
        public static let lineTooLong = Code("lineTooLong")
        /// One event, record, element or frame of a stream exceeds its limit.
        public static let frameTooLarge = Code("frameTooLarge")
        /// A response body was iterated a second time.
        public static let bodyAlreadyConsumed = Code("bodyAlreadyConsumed")

        /// A failure that none of the other codes names.
        public static let other = Code("other")
    }
}
