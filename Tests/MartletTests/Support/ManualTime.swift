// A clock that stands still until a test moves it.

import Foundation
import MartletTesting

@testable import Martlet

/// A monotonic clock that a test advances by hand.
final class ManualTime: Sendable {
    // Not zero: an engine that takes an unset instant for a real one shall be found out.
    private let nanoseconds = Lock<Int64>(1_000_000_000_000)

    /// The clock as the engine reads it.
    var source: TimeSource { TimeSource { MonotonicInstant(nanoseconds: self.nanoseconds.withLock { $0 }) } }

    /// Moves the clock, and returns when the client's loop has done what is due.
    func advance(by duration: Duration, in client: MartletClient) async {
        nanoseconds.withLock { $0 += duration.wholeNanoseconds }
        // The turn that is under way may have read the clock before it was moved; the one after it has not.
        for _ in 0..<2 {
            for registry in client.socketTransport?.registries ?? [] { await registry.untilTurn() }
        }
    }
}

/// A timer that is always due.
private final class TurnMark: RegistryTimerTarget {
    let timer = LoopTimer()
    private let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

    func timerFired(in registry: isolated SessionRegistry) { continuation.resume() }
}

extension SessionRegistry {
    /// Returns when the loop has run what is due; what else is asked of it comes after that turn.
    fileprivate func untilTurn() async {
        // A client that has sent nothing yet has not told the loop of its registry.
        loop.attach(self)
        await withCheckedContinuation { continuation in
            let mark = TurnMark(continuation)
            schedule(mark.timer, at: MonotonicInstant(nanoseconds: .min), for: mark)
        }
    }
}
