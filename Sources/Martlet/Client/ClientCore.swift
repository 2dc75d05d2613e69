// What all copies of a client share. Calls hold it, so that it goes away with the last of them; its end releases the transport.

import Foundation
import Synchronization

final class ClientCore: Sendable {
    let transport: any Transport
    let time: TimeSource
    /// What policies read the time from and wait on.
    let clock: PolicyClock
    /// The time of day, for dates that servers send.
    let wallTime: @Sendable () -> Date
    /// What retries an origin may still be burdened with.
    let retryAccounts = RetryAccounts()
    private let randomness: Lock<any RandomNumberGenerator & Sendable>
    private let isShutDown = Atomic(false)

    init(_ configuration: ClientConfiguration) {
        time = configuration.time
        wallTime = configuration.wallTime
        randomness = Lock(configuration.randomness)
        clock = configuration.clock.map { PolicyClock($0) } ?? PolicyClock(configuration.time)
        if let transport = configuration.transport {
            self.transport = transport
        } else {
            transport = Self.ownTransport(configuration)
        }
    }

    // Posts "close" and returns: a deinit runs on any thread, the loop's own among them.
    deinit { transport.release() }

    private static func ownTransport(_ configuration: ClientConfiguration) -> any Transport {
        #if SocketTransport && os(Linux)
        var settings = RegistrySettings()
        settings.pool = configuration.pool
        settings.tls = configuration.tls
        settings.time = configuration.time
        settings.version = configuration.httpVersion
        settings.http2 = configuration.http2
        return SocketTransport(settings, loops: configuration.eventLoops)
        #else
        return UnavailableTransport()
        #endif
    }

    var executor: any TaskExecutor {
        #if SocketTransport && os(Linux)
        if let socket = transport as? SocketTransport { return socket.executor }
        #endif
        return globalConcurrentExecutor
    }

    nonisolated(nonsending) func shutdown(drain: Duration) async {
        isShutDown.store(true, ordering: .sequentiallyConsistent)
        await transport.shutdown(drain: drain)
    }

    /// Sends a request through its layers: sets the deadline, and walks what there is to walk.
    nonisolated(nonsending) func send(
        _ request: Request, through layers: LayerStack, observed: ObservedCall? = nil
    ) async throws -> Response<ResponseBody> {
        if observed == nil, let observers = layers.policies.observers {
            return try await sendObserved(request, layers, observers)
        }
        guard !isShutDown.load(ordering: .sequentiallyConsistent) else {
            throw MartletError(.clientShutDown, "The client was shut down.").with { $0.request = request.summary }
        }
        guard let total = request.options.timeouts.total else {
            return layers.isBare
                ? try await sendBare(request, layers, observed, policyDeadline: nil)
                : try await walk(CallContext(self, layers, deadline: nil, observed: observed), request)
        }
        var bounded = request
        let deadline = time.now() + total
        bounded.options.deadline = deadline
        let policyDeadline = clock.now() + total
        if layers.isBare, !layers.mayWait {
            return try await sendBare(bounded, layers, observed, policyDeadline: policyDeadline)
        }
        let context = CallContext(
            self, layers, deadline: deadline, policyDeadline: policyDeadline, observed: observed)
        guard layers.mayWait else { return try await walk(context, bounded) }
        return try await DeadlineWatch.run(bounded, for: total) { try await self.walk(context, $0) }
    }

