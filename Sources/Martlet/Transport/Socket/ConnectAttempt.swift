// From a host to a connection: name look-up, happy eyeballs over the addresses (RFC 8305: families interleaved, 250 ms
// between attempts, the first to connect wins), then TLS. The address looked up is the address dialled.

#if SocketTransport && os(Linux)
import Foundation
import Glibc

/// The attempt to connect for one exchange. Confined to its registry.
final class ConnectAttempt: SocketHandler, RegistryTimerTarget {
    private struct Dial {
        let token: UInt64
        let socket: Socket
        let address: SocketAddress
    }

    private struct Refusal {
        let address: SocketAddress
        let number: Int32
    }

    /// RFC 8305, section 5.
    static let attemptDelay = Duration.milliseconds(250)
    /// A name may have thousands of addresses; no more than these are tried.
    static let addressLimit = 16

    /// Named after the exchange that began it; another may have taken it over since.
    private let id: UInt64
    private var exchange: Exchange
    private let origin: Origin
    private let timer = LoopTimer()
    private var lookUp: LookUpTicket?
    private var addresses: ArraySlice<SocketAddress> = []
    private var dials: [Dial] = []
    private var refusals: [Refusal] = []
    private var localFailure: MartletError?
    private var winner: Dial?
    private var context: TLSContext?
    private var tls: TLSConnection?
    private var isOver = false
    private var phaseStart: MonotonicInstant

    init(_ exchange: Exchange, in registry: isolated SessionRegistry) {
        self.exchange = exchange
        id = exchange.id
        origin = exchange.key.origin
        phaseStart = registry.now
    }

    func start(in registry: isolated SessionRegistry) {
        registry.attempts[id] = self
        if origin.scheme == .https { prepareTLS(in: registry) }
        guard !isOver else { return }
        switch origin.host {
        case .ipv4(let address):
            dial([SocketAddress(ipv4: address, port: origin.port)], in: registry)
        case .ipv6(let address):
            let bytes = withUnsafeBytes(of: address.bigEndian) { Array($0) }
            dial([SocketAddress(ipv6: bytes, port: origin.port)].compactMap(\.self), in: registry)
        case .name(let name) where name == "localhost" || name.hasSuffix(".localhost"):
            // RFC 6761, section 6.3: never asked of the network.
            let six = SocketAddress(ipv6: SocketAddress.loopback6, port: origin.port)
            let four = SocketAddress(ipv4: SocketAddress.loopback4, port: origin.port)
            dial([six, four].compactMap(\.self), in: registry)
        case .name(let name):
            exchange.observation?.emit(.connections, .lookUpStarted)
            let id = id
            lookUp = registry.settings.resolver.lookUp(name) { [registry] result in
                registry.loop.execute {
                    registry.assumeIsolated { $0.attempts[id]?.lookedUp(result, in: $0) }
                }
            }
        }
    }

    private func lookedUp(_ result: Result<[SocketAddress], MartletError>, in registry: isolated SessionRegistry) {
        guard !isOver, lookUp != nil else { return }
        lookUp = nil
        exchange.metrics.lookUp = registry.now.since(phaseStart)
        switch result {
        case .success(let found): dial(found.map { $0.with(port: origin.port) }, in: registry)
        case .failure(let error): fail(error, in: registry)
        }
    }

    // MARK: Dialling

    private func dial(_ found: [SocketAddress], in registry: isolated SessionRegistry) {
        exchange.phase = .connecting
        exchange.observation?.emit(.connections, .connecting)
        phaseStart = registry.now
        addresses = Self.ordered(found)[...]
        guard !addresses.isEmpty else {
            return fail(MartletError(.nameNotFound, "The host \(origin.host) has no address."), in: registry)
        }
        dialNext(in: registry)
    }

    /// The addresses in the order in which they are tried: families take turns, the first address's family first.
    static func ordered(_ found: [SocketAddress]) -> [SocketAddress] {
        guard let family = found.first?.family else { return [] }
        var first = found.filter { $0.family == family }[...]
        var second = found.filter { $0.family != family }[...]
        var ordered: [SocketAddress] = []
        while ordered.count < addressLimit, !(first.isEmpty && second.isEmpty) {
            if let address = first.popFirst() { ordered.append(address) }
            if let address = second.popFirst(), ordered.count < addressLimit { ordered.append(address) }
        }
        return ordered
    }

    private func dialNext(in registry: isolated SessionRegistry) {
        registry.cancel(timer)
        while let address = addresses.popFirst() {
            let socket: Socket
            do throws(MartletError) {
                socket = try Socket(family: address.family)
            } catch {
                // One family may be missing on this machine; too many open files is for all.
                localFailure = error
                continue
            }
            let outcome = socket.connect(to: address)
            if let number = outcome, number != 0 {
                refusals.append(Refusal(address: address, number: number))
                continue
            }
            guard let token = registry.watch(socket, self) else {
                localFailure = Socket.localFailure(errno, "watch a socket")
                continue
            }
            let dial = Dial(token: token, socket: socket, address: address)
            dials.append(dial)
            if outcome == 0 { return won(dial, in: registry) }
            if !addresses.isEmpty { registry.schedule(timer, at: registry.now + Self.attemptDelay, for: self) }
            return
        }
        if dials.isEmpty { fail(connectError, in: registry) }
    }

    func timerFired(in registry: isolated SessionRegistry) { dialNext(in: registry) }

