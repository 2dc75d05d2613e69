// From a synchronous `main` to asynchronous code and back: valgrind cannot run an asynchronous `main`.

package import BenchKit
import Dispatch

/// Waits for asynchronous code.
package enum Waiting {
    /// Runs asynchronous code to its end from synchronous code.
    package static func run(_ body: @escaping @Sendable () async throws -> Figures) throws -> Figures {
        let outcome = Outcome()
        Task { @concurrent in
            do { outcome.end(.success(try await body())) } catch { outcome.end(.failure(error)) }
        }
        return try outcome.wait()
    }

    /// What the task ended with. The semaphore orders its one write before the one read.
    private final class Outcome: @unchecked Sendable {
        private var result: Result<Figures, any Error>?
        private let ended = DispatchSemaphore(value: 0)

        func end(_ result: Result<Figures, any Error>) {
            self.result = result
            ended.signal()
        }

        func wait() throws -> Figures {
            ended.wait()
            guard let result else { throw Failure("the run has no result") }
            return try result.get()
        }
    }
}