    /// Sends a request whose layers have nothing to do before the first attempt: puts it on the wire, and has those layers go on
    /// that are concerned by what came of it.
    nonisolated(nonsending) private func sendBare(
        _ request: Request, _ layers: LayerStack, _ observed: ObservedCall?, policyDeadline: MonotonicInstant?
    ) async throws -> Response<ResponseBody> {
        var attempted = request
        if let retry = layers.retry {
            retry.deposit(request, self)
            attempted = retry.bounded(request, self)
        }
        let response: Response<ResponseBody>
        do {
            if let observed {
                response = try await transmitObserved(attempted, observed)
            } else {
                response = try await transport.send(attempted)
            }
        } catch {
            let failure = RetryLayer.Outcome.failure(try typed(error, request))
            let context = CallContext(
                self, layers, deadline: request.options.deadline, policyDeadline: policyDeadline, observed: observed)
            return try await goOn(failure, attempted, request, context)
        }
        let isConcerned =
            response.isCoded || layers.policies.redirects.mayFollow(response.status)
            || layers.retry?.policy.concerns(response.status) == true
        guard isConcerned else { return response }
        let context = CallContext(
            self, layers, deadline: request.options.deadline, policyDeadline: policyDeadline, observed: observed)
        return try await goOn(.response(response), attempted, request, context)
    }

    /// Does with what the first attempt came to what the layers would have done.
    nonisolated(nonsending) private func goOn(
        _ first: RetryLayer.Outcome, _ attempted: Request, _ request: Request, _ context: CallContext
    ) async throws -> Response<ResponseBody> {
        let layers = context.layers
        do {
            var outcome = first
            if case .failure(let error) = first {
                outcome = try await recovered(error, attempted, Next(context, layers.layers.count))
            }
            var response =
                if let retry = layers.retry {
                    try await retry.goOn(outcome, request, Next(context, layers.retryStart))
                } else {
                    try outcome.get(AttemptHistory())
                }
            if response.isCoded { response = try response.decoded(for: request) }
            guard layers.policies.redirects.mayFollow(response.status) else { return response }
            let redirects = RedirectLayer(policy: layers.policies.redirects)
            return try await redirects.follow(response, to: request, Next(context, layers.hopStart))
        } catch {
            throw Self.cancellation ?? error
        }
    }

    nonisolated(nonsending) private func recovered(
        _ error: MartletError, _ attempted: Request, _ next: Next
    ) async throws -> RetryLayer.Outcome {
        do {
            return .response(try await ConnectionRecovery.recover(attempted, after: error, through: next))
        } catch let error as MartletError {
            return .failure(error)
        }
    }

    nonisolated(nonsending) private func walk(
        _ context: CallContext, _ request: Request
    ) async throws -> Response<ResponseBody> {
        do {
            let isKeyed = context.layers.policies.makesIdempotencyKeys
            return try await Next(context, 0)(isKeyed ? request.withIdempotencyKey() : request)
        } catch {
            throw Self.cancellation ?? error
        }
    }

    /// Wins over what it has caused.
    private static var cancellation: CancellationError? { Task.isCancelled ? CancellationError() : nil }

    /// The wait before the next attempt.
    func backoff(_ backoff: RetryBackoff, after failures: Int) -> Duration {
        randomness.withLock { backoff.wait(after: failures, using: &$0) }
    }

    /// Puts a request on the wire, as the innermost layer does.
    nonisolated(nonsending) func transmit(
        _ request: Request, _ observed: ObservedCall?
    ) async throws -> Response<ResponseBody> {
        do {
            if let observed { return try await transmitObserved(request, observed) }
            return try await transport.send(request)
        } catch {
            throw try typed(error, request)
        }
    }

    /// An error of the transport as a `MartletError`; throws `CancellationError` on.
    private func typed(_ error: any Error, _ request: Request) throws(CancellationError) -> MartletError {
        switch error {
        case let error as MartletError: return error
        case let error as CancellationError: throw error
        default:
            return MartletError(.other, "The transport failed.", underlying: error).with {
                $0.request = request.summary
                $0.mayHaveReachedServer = true
            }
        }
    }
}

#if !(SocketTransport && os(Linux))
/// Stands where a build has no transport of its own.
private struct UnavailableTransport: Transport {
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody> {
        throw MartletError(
            .transportUnavailable,
            "This build has no transport: enable the SocketTransport trait (Linux), or give the client a transport.")
    }
}
#endif
