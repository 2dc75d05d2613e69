// The running part of a test server: the accepting thread, the connections and their records. `TestServer` is its
// handle, so that a server that a test forgets stops by itself.

import Foundation
import Martlet

/// What a test server owns while it runs.
final class ServerCore: Sendable {
    struct Records: Sendable {
        var requests: [RecordedRequest] = []
        var failures: [any Error] = []
        var accepted = 0
        var open = 0
        var handlers = 0
        var threads = 0
        var hasStoppedAccepting = false
    }

    private struct State {
        var connections: [Int: Entry] = [:]
        var endedThreads: [ThreadHandle] = []
        var isStopping = false
        /// Whether nobody will join the threads that end from now on.
        var isAbandoned = false
    }

    private struct Entry {
        let connection: TestConnection
        var task: Task<Void, Never>?
    }

    /// The server whose handler the current task runs, so that a handler can stop its server without waiting for
    /// itself.
    @TaskLocal static var current: ServerCore?

    let options: TestServer.Options
    let listener: Listener
    let records = Watched(Records())
    private let handlerThread = ServerThread()
    private let handler: @Sendable (TestConnection) async throws -> Void
    private let state = Lock(State())
    #if SocketTransport && os(Linux)
    let tls: TLSServerContext?
    #endif

    init(
        _ options: TestServer.Options, handler: @escaping @Sendable (TestConnection) async throws -> Void
    ) throws(TestServerError) {
        self.options = options
        self.handler = handler
        #if SocketTransport && os(Linux)
        tls = if let tls = options.tls { try TLSServerContext(tls) } else { nil }
        #endif
        listener = try Listener(options)
    }

    func start() throws(TestServerError) {
        do throws(TestServerError) {
            records.update { $0.threads += 1 }
            try handlerThread.start { self.threadEnded($0) }
        } catch {
            listener.closeAll()
            throw error
        }
        records.update { $0.threads += 1 }
        guard spawnThread(stackBytes: ServerThread.stackBytes, { self.acceptConnections() }) else {
            listener.closeAll()
            handlerThread.retire()
            throw .system(call: "pthread_create", code: EAGAIN)
        }
    }

    private func acceptConnections() {
        loop: while true {
            switch listener.next(accepts: options.listens && options.accepts) {
            case .accepted(let descriptor): accept(descriptor)
            case .outOfDescriptors: continue
            case .woken: break loop
            }
            joinEndedThreads()
        }
        listener.closeAll()
        records.update { $0.hasStoppedAccepting = true }
        endIfDone()
        threadEnded(currentThread())
    }

    /// Lets the handlers' thread end once no handler will come any more.
    private func endIfDone() {
        let records = records.value
        if records.hasStoppedAccepting, records.handlers == 0 { handlerThread.retire() }
    }

    private func accept(_ descriptor: Int32) {
        let number = records.update { records in
            defer { records.accepted += 1 }
            records.open += 1
            records.handlers += 1
            records.threads += 1
            return records.accepted
        }
        let socket = TestSocket(descriptor: descriptor) { [records] in records.update { $0.open -= 1 } }
        let thread = ServerThread()
        do {
            try thread.start { self.threadEnded($0) }
        } catch {
            socket.end(.reset)
            records.update { records in
                records.handlers -= 1
                records.threads -= 1
                records.failures.append(error)
            }
            return
        }
        let connection = TestConnection(number: number, thread: thread, socket: socket, core: self)
        state.withLock { $0.connections[number] = Entry(connection: connection) }
        let task = Task(executorPreference: handlerThread) { await self.handle(connection) }
        let isStopping = state.withLock { state in
            state.connections[number]?.task = task
            return state.isStopping
        }
        if isStopping {
            task.cancel()
            connection.close()
        }
    }

    private func handle(_ connection: TestConnection) async {
        do {
            try await connection.shakeHands()
            try await Self.$current.withValue(self) { try await handler(connection) }
        } catch {
            if !state.withLock({ $0.isStopping }) { recordFailure(error) }
        }
        connection.close()
        connection.thread.retire()
        state.withLock { $0.connections[connection.number] = nil }
        records.update { $0.handlers -= 1 }
        endIfDone()
    }

    private func threadEnded(_ thread: ThreadHandle) {
        let isAbandoned = state.withLock { state in
            if !state.isAbandoned { state.endedThreads.append(thread) }
            return state.isAbandoned
        }
        if isAbandoned { detachThread(thread) }
        records.update { $0.threads -= 1 }
    }

    private func joinEndedThreads() {
        let threads = state.withLock { state in
            defer { state.endedThreads.removeAll() }
            return state.endedThreads
        }
        threads.forEach(joinThread)
    }

    /// Refuses new connections, closes the open ones and cancels their handlers; does not wait for them.
    func requestStop() {
        let entries: [Entry]? = state.withLock { state in
            guard !state.isStopping else { return nil }
            state.isStopping = true
            return Array(state.connections.values)
        }
        guard let entries else { return }
        listener.wake()
        for entry in entries {
            entry.task?.cancel()
            entry.connection.close()
        }
    }

    /// Stops, and waits until nothing of the server is left, at most for `limit`.
    nonisolated(nonsending) func stop(atMost limit: Duration) async {
        requestStop()
        guard Self.current !== self else { return }
        // A task of its own, because a cancelled test must still leave nothing behind.
        await Task {
            try? await records.wait(for: "the server's end", timeout: limit) {
                $0.hasStoppedAccepting && $0.handlers == 0 && $0.threads == 0
            }
        }.value
        abandonThreads()
    }

    /// Stops a server that nobody holds any more.
    func abandon() {
        requestStop()
        abandonThreads()
    }

    private func abandonThreads() {
        state.withLock { $0.isAbandoned = true }
        joinEndedThreads()
    }

    func connections() -> [TestConnection] {
        state.withLock { state in state.connections.values.map(\.connection) }
    }
}

extension ServerCore {
    func record(_ request: RecordedRequest) -> RecordedRequest {
        var request = request
        records.update { records in
            request.recordIndex = records.requests.count
            records.requests.append(request)
        }
        return request
    }

    func replace(_ request: RecordedRequest) {
        records.update { records in
            guard records.requests.indices.contains(request.recordIndex) else { return }
            records.requests[request.recordIndex] = request
        }
    }

    func recordFailure(_ error: any Error) {
        records.update { $0.failures.append(error) }
    }
}
