// Martlet's own transport: HTTP/1.1 and HTTP/2 over sockets on event loops of its own.

#if SocketTransport && os(Linux)
import Foundation
import Synchronization

/// Sends requests over sockets; one registry per event loop.
final class SocketTransport: Transport {
    let registries: [SessionRegistry]
    private let executors: [LoopTaskExecutor]
    private let turn = Atomic(0)
    private let time: TimeSource
    private let version: HTTPVersionPolicy

    init(_ settings: RegistrySettings, loops: Int = 1) {
        registries = (0..<max(1, loops)).map { _ in SessionRegistry(settings) }
        executors = registries.map { LoopTaskExecutor($0.loop) }
        time = settings.time
        version = settings.version
    }

    /// The executor of the next loop; calls made on it stay there.
    var executor: any TaskExecutor { executors[nextIndex] }

    private var nextIndex: Int {
        registries.count == 1 ? 0 : (turn.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % registries.count
    }

    private var registry: SessionRegistry {
        if registries.count == 1 { return registries[0] }
        return registries.first { $0.loop.isCurrent } ?? registries[nextIndex]
    }

    nonisolated(nonsending) func send(_ request: Request) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        let startedAt = time.now()
        let body = if let body = request.body.openedAtOnce { body } else { try await request.body.open() }
        var head: [UInt8]?
        if version.isHTTP1(request.url.origin.scheme) {
            head = try HTTP1Encoder.head(of: request, body)
        } else {
            try HTTP1Encoder.check(request, body)
        }
        let registry = registry
        let ticket = ExchangeTicket(registry: registry)
        var outbound: OutboundChannel?
        var pump: Task<Void, Never>?
        if case .feed(let feed) = body.content {
            let channel = OutboundChannel { [id = ticket.id] in
                registry.loop.execute { registry.assumeIsolated { $0.uploadReady(id) } }
            }
            outbound = channel
            // Outlives this function when the response comes first; the exchange ends it.
            pump = Task { await channel.pump(feed) }
        }
        defer { ticket.order() }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let start = ExchangeStart(
                    ticket: ticket, request: request, head: head, body: body, outbound: outbound, pump: pump,
                    startedAt: startedAt, continuation: continuation)
                if registry.loop.isCurrent {
                    registry.startHere(start)
                } else {
                    registry.loop.execute { registry.startHere(start) }
                }
            }
        } onCancel: {
            ticket.cancelTransfer()
        }
    }

    nonisolated(nonsending) func shutdown(drain: Duration) async {
        await withTaskGroup { group in
            for registry in registries { group.addTask { await registry.shutDown(drain: drain) } }
        }
    }

    func release() {
        registries.forEach { $0.release() }
    }

    /// The books of all registries together.
    func ledger() async -> SessionRegistry.Ledger {
        var sum = SessionRegistry.Ledger()
        for registry in registries {
            let part = await registry.ledger
            sum.exchanges += part.exchanges
            sum.connections += part.connections
            sum.sockets += part.sockets
            sum.timers += part.timers
            sum.idleConnections += part.idleConnections
            sum.waiters += part.waiters
        }
        return sum
    }

    /// How many calls were cancelled in each phase.
    func cancellations() async -> [MartletError.Phase: Int] {
        var sum: [MartletError.Phase: Int] = [:]
        for registry in registries { sum.merge(await registry.cancellations, uniquingKeysWith: +) }
        return sum
    }
}
#endif
