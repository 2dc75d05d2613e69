// What all copies of a client share. Calls hold it, so that it goes away with the last of them; its end releases the transport.

import Synchronization

final class ClientCore: Sendable {
    let transport: any Transport
    private let time: TimeSource
    private let isShutDown = Atomic(false)

    init(_ configuration: ClientConfiguration) {
        time = configuration.time
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

    /// Sends a request: sets the deadline, and recovers it once from a connection that was lost before it did anything.
    nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody> {
        guard !isShutDown.load(ordering: .sequentiallyConsistent) else {
            throw MartletError(.clientShutDown, "The client was shut down.").with { $0.request = request.summary }
        }
        guard let total = request.options.timeouts.total else { return try await sendDecoding(request) }
        var bounded = request
        bounded.options.deadline = time.now() + total
        return try await sendDecoding(bounded)
    }

    nonisolated(nonsending) private func sendDecoding(_ request: Request) async throws -> Response<ResponseBody> {
        try await sendRecovering(request).decoded(for: request)
    }

    nonisolated(nonsending) private func sendRecovering(_ request: Request) async throws -> Response<ResponseBody> {
        do {
            return try await transport.send(request)
        } catch let error as MartletError {
            guard ConnectionRecovery.applies(to: request, after: error) else {
                throw error.request == nil ? error.with { $0.request = request.summary } : error
            }
            return try await ConnectionRecovery.send(request, again: error, through: transport)
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
