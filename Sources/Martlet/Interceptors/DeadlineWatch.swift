// The transport keeps the deadline of what it carries; while a layer of the user's waits for something else, nobody does.
// So a call with both a total timeout and such layers runs beside a watch, which cancels it when the time has come. The time is
// real, as the transport's is, whatever clock the policies have.

/// Ends a call at its deadline whatever its layers wait for.
enum DeadlineWatch {
    private enum Outcome<Value: Sendable>: Sendable {
        case ended(Result<Value, any Error>)
        case expired
        case cancelled
    }

    /// Runs `call` and cancels it after `remaining`.
    ///
    /// - Throws: what the call throws; `deadlineExceeded` when it was cancelled by the watch and says no more about it.
    nonisolated(nonsending) static func run<Value: Sendable>(
        _ request: Request, for remaining: Duration, _ call: @escaping @Sendable (Request) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Outcome<Value>.self) { group in
            group.addTask {
                do {
                    return .ended(.success(try await call(request)))
                } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask {
                do {
                    try await ContinuousClock().sleep(for: min(remaining, PolicyClock.longest))
                    return .expired
                } catch {
                    return .cancelled
                }
            }
            var hasExpired = false
            while let outcome = try await group.next() {
                switch outcome {
                case .expired:
                    hasExpired = true
                    group.cancelAll()
                case .cancelled:
                    continue
                case .ended(let result):
                    group.cancelAll()
                    if hasExpired, case .failure(is CancellationError) = result { throw exceeded(request) }
                    return try result.get()
                }
            }
            throw CancellationError()
        }
    }

    private static func exceeded(_ request: Request) -> MartletError {
        let total = request.options.timeouts.total.map { " of \($0)" } ?? ""
        return MartletError(
            .deadlineExceeded,
            "The call did not end within its total timeout\(total): it was in an interceptor or between attempts."
        ).with { $0.request = request.summary }
    }
}
