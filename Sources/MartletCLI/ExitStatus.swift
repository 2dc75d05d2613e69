// What the tool tells its caller through the exit status. The table is part of `--help`, so that scripts may rely on it.
// Numbers of its own below 64; 22 as curl has it; 128 + n for a signal, as shells have it.

import Martlet

/// An exit status of the tool.
struct ExitStatus: Hashable, Sendable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    static let success = ExitStatus(0)
    static let failure = ExitStatus(1)
    static let usage = ExitStatus(2)
    static let name = ExitStatus(3)
    static let connect = ExitStatus(4)
    static let timeout = ExitStatus(5)
    static let tls = ExitStatus(6)
    static let response = ExitStatus(7)
    static let file = ExitStatus(8)
    static let status = ExitStatus(22)
    static let interrupted = ExitStatus(130)

    /// The status of a process that a signal ended.
    static func signal(_ number: Int32) -> ExitStatus { ExitStatus(128 + number) }

    /// Each status with its meaning, as `--help` shows them.
    static let table: [(status: ExitStatus, meaning: String)] = [
        (.success, "The response is complete; or the reader of standard output wanted no more, as | head does"),
        (.failure, "Another failure"),
        (.usage, "The arguments are wrong; so is a header that may not be sent"),
        (.name, "The URL cannot be read, or its host is not found"),
        (.connect, "No connection could be made"),
        (.timeout, "A timeout: --timeout, --connect-timeout or --idle-timeout"),
        (.tls, "TLS failed, or the certificate is not trusted"),
        (.response, "The response breaks off or breaks the rules of HTTP"),
        (.file, "A file or standard output cannot be read or written"),
        (.status, "The server answered with a status of 400 or more"),
        (.interrupted, "Interrupted by Ctrl-C (143: by SIGTERM, 129: by SIGHUP)"),
    ]
}

extension ExitStatus {
    /// The status for a failure of the SDK.
    init(_ code: MartletError.Code) {
        switch code {
        case .invalidRequest: self = .usage
        case .invalidURL, .nameNotFound, .lookUpFailed, .lookUpSaturated: self = .name
        case .connectionRefused, .connectFailed, .tooManyOpenFiles: self = .connect
        case .connectTimeout, .idleTimeout, .attemptTimeout, .deadlineExceeded: self = .timeout
        case .tlsHandshakeFailed, .tlsConfigurationInvalid, .certificateHostMismatch, .certificateExpired,
            .certificateNotYetValid, .certificateSelfSigned, .certificateIssuerUnknown, .certificateUntrusted:
            self = .tls
        case .connectionClosed, .streamReset, .bodyTruncated, .tooManyRedirects, .invalidRedirect, .insecureRedirect,
            .invalidResponse, .digestMismatch, .headTooLarge, .tooManyInformationalResponses:
            self = .response
        case .fileUnreadable, .bodyLengthMismatch, .fileExists, .fileUnwritable, .diskFull: self = .file
        case .unacceptableStatus: self = .status
        default: self = .failure
        }
    }
}
