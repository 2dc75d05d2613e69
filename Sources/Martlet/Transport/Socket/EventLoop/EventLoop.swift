// One thread, one epoll instance, one eventfd. The loop is the executor of its `SessionRegistry`, so what runs on it is
// inside that actor. `LoopTaskExecutor` lends it to callers for their own code (`client.executor`).
//
// The thread starts with the first job and lives until the loop is closed and nothing is left. A job that comes later
// starts a thread again, which drains and leaves: a task may prefer this executor and outlive its client.

#if SocketTransport && os(Linux)
import CLinux
import Glibc

/// What the loop serves: told of ready sockets and asked, once a turn, for timers and postponed work.
protocol EventLoopHandler: AnyObject, Sendable {
    /// Registered sockets became ready. On the loop's thread.
    func socketsReady(_ ready: [EventLoop.Readiness])

    /// Sends what has come together, while more jobs wait. On the loop's thread.
    func pause()

    /// Runs what is due; says when to come back. On the loop's thread.
    func turn(now: MonotonicInstant) -> EventLoop.Needs
}

/// Readiness as epoll reports it.
struct SocketEvents: OptionSet, Sendable {
    let rawValue: UInt32
    static let readable = SocketEvents(rawValue: martlet_epoll_in())
    static let writable = SocketEvents(rawValue: martlet_epoll_out())
    static let peerClosed = SocketEvents(rawValue: martlet_epoll_rdhup())
    static let hangUp = SocketEvents(rawValue: martlet_epoll_hup())
    static let error = SocketEvents(rawValue: martlet_epoll_err())
    /// Anything after which a read tells more.
    static let readSide: SocketEvents = [.readable, .peerClosed, .hangUp, .error]
}

