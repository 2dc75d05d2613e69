// An event loop lent to a caller's own code. Apart from the loop itself, which is the registry's serial executor: a job of a
// caller's task is not inside the actor, and saying so spares an enqueue each time the two meet.

#if SocketTransport && os(Linux)

/// A task executor that runs jobs on an event loop's thread. Keeps the loop alive.
final class LoopTaskExecutor: TaskExecutor {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) { loop.enqueue(job, of: self) }
}
#endif