    func ready(_ token: UInt64, _ events: SocketEvents, in registry: isolated SessionRegistry) {
        if let winner {
            if winner.token == token { continueHandshake(in: registry) }
            return
        }
        guard let index = dials.firstIndex(where: { $0.token == token }) else { return }
        let dial = dials[index]
        let number = dial.socket.pendingError
        if number == 0 {
            // An edge may come before the connect has ended.
            if dial.socket.isConnected { won(dial, in: registry) }
            return
        }
        refusals.append(Refusal(address: dial.address, number: number))
        dials.remove(at: index)
        registry.unwatch(token)
        dial.socket.close()
        if !addresses.isEmpty {
            dialNext(in: registry)
        } else if dials.isEmpty {
            fail(connectError, in: registry)
        }
    }

    private func won(_ dial: Dial, in registry: isolated SessionRegistry) {
        registry.cancel(timer)
        winner = dial
        for other in dials where other.token != dial.token {
            registry.unwatch(other.token)
            other.socket.close()
        }
        dials = []
        exchange.metrics.connect = registry.now.since(phaseStart)
        exchange.metrics.remoteAddress = dial.address.description
        exchange.metrics.localAddress = dial.socket.localAddress?.description
        if origin.scheme == .http { return finish(in: registry) }
        exchange.phase = .tls
        exchange.observation?.emit(.connections, .handshaking)
        phaseStart = registry.now
        startHandshake(in: registry)
    }

    // MARK: TLS

    private func prepareTLS(in registry: isolated SessionRegistry) {
        let configuration = registry.settings.tls
        if let loaded = TLSContextStore.shared.loaded(configuration) {
            context = loaded
            return
        }
        let id = id
        TLSContextStore.shared.load(configuration) { [registry] result in
            registry.loop.execute { registry.assumeIsolated { $0.attempts[id]?.loaded(result, in: $0) } }
        }
    }

    private func loaded(_ result: Result<TLSContext, MartletError>, in registry: isolated SessionRegistry) {
        guard !isOver else { return }
        switch result {
        case .success(let context):
            self.context = context
            if winner != nil { startHandshake(in: registry) }
        case .failure(let error):
            fail(error, in: registry)
        }
    }

    private func startHandshake(in registry: isolated SessionRegistry) {
        guard let context, let winner, tls == nil else { return }
        do throws(MartletError) {
            tls = try TLSConnection(
                context, host: origin.host, fd: winner.socket.fd, protocols: registry.protocols(for: exchange.key))
        } catch {
            return fail(error, in: registry)
        }
        continueHandshake(in: registry)
    }

    private func continueHandshake(in registry: isolated SessionRegistry) {
        guard let tls else { return }
        switch tls.handshake() {
        case .wantsSocket:
            break
        case .done:
            exchange.metrics.tls = registry.now.since(phaseStart)
            exchange.metrics.tlsVersion = tls.version
            finish(in: registry)
        case .failed(let error):
            fail(error, in: registry)
        }
    }

    // MARK: Ends

    private func finish(in registry: isolated SessionRegistry) {
        guard let winner, !isOver else { return }
        let settings = registry.settings
        let agreed = tls?.applicationProtocol
        if agreed == "h2" || (tls == nil && settings.version == .http2PriorKnowledge) {
            return finishHTTP2(winner, in: registry)
        }
        if settings.version == .http2 || settings.version == .http2PriorKnowledge {
            return fail(
                MartletError(
                    .versionNotNegotiated,
                    "The server \(origin.host) does not agree to HTTP/2 (ALPN: \(agreed ?? "none"))."), in: registry)
        }
        isOver = true
        registry.attempts[id] = nil
        let connection = HTTP1Connection(
            id: winner.token, key: exchange.key, socket: winner.socket, tls: tls, metrics: exchange.metrics,
            limits: settings.headLimits)
        connection.createdAt = registry.now
        registry.rewatch(winner.token, connection)
        registry.connected(exchange, connection)
    }

    private func finishHTTP2(_ winner: Dial, in registry: isolated SessionRegistry) {
        let connection: HTTP2Connection
        do throws(MartletError) {
            connection = try HTTP2Connection(
                id: winner.token, key: exchange.key, socket: winner.socket, tls: tls, metrics: exchange.metrics,
                settings: registry.settings.http2, limits: registry.settings.headLimits, now: registry.now)
        } catch {
            return fail(error, in: registry)
        }
        isOver = true
        registry.attempts[id] = nil
        registry.rewatch(winner.token, connection)
        registry.connected(exchange, connection)
    }

    /// The exchange ends, but another waits for the same connection: it goes on making it.
    func pass(to heir: Exchange) {
        heir.attempt = self
        heir.phase = exchange.phase
        heir.metrics.lookUp = exchange.metrics.lookUp
        heir.metrics.connect = exchange.metrics.connect
        heir.metrics.connection = exchange.metrics.connection
        exchange = heir
    }

    private func fail(_ error: MartletError, in registry: isolated SessionRegistry) {
        guard !isOver else { return }
        let phase = exchange.phase
        registry.connectFailed(exchange, error.with { $0.phase = phase })
    }

    /// Closes everything; nobody is told.
    func abort(in registry: isolated SessionRegistry) {
        isOver = true
        registry.attempts[id] = nil
        registry.cancel(timer)
        lookUp?.cancel()
        lookUp = nil
        for dial in dials + [winner].compactMap(\.self) {
            registry.unwatch(dial.token)
            dial.socket.close()
        }
        dials = []
        winner = nil
    }

    private var connectError: MartletError {
        if let localFailure, localFailure.code == .tooManyOpenFiles || refusals.isEmpty { return localFailure }
        let tried = refusals.map { "\($0.address): \(systemErrorText($0.number))" }.joined(separator: "; ")
        let isRefused = refusals.allSatisfy { $0.number == ECONNREFUSED }
        return MartletError(
            isRefused ? .connectionRefused : .connectFailed,
            isRefused
                ? "Nothing listens at \(origin) (\(tried)). Is the server running, and the port right?"
                : "No connection to \(origin) could be made (\(tried)).")
    }
}
#endif
