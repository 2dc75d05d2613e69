// What can go wrong on the test server's side. A script that a client breaks off ends with one of these; the server
// keeps it in `TestServer.failures`, and no other connection is disturbed.

/// What stopped a step of a test server or of one of its connections.
public enum TestServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The peer closed its side (FIN) while more was expected of it.
    case peerClosed
    /// The peer reset the connection (RST).
    case peerReset
    /// The connection was closed on this side: by the script, by another task, or by `TestServer.stop()`.
    case connectionClosed
    /// The request could not be read; says what was wrong with it.
    case malformedRequest(String)
    /// The TLS handshake or the TLS stream failed; says what OpenSSL said.
    case tls(String)
    /// What was waited for did not happen in time; says what it was.
    case timedOut(String)
    /// The waiting task was cancelled.
    case cancelled
    /// A system call failed; names it and its error number.
    case system(call: String, code: Int32)

    /// A sentence that says what happened.
    public var description: String {
        switch self {
        case .peerClosed: "The peer closed the connection while more was expected."
        case .peerReset: "The peer reset the connection."
        case .connectionClosed: "The connection was closed on the server's side."
        case .malformedRequest(let reason): "The request could not be read: \(reason)."
        case .tls(let reason): "TLS failed: \(reason)."
        case .timedOut(let what): "Waited in vain for \(what)."
        case .cancelled: "The waiting task was cancelled."
        case .system(let call, let code): "\(call) failed: \(systemErrorText(code)) (\(code))."
        }
    }
}
