// A thread as an executor. Each connection has one for its actor: what a connection does may simply block, and
// neither the other connections nor the tests are held up. Each server has one more for its handlers: they do not
// need the cooperative pool, which the client under test may have blocked.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A serial executor that runs its jobs on a thread of its own until it is retired.
final class ServerThread: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
        var isRetired = false
        var onExit: (@Sendable (ThreadHandle) -> Void)?
    }

    /// Enough for OpenSSL and for what a handler does; thousands of them are only address space.
    static let stackBytes = 512 * 1024

    private let state = Monitor(State())

    /// Starts the thread; `onExit` gets its handle, to be joined, as the last thing the thread does.
    func start(onExit: @escaping @Sendable (ThreadHandle) -> Void) throws(TestServerError) {
        state.withLock {
            $0.isRunning = true
            $0.onExit = onExit
        }
        guard spawnThread(stackBytes: Self.stackBytes, { self.run() }) else {
            state.withLock {
                $0.isRunning = false
                $0.onExit = nil
            }
            throw .system(call: "pthread_create", code: EAGAIN)
        }
    }

    /// Lets the thread end as soon as no job is left.
    func retire() {
        state.broadcast { $0.isRetired = true }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        var mustStart = false
        state.broadcast {
            $0.jobs.append(job)
            if !$0.isRunning {
                $0.isRunning = true
                mustStart = true
            }
        }
        // A connection may be asked something after its thread has ended: a short-lived one answers.
        guard mustStart else { return }
        if !spawnThread(stackBytes: Self.stackBytes, detached: true, { self.run() }) { run() }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    private func run() {
        while true {
            let jobs: [UnownedJob]? = state.wait { state in
                if !state.jobs.isEmpty {
                    defer { state.jobs.removeAll(keepingCapacity: true) }
                    return .some(state.jobs)
                }
                guard state.isRetired else { return nil }
                state.isRunning = false
                return .some(nil)
            }
            guard let jobs else { break }
            for job in jobs {
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        let onExit = state.withLock { state in
            defer { state.onExit = nil }
            return state.onExit
        }
        onExit?(pthread_self())
    }
}

/// Starts a thread; false when the system has no room for one.
func spawnThread(stackBytes: Int, detached: Bool = false, _ body: @escaping @Sendable () -> Void) -> Bool {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
        pthread_attr_destroy(attributes)
        attributes.deallocate()
    }
    pthread_attr_setstacksize(attributes, stackBytes)
    if detached { pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    let box = Unmanaged.passRetained(Box(body))
    #if canImport(Darwin)
    var thread: pthread_t?
    let code = pthread_create(
        &thread, attributes,
        { pointer in
            Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    #else
    var thread = pthread_t()
    let code = pthread_create(
        &thread, attributes,
        { pointer in
            guard let pointer else { return nil }
            Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    #endif
    if code != 0 { box.release() }
    return code == 0
}

/// Waits for the end of a thread that is about to end.
func joinThread(_ thread: ThreadHandle) {
    #if canImport(Darwin)
    if let thread { pthread_join(thread, nil) }
    #else
    pthread_join(thread, nil)
    #endif
}

/// Lets a thread that nobody will join leave nothing behind.
func detachThread(_ thread: ThreadHandle) {
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
}
