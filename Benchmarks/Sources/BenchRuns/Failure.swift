// What ends a run without a figure.

import Glibc

/// Why a run could not be made.
package struct Failure: Error, CustomStringConvertible {
    package var description: String
    package var isInterruption: Bool

    package init(_ description: String, isInterruption: Bool = false) {
        self.description = description
        self.isInterruption = isInterruption
    }

    /// What `errno` says of a system call.
    package static func system(_ call: String) -> Failure { Failure("\(call): \(String(cString: strerror(errno)))") }
}
