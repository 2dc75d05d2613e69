// Ctrl-C and its kin. They are taken in by the main thread, which waits for nothing else, so that no handler interrupts
// anything: the first one cancels the work, the second, or 3 s of waiting for it to end, ends the process.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Martlet

/// The signals that end the tool.
struct Signals {
    private var awaited = sigset_t()

    /// Blocks the signals, for threads made from now on too; one that was ignored when the tool began stays ignored, as
    /// `nohup` and shells want it. A write to a closed pipe becomes an error of that write.
    init() {
        sigemptyset(&awaited)
        sigaddset(&awaited, SIGALRM)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let previous = signal(number, SIG_DFL).map { unsafeBitCast($0, to: Int.self) }
            if previous == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            } else {
                sigaddset(&awaited, number)
            }
        }
        pthread_sigmask(SIG_BLOCK, &awaited, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Blocks the thread until one of the signals comes; an alarm after `seconds` counts as one.
    mutating func wait(atMost seconds: UInt32? = nil) -> Int32 {
        if let seconds { alarm(seconds) }
        var number: Int32 = 0
        while sigwait(&awaited, &number) != 0 {}
        return number
    }
}

/// The signal that came, for the exit status.
final class ReceivedSignal: Sendable {
    private let number = Lock<Int32?>(nil)

    /// Keeps the first one.
    func record(_ signal: Int32) { number.withLock { $0 = $0 ?? signal } }

    /// The status of a run that was cancelled.
    var exitStatus: ExitStatus { .signal(number.withLock { $0 } ?? SIGINT) }
}
