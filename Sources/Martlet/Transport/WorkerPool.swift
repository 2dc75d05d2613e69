// Threads for calls that block: name look-ups and file access. Threads come when work waits and leave when there is none,
// so that an idle process has none of them.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A pool of threads that grows to a limit and shrinks to nothing.
///
/// `@unchecked Sendable`: every mutable field is reached only with `mutex` held.
package final class WorkerPool: @unchecked Sendable {
    private let name: String
    private let limit: Int
    private let queueLimit: Int
    private let idleSeconds: Int
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var queue: [@Sendable () -> Void] = []
    private var queueHead = 0
    private var threads = 0
    private var idle = 0

    /// Makes a pool of at most `limit` threads; more than `queueLimit` jobs waiting are refused.
    package init(name: String, limit: Int, queueLimit: Int = .max, idleSeconds: Int = 5) {
        self.name = name
        self.limit = limit
        self.queueLimit = queueLimit
        self.idleSeconds = idleSeconds
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
    }

    deinit {
        // Threads hold the pool, so none is left here.
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `job` on one of the pool's threads; false when the pool is saturated and the job was not taken.
    package func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        pthread_mutex_lock(mutex)
        let waiting = queue.count - queueHead
        if idle <= waiting {
            if threads < limit, startThread() {
                threads += 1
            } else if threads == 0 || waiting >= queueLimit {
                pthread_mutex_unlock(mutex)
                return false
            }
        }
        queue.append(job)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        return true
    }

    /// The number of threads alive.
    package var threadCount: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return threads
    }

    private func startThread() -> Bool {
        DetachedThread.start(name: name) { self.work() }
    }

    /// Takes the next job and runs it without the mutex, which is held on entry and on return.
    private func runNext() {
        let job = queue[queueHead]
        // Let go of as soon as it has run, and the places too: a busy queue may never be empty.
        queue[queueHead] = {}
        queueHead += 1
        if queueHead == queue.count {
            queue.removeAll(keepingCapacity: queue.count <= 64)
            queueHead = 0
        } else if queueHead >= 64, queueHead * 2 >= queue.count {
            queue.removeFirst(queueHead)
            queueHead = 0
        }
        pthread_mutex_unlock(mutex)
        job()
        pthread_mutex_lock(mutex)
    }

    private func work() {
        pthread_mutex_lock(mutex)
        while true {
            if queueHead < queue.count {
                runNext()
                continue
            }
            idle += 1
            var until = timespec()
            clock_gettime(CLOCK_REALTIME, &until)
            until.tv_sec += idleSeconds
            let result = pthread_cond_timedwait(condition, mutex, &until)
            idle -= 1
            if result != 0 && queueHead == queue.count {
                threads -= 1
                pthread_mutex_unlock(mutex)
                return
            }
        }
    }
}
