// A value that tasks can wait on: each change asks the waiting predicates again. Waiting is bounded and can be
// cancelled.

import Martlet

/// A locked value with tasks that wait for it to satisfy a predicate.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isSatisfied: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Storage {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let storage: Lock<Storage>

    init(_ value: Value) {
        storage = Lock(Storage(value: value))
    }

    var value: Value { storage.withLock { $0.value } }

    /// Changes the value, then resumes the waiters that it now satisfies.
    func update<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, satisfied) = storage.withLock { storage in
            let result = body(&storage.value)
            var satisfied: [CheckedContinuation<Bool, Never>] = []
            if !storage.waiters.isEmpty {
                for (id, waiter) in storage.waiters where waiter.isSatisfied(storage.value) {
                    storage.waiters[id] = nil
                    satisfied.append(waiter.continuation)
                }
            }
            return (result, satisfied)
        }
        for continuation in satisfied { continuation.resume(returning: true) }
        return result
    }

    /// Waits until the value satisfies the predicate (true), or until the task is cancelled (false).
    nonisolated(nonsending) func wait(until isSatisfied: @escaping @Sendable (Value) -> Bool) async -> Bool {
        let id = storage.withLock { storage in
            storage.nextID += 1
            return storage.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Bool? = storage.withLock { storage in
                    if isSatisfied(storage.value) { return true }
                    // Checked under the lock: `onCancel` comes either before, and is seen here, or after, and finds
                    // the waiter.
                    if Task.isCancelled { return false }
                    storage.waiters[id] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let waiter = storage.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(returning: false)
        }
    }

    /// The same, bounded: `TestServerError.timedOut` after `timeout`, `.cancelled` when the task is cancelled.
    nonisolated(nonsending) func wait(
        for what: String, timeout: Duration, until isSatisfied: @escaping @Sendable (Value) -> Bool
    ) async throws(TestServerError) {
        let outcome = await withTaskGroup(of: Bool?.self) { group in
            group.addTask { await self.wait(until: isSatisfied) }
            group.addTask {
                try? await ContinuousClock().sleep(for: timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        switch outcome {
        case true?: return
        case false?: throw .cancelled
        case nil:
            if isSatisfied(value) { return }
            throw Task.isCancelled ? .cancelled : .timedOut("\(what) within \(timeout)")
        }
    }
}
