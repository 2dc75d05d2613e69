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
        // A visit to the loop wakes it; by the second, the turn of the first is over.
        for _ in 0..<2 { _ = await client.socketTransport?.ledger() }
    }
}
