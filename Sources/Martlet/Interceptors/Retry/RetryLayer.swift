// The driver of retries: sends, asks the policy about what failed, waits, sends again, and keeps the history. Layer 7, inside
// redirects: each hop has attempts of its own. It ends at the response head; bytes that were handed out cannot be taken back.

/// Sends requests again as a policy says.
struct RetryLayer: Interceptor {
    let policy: RetryPolicy

    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        deposit(request, next.context.core)
        let first = try await attempt(request, next)
        if case .response(let response) = first, !policy.concerns(response.status) { return response }
        return try await goOn(first, request, next)
    }

    /// The request's share of the budget.
    func deposit(_ request: Request, _ core: ClientCore) {
        guard let budget = policy.budget else { return }
        core.retryAccounts.deposit(budget, for: request.url.origin, at: core.clock.now())
    }

    nonisolated(nonsending) private func attempt(_ request: Request, _ next: Next) async throws -> Outcome {
        do {
            return .response(try await next(bounded(request, next.context.core)))
        } catch let error as MartletError {
            return .failure(error)
        }
    }

    /// Goes on from what the first attempt came to: the policy concerns it.
    nonisolated(nonsending) func goOn(
        _ first: Outcome, _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        let context = next.context
        let core = context.core
        var history = AttemptHistory()
        var number = 1
        var latest = first
        while true {
            let outcome: Outcome
            switch latest {
            case .response(let response):
                guard policy.concerns(response.status) else { return history.completing(response) }
                outcome = latest
            case .failure(let error): outcome = .failure(asOfTheCall(error, context))
            }
            let decision = try await decision(number, request, outcome, &history, core)
            guard let wait = try wait(decision, number, request, outcome, &history, context) else {
                return try outcome.get(history)
            }
            context.observed?.emit(.decisions, .retrying(outcome.cause, after: wait))
            history.add(outcome, to: request, wait)
            if case .response(let response) = outcome { await response.body.discard(response.head) }
            try Task.checkCancellation()
            if wait > .zero { try await core.clock.sleep(wait) }
            number += 1
            latest = try await attempt(request, next)
        }
    }

    /// What one attempt came to.
    enum Outcome {
        case response(Response<ResponseBody>)
        case failure(MartletError)

        /// The outcome as the reason for another attempt.
        var cause: ClientEvent.Cause {
            switch self {
            case .response(let response): .status(response.status)
            case .failure(let error): .error(error)
            }
        }

        /// The outcome as that of the call.
        func get(_ history: AttemptHistory) throws(MartletError) -> Response<ResponseBody> {
            switch self {
            case .response(let response): return history.completing(response)
            case .failure(let error): throw history.completing(error)
            }
        }
    }

    nonisolated(nonsending) private func decision(
        _ number: Int, _ request: Request, _ outcome: Outcome, _ history: inout AttemptHistory, _ core: ClientCore
    ) async throws -> RetryDecision {
        guard number < policy.maximumAttempts else { return .stop }
        var attempt =
            switch outcome {
            case .response(let response):
                RetryAttempt(
                    number: number, request: request, response: response.head, error: nil,
                    retryAfter: response.headers.retryDelay(now: core.wallTime()))
            case .failure(let error):
                RetryAttempt(number: number, request: request, response: nil, error: error, retryAfter: nil)
            }
        attempt.suggestion = policy.verdict(attempt)
        var decision = attempt.suggestion
        if let decide = policy.decide {
            do {
                decision = try await decide(attempt)
            } catch let error as CancellationError {
                throw error
            } catch {
                history.add(outcome, to: request, nil)
                let failed = MartletError(.interceptorFailed, "The decision about a retry failed.", underlying: error)
                throw history.completing(error as? MartletError ?? failed.with { $0.request = request.summary })
            }
        }
        guard case .retry = decision, let asked = attempt.retryAfter else { return decision }
        return .retryAfter(min(asked, policy.maximumRetryAfter))
    }

    /// How long to wait before the next attempt; nil when there is to be none.
    private func wait(
        _ decision: RetryDecision, _ number: Int, _ request: Request, _ outcome: Outcome,
        _ history: inout AttemptHistory, _ context: CallContext
    ) throws(MartletError) -> Duration? {
        func refused(_ refusal: ClientEvent.RetryRefusal) {
            context.observed?.emit(.decisions, .notRetrying(outcome.cause, refusal))
        }
        let wait: Duration
        switch decision {
        case .stop:
            refused(number < policy.maximumAttempts ? .policy : .attempts)
            return nil
        case .fail(let error):
            refused(.failed)
            history.add(outcome, to: request, nil)
            throw history.completing(error)
        case .retry: wait = context.core.backoff(policy.backoff, after: number)
        case .retryAfter(let asked): wait = max(asked, .zero)
        }
        guard request.body.isReplayable else {
            refused(.body)
            guard case .failure(let error) = outcome else { return nil }
            history.add(outcome, to: request, nil)
            throw history.completing(Self.notReplayable(request, error))
        }
        let now = context.core.clock.now()
        if let end = context.policyDeadline, now + wait >= end {
            refused(.deadline)
            return nil
        }
        if let budget = policy.budget, !context.core.retryAccounts.withdraw(budget, for: request.url.origin, at: now) {
            refused(.budget)
            return nil
        }
        return wait
    }

    /// The request with the time that an attempt of it has.
    func bounded(_ request: Request, _ core: ClientCore) -> Request {
        guard let limit = policy.attemptTimeout else { return request }
        var request = request
        request.options.headDeadline = core.time.now() + limit
        return request
    }

    /// An attempt whose timeout ended when that of the call had ended too was ended by the call's.
    private func asOfTheCall(_ error: MartletError, _ context: CallContext) -> MartletError {
        guard error.code == .attemptTimeout, let deadline = context.deadline, deadline <= context.core.time.now() else {
            return error
        }
        return MartletError(.deadlineExceeded, "The call did not end within its total timeout.").with {
            $0.request = error.request
            $0.phase = error.phase
            $0.mayHaveReachedServer = error.mayHaveReachedServer
        }
    }

    private static func notReplayable(_ request: Request, _ cause: MartletError) -> MartletError {
        MartletError(
            .bodyNotReplayable,
            "The request failed and would be sent again, but its body can be read only once. Give a factory instead.",
            underlying: cause
        ).with {
            $0.request = request.summary
            $0.mayHaveReachedServer = cause.mayHaveReachedServer
            $0.phase = cause.phase
        }
    }
}
