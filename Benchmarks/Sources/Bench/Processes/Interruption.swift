// Ctrl-C while children run: the handler notes it, the waiting loop sees it and leaves by throwing, so that servers are
// stopped and files removed on the way.

import BenchRuns
import Glibc
import Synchronization

/// Whether this process was asked to end.
enum Interruption {
    private static let signal = Atomic<Int32>(0)

    /// Notes the signals that ask for an end, from now on.
    static func watch() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            Glibc.signal(number) { Interruption.signal.store($0, ordering: .relaxed) }
        }
    }

    /// - Throws: `Failure` once a signal came.
    static func check() throws(Failure) {
        let number = signal.load(ordering: .relaxed)
        if number != 0 { throw Failure("interrupted", isInterruption: true) }
    }
}
