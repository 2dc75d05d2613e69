// Why the tool ends without success: an exit status, and one line for standard error.

import Martlet

/// A failure with its exit status and its line.
struct ToolFailure: Error, Equatable {
    let status: ExitStatus
    /// One sentence. Empty when there is nothing to say.
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The arguments are wrong.
    static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, message) }

    /// What any error means for the caller of the tool.
    init(_ error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case is CancellationError: self.init(.interrupted, "Interrupted.")
        case let error as MartletError:
            // That the request may have reached the server is left out: asking again does no harm to a GET.
            self.init(
                ExitStatus(error.code), error.message + (error.request.map { " [\($0)]" } ?? ""))
        default: self.init(.failure, "\(error)")
        }
    }
}
