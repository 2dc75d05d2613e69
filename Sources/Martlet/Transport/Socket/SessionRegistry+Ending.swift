// How a registry ends: released (its client is gone: idle connections close, calls under way finish) or shut down (calls
// under way get some time, then fail). Either way the loop's thread leaves when nothing is left.

#if SocketTransport && os(Linux)

/// Somebody who waits for the last call to end.
struct DrainWait {
    let timer: LoopTimer
    let continuation: UnsafeContinuation<Void, Never>
}

extension SessionRegistry {
    /// The client is gone. From any thread; does not block.
    nonisolated func release() {
        loop.close { self.assumeIsolated { $0.stopKeepingConnections(.released) } }
    }

    /// Ends the registry; calls under way have `drain` to finish.
    func shutDown(drain: Duration) async {
        stopKeepingConnections(.shutDown)
        if !exchanges.isEmpty, drain > .zero {
            let wait = DrainTimeout()
            await withUnsafeContinuation { continuation in
                schedule(wait.timer, at: now + drain, for: wait)
                drainWaiters.append(DrainWait(timer: wait.timer, continuation: continuation))
            }
        }
        failAll()
        loop.close()
    }

    private func stopKeepingConnections(_ ending: Ending) {
        if self.ending != .shutDown { self.ending = ending }
        for (id, _) in pool.idleConnections { closeConnection(id) }
        for connection in http2Connections.values where connection.streamCount == 0 { connection.close(in: self) }
        disarmSweepIfUnused()
    }

    fileprivate func failAll() {
        for exchange in exchanges.values { end(exchange, Self.shutDownError) }
    }

    /// The last exchange has ended.
    func drained() {
        let waiters = drainWaiters
        drainWaiters = []
        for waiter in waiters {
            cancel(waiter.timer)
            waiter.continuation.resume()
        }
    }

    private final class DrainTimeout: RegistryTimerTarget {
        let timer = LoopTimer()
        func timerFired(in registry: isolated SessionRegistry) { registry.failAll() }
    }
}
#endif
