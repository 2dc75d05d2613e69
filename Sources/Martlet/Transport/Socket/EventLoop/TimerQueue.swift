// The loop's timers as a pure value: instants go in, what is due comes out. A binary heap whose entries know their place,
// so that cancelling costs what scheduling costs.

#if SocketTransport && os(Linux)

/// One timer; scheduled in at most one queue at a time. The queue holds the target as long as the timer is scheduled.
///
/// Not generic: taking a generic object apart looks its types up, and there is a timer to each call.
class LoopTimer {
    fileprivate(set) var deadline = MonotonicInstant.distantFuture
    fileprivate var target: (any RegistryTimerTarget)?
    fileprivate var index = -1

    /// Whether the timer is waiting to become due.
    var isScheduled: Bool { index >= 0 }
}

/// The timers of a loop.
struct TimerQueue {
    private var heap: [LoopTimer] = []

    /// The number of scheduled timers.
    var count: Int { heap.count }

    /// When the next timer is due; `.distantFuture` when none is.
    var nextDeadline: MonotonicInstant { heap.first?.deadline ?? .distantFuture }

    /// Schedules a timer, or moves it when it is scheduled.
    mutating func schedule(_ timer: LoopTimer, at deadline: MonotonicInstant, for target: any RegistryTimerTarget) {
        timer.deadline = deadline
        timer.target = target
        if timer.index >= 0 {
            restore(timer.index)
        } else {
            timer.index = heap.count
            heap.append(timer)
            siftUp(timer.index)
        }
    }

    /// Takes a timer out; nothing happens when it is not scheduled.
    mutating func cancel(_ timer: LoopTimer) {
        let index = timer.index
        guard index >= 0 else { return }
        timer.index = -1
        timer.target = nil
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[index] = last
        last.index = index
        restore(index)
    }

    /// Takes out a timer that is due, the earliest first, and returns it with its target; nil when none is.
    mutating func popDue(at now: MonotonicInstant) -> (timer: LoopTimer, target: any RegistryTimerTarget)? {
        guard let first = heap.first, first.deadline <= now, let target = first.target else { return nil }
        cancel(first)
        return (first, target)
    }

    private mutating func restore(_ index: Int) {
        if index > 0, heap[index].deadline < heap[(index - 1) / 2].deadline {
            siftUp(index)
        } else {
            siftDown(index)
        }
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        let timer = heap[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard timer.deadline < heap[parent].deadline else { break }
            heap[index] = heap[parent]
            heap[index].index = index
            index = parent
        }
        heap[index] = timer
        timer.index = index
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        let timer = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
            guard heap[child].deadline < timer.deadline else { break }
            heap[index] = heap[child]
            heap[index].index = index
            index = child
        }
        heap[index] = timer
        timer.index = index
    }
}
#endif
