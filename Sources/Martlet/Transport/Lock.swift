// A lock for a few fields held for a few instructions. A pthread mutex, because the thread sanitizer understands it
// (it reports false races on `Synchronization.Mutex`). Never held across an `await` or across user code.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A mutex around a value. Copies are the same lock.
///
/// `@unchecked Sendable`: the value is reached only inside `withLock`, which holds the mutex.
package struct Lock<Value>: @unchecked Sendable {
    // One allocation for both, at an address that stays.
    private let storage: ManagedBuffer<Value, pthread_mutex_t>

    package init(_ value: sending Value) {
        storage = Storage.create(minimumCapacity: 1) { _ in value }
        storage.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }
    }

    /// Runs `body` with exclusive access to the value.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withUnsafeMutablePointers { value, mutex throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }

    private final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
        deinit {
            withUnsafeMutablePointerToElements { mutex in
                _ = pthread_mutex_destroy(mutex)
                mutex.deinitialize(count: 1)
            }
        }
    }
}