/// The event loop.
///
/// `@unchecked Sendable`: `shared` is behind its lock; the other mutable fields are touched only by the one thread that
/// `shared.hasThread` admits, and handed from one such thread to the next through that lock.
final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// What the handler asks of the loop at the end of a turn.
    struct Needs: Sendable {
        /// When to call `turn` again; `.distantFuture` for no timer, an instant in the past for at once.
        var wakeAt = MonotonicInstant.distantFuture
        /// Whether nothing is open, so that a closed loop may end.
        var isDrained = true
    }

    /// A socket and what became of it.
    struct Readiness: Sendable {
        let token: UInt64
        let events: SocketEvents
    }

    private enum Work {
        /// A job of the registry.
        case job(UnownedJob)
        /// A job of a task that prefers this loop.
        case taskJob(UnownedJob, LoopTaskExecutor)
        case run(@Sendable () -> Void)
        /// Has run.
        case none
    }

    private struct Shared {
        var work: [Work] = []
        var hasThread = false
        var isSleeping = false
        var isClosed = false
        var eventFD: Int32 = -1
    }

    private let shared = Lock(Shared())
    private let time: TimeSource
    private var batch: [Work] = []
    private var batchHead = 0
    private var epollFD: Int32 = -1
    private var eventFD: Int32 = -1
    private var handler: (any EventLoopHandler)?
    private var ready: [Readiness] = []
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// The time at the start of the current turn. On the loop's thread.
    private(set) var now = MonotonicInstant(nanoseconds: 0)

    /// At most this many jobs run before sockets and timers are looked at again.
    private static let batchLimit = 256

    /// After so many jobs what they want to send goes out, so that the peers are at work while the others run.
    private static let pauseInterval = 32

    init(time: TimeSource = .system) {
        self.time = time
    }

    deinit {
        if eventFD >= 0 { Glibc.close(eventFD) }
        if epollFD >= 0 { Glibc.close(epollFD) }
    }

    // MARK: From any thread

    func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Takes a job of a task that prefers this loop.
    func enqueue(_ job: consuming ExecutorJob, of executor: LoopTaskExecutor) {
        submit(.taskJob(UnownedJob(job), executor))
    }

    /// Runs `body` on the loop's thread, between I/O events.
    func execute(_ body: @escaping @Sendable () -> Void) {
        submit(.run(body))
    }

    /// Lets the thread end as soon as the handler is drained; jobs that come later still run. `last` runs first, if there
    /// is a thread: a loop that never ran has nothing to put in order.
    func close(_ last: @escaping @Sendable () -> Void = {}) {
        let running = shared.withLock { shared in
            shared.isClosed = true
            return shared.hasThread
        }
        if running { execute(last) }
    }

    /// Whether the current thread is the loop's.
    var isCurrent: Bool {
        pthread_getspecific(Self.currentKey) == Unmanaged.passUnretained(self).toOpaque()
    }

    func checkIsolated() {
        precondition(isCurrent, "Not on the event loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    private func submit(_ work: Work) {
        // Decided under the lock that the loop takes before it sleeps, so that no wake-up is lost.
        let (wakeFD, startsThread) = shared.withLock { shared -> (Int32, Bool) in
            shared.work.append(work)
            if !shared.hasThread {
                shared.hasThread = true
                return (-1, true)
            }
            guard shared.isSleeping else { return (-1, false) }
            shared.isSleeping = false
            return (shared.eventFD, false)
        }
        if startsThread {
            // Jobs must run; a system that has no thread to give now will have one again.
            while !DetachedThread.start(name: "martlet-loop", { self.main() }) { usleep(1_000) }
        } else if wakeFD >= 0 {
            var one: UInt64 = 1
            _ = write(wakeFD, &one, 8)
        }
    }

    // MARK: On the loop's thread

    /// Sets what the loop serves; held until the loop is closed and drained.
    func attach(_ handler: any EventLoopHandler) {
        if self.handler == nil { self.handler = handler }
    }

    /// Whether sockets can be watched: false while the process has no descriptors left for the loop itself.
    var canPoll: Bool { openDescriptors() }

    /// Watches a socket, edge-triggered, for everything; false with `errno` set when the system refuses.
    func register(_ fd: Int32, token: UInt64) -> Bool {
        var event = epoll_event()
        event.events =
            martlet_epoll_in() | martlet_epoll_out() | martlet_epoll_rdhup() | martlet_epoll_et()
        event.data.u64 = token
        return epoll_ctl(epollFD, EPOLL_CTL_ADD, fd, &event) == 0
    }

    private static let wakeToken = UInt64.max

    private func openDescriptors() -> Bool {
        if epollFD >= 0 { return true }
        let epoll = epoll_create1(Int32(O_CLOEXEC))
        guard epoll >= 0 else { return false }
        let wake = eventfd(0, Int32(O_CLOEXEC | O_NONBLOCK))
        var event = epoll_event()
        event.events = martlet_epoll_in() | martlet_epoll_et()
        event.data.u64 = Self.wakeToken
        guard wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else {
            if wake >= 0 { Glibc.close(wake) }
            Glibc.close(epoll)
            return false
        }
        epollFD = epoll
        eventFD = wake
        shared.withLock { $0.eventFD = wake }
        return true
    }

    private func main() {
        pthread_setspecific(Self.currentKey, Unmanaged.passUnretained(self).toOpaque())
        _ = openDescriptors()
        while true {
            now = time.now()
            runBatches()
            let needs = handler?.turn(now: now) ?? Needs()
            let timeout = timeoutMilliseconds(until: needs.wakeAt)
            let isEnding = shared.withLock { $0.isClosed } && needs.isDrained
            // Dropped while this thread still owns the field; whoever needs the handler again attaches it again.
            if isEnding { handler = nil }

            var sleeps = false
            let leaves = shared.withLock { shared in
                if !shared.work.isEmpty || batchHead < batch.count { return false }
                // Without descriptors there is nothing to wait on: the next job starts a thread, which tries again.
                if isEnding || epollFD < 0 {
                    shared.hasThread = false
                    return true
                }
                sleeps = timeout != 0
                shared.isSleeping = sleeps
                return false
            }
            if leaves { return }
            poll(sleeps ? timeout : 0)
        }
    }

    /// Runs what is queued, up to the limit; what is beyond waits for the next turn, before what comes meanwhile.
    private func runBatches() {
        var budget = Self.batchLimit
        while budget > 0 {
            if batchHead == batch.count {
                batch.removeAll(keepingCapacity: batch.capacity <= 4_096)
                batchHead = 0
                shared.withLock { swap(&batch, &$0.work) }
                if batch.isEmpty { return }
            }
            let end = min(batch.count, batchHead + min(budget, Self.pauseInterval))
            budget -= end - batchHead
            while batchHead < end {
                let work = batch[batchHead]
                batch[batchHead] = .none
                batchHead += 1
                switch work {
                case .job(let job):
                    job.runSynchronously(on: asUnownedSerialExecutor())
                case .taskJob(let job, let executor):
                    // Not as a job of the actor: entering and leaving it would cost an enqueue each.
                    job.runSynchronously(on: executor.asUnownedTaskExecutor())
                case .run(let body):
                    body()
                case .none:
                    break
                }
            }
            if batchHead < batch.count { handler?.pause() }
        }
    }

    private func poll(_ milliseconds: Int32) {
        let count = events.withUnsafeMutableBufferPointer {
            epoll_wait(epollFD, $0.baseAddress, Int32($0.count), milliseconds)
        }
        if milliseconds != 0 { shared.withLock { $0.isSleeping = false } }
        now = time.now()
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let token = events[index].data.u64
            if token == Self.wakeToken {
                var value: UInt64 = 0
                _ = read(eventFD, &value, 8)
            } else {
                ready.append(Readiness(token: token, events: SocketEvents(rawValue: events[index].events)))
            }
        }
        guard !ready.isEmpty else { return }
        // All at once, since to enter the handler's actor costs something.
        handler?.socketsReady(ready)
        ready.removeAll(keepingCapacity: true)
    }

    private func timeoutMilliseconds(until instant: MonotonicInstant) -> Int32 {
        if instant == .distantFuture { return -1 }
        let (nanoseconds, overflow) = instant.nanoseconds.subtractingReportingOverflow(time.now().nanoseconds)
        if overflow || nanoseconds <= 0 { return 0 }
        // Rounded up, so that a timer is due when the wait ends; an hour at most, after which a turn looks again.
        return Int32(min((nanoseconds - 1) / 1_000_000 + 1, 3_600_000))
    }

    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()
}
#endif
