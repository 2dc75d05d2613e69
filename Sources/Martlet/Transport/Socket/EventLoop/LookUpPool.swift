// Name look-ups through the system (`getaddrinfo`), which block: on threads of their own, one look-up per name at a time,
// shared by all who wait for it. A waiter leaves when it likes; the look-up it leaves goes on for the others.

#if SocketTransport && os(Linux)
import CLinux
import Glibc

/// Finds the addresses of a host name.
protocol NameResolver: AnyObject, Sendable {
    /// Starts a look-up. `completion` is called once, on any thread, but not after `cancel` of the ticket has returned
    /// unless it was under way already. Addresses carry port 0.
    func lookUp(
        _ name: String, completion: @escaping @Sendable (Result<[SocketAddress], MartletError>) -> Void
    ) -> LookUpTicket
}

/// A place among those who wait for a look-up.
struct LookUpTicket: Sendable {
    let cancel: @Sendable () -> Void
}

/// The process-wide resolver: at most 32 look-ups at a time, at most 256 names waiting for a thread.
final class LookUpPool: NameResolver {
    static let shared = LookUpPool()

    private typealias Completion = @Sendable (Result<[SocketAddress], MartletError>) -> Void

    private struct State {
        var flights: [String: [UInt64: Completion]] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let state = Lock(State())
    private let workers: WorkerPool
    private let resolve: @Sendable (String) -> Result<[SocketAddress], MartletError>

    /// Makes a pool; `resolve` is replaced in tests.
    init(
        limit: Int = 32, queueLimit: Int = 256,
        resolve: @escaping @Sendable (String) -> Result<[SocketAddress], MartletError> = LookUpPool.system
    ) {
        workers = WorkerPool(name: "martlet-lookup", limit: limit, queueLimit: queueLimit)
        self.resolve = resolve
    }

    func lookUp(
        _ name: String, completion: @escaping @Sendable (Result<[SocketAddress], MartletError>) -> Void
    ) -> LookUpTicket {
        let (waiter, isFirst) = state.withLock { state -> (UInt64, Bool) in
            state.nextWaiter += 1
            let isFirst = state.flights[name] == nil
            state.flights[name, default: [:]][state.nextWaiter] = completion
            return (state.nextWaiter, isFirst)
        }
        if isFirst {
            let taken = workers.submit {
                // Everybody may have left while the name waited for a thread.
                let isWanted = self.state.withLock { state in
                    if state.flights[name]?.isEmpty == true {
                        state.flights[name] = nil
                        return false
                    }
                    return true
                }
                if isWanted { self.finish(name, self.resolve(name)) }
            }
            if !taken {
                finish(
                    name,
                    .failure(
                        MartletError(
                            .lookUpSaturated,
                            "Too many name look-ups are under way to look up \(name). Is the name server answering?"
                        )))
            }
        }
        return LookUpTicket { self.state.withLock { _ = $0.flights[name]?.removeValue(forKey: waiter) } }
    }

    private func finish(_ name: String, _ result: Result<[SocketAddress], MartletError>) {
        let waiters = state.withLock { $0.flights.removeValue(forKey: name) }
        waiters?.values.forEach { $0(result) }
    }

    /// The system's answer, through `getaddrinfo`.
    static func system(_ name: String) -> Result<[SocketAddress], MartletError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { return .failure(failure(code, errno, name)) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let pointer = info.ai_addr, let address = SocketAddress(pointer, port: 0),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            entry = info.ai_next
        }
        if addresses.isEmpty { return .failure(notFound(name)) }
        return .success(addresses)
    }

    // EAI_NODATA, which the headers show to GNU sources only.
    private static let noData: Int32 = -5

    private static func notFound(_ name: String) -> MartletError {
        MartletError(.nameNotFound, "The host \(name) was not found. Is the name spelled right?")
    }

    private static func failure(_ code: Int32, _ number: Int32, _ name: String) -> MartletError {
        switch code {
        case EAI_NONAME, Self.noData:
            return notFound(name)
        case EAI_SYSTEM:
            if number == EMFILE || number == ENFILE { return Socket.localFailure(number, "look up \(name)") }
            return MartletError(.lookUpFailed, "The look-up of \(name) failed: \(systemErrorText(number)).")
        default:
            return MartletError(
                .lookUpFailed, "The look-up of \(name) failed: \(String(cString: gai_strerror(code))).")
        }
    }
}
#endif
