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
            // The tool's own sequences throw as they would elsewhere; the SDK wraps what it cannot know.
            if let failure = error.underlying as? ToolFailure {
                self = failure
                return
            }
            // Asking again does no harm where a method only reads.
            let mayBeDone = error.mayHaveReachedServer && error.request?.method.isSafe == false
            self.init(
                ExitStatus(error.code),
                error.message + (error.request.map { " [\($0)]" } ?? "")
                    + (mayBeDone ? " The request may have reached the server." : ""))
        default: self.init(.failure, "\(error)")
        }
    }
}
