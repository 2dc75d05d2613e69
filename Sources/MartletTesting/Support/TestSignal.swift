// A latch between a test and the peer it scripts: the way to order their steps without sleeping.

/// A one-shot latch: any number of tasks wait until somebody fires it, and from then on waiting returns at once.
///
/// ```swift
/// let headSeen = TestSignal()
/// let server = try await TestServer.start(scripts: [[.readHead, .signal(headSeen), .stall]])
/// let call = Task { try await client.get(server.url("/")).json(as: User.self) }
/// try await headSeen.wait(timeout: .seconds(10))
/// call.cancel()
/// ```
public final class TestSignal: Sendable {
    private let fired = Watched(false)

    /// Makes a signal that has not fired.
    public init() {}

    /// Whether the signal has fired.
    public var hasFired: Bool { fired.value }

    /// Fires the signal; firing it again changes nothing.
    public func fire() {
        fired.update { $0 = true }
    }

    /// Waits until the signal fires. Returns at once when it already has, and early when the waiting task is cancelled.
    public nonisolated(nonsending) func wait() async {
        _ = await fired.wait { $0 }
    }

    /// Waits until the signal fires, at most for `timeout`.
    ///
    /// Throws `TestServerError.timedOut`, or `.cancelled` when the waiting task is cancelled.
    public nonisolated(nonsending) func wait(timeout: Duration) async throws(TestServerError) {
        try await fired.wait(for: "the signal", timeout: timeout) { $0 }
    }
}
