// The wire's contract. Everything above it is the same on every transport.

/// Something that can put a request on the wire and bring the response back.
///
/// A transport returns when the response head is there and streams the body. It follows no redirect, repeats nothing
/// and judges no status: those are layers above it.
public protocol Transport: Sendable {
    /// Sends one request, once.
    ///
    /// - Throws: `MartletError`, or `CancellationError` when the calling task was cancelled. By then nothing of the
    ///   call is left: its connection is closed or back in the pool.
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody>

    /// Ends the transport: calls under way have `drain` to finish, then fail with `clientShutDown`; new ones fail at once.
    nonisolated(nonsending) func shutdown(drain: Duration) async

    /// Says that nobody will send through the transport again: idle connections close, calls under way finish.
    ///
    /// Called from a `deinit`, on any thread; must not block.
    func release()
}

extension Transport {
    /// Does nothing: for transports that keep nothing open.
    nonisolated(nonsending) public func shutdown(drain: Duration) async {}

    /// Does nothing: for transports that keep nothing open.
    public func release() {}
}
