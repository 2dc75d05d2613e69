// The driver of redirects: asks the rules, sends, and keeps the books of what came before. Layer 3, so that each hop is looked
// at anew by all that is bound to an origin.

/// Follows redirects.
struct RedirectLayer: Interceptor {
    let policy: RedirectPolicy

    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        let response = try await next(request)
        guard policy.mayFollow(response.status) else { return response }
        return try await follow(response, to: request, next)
    }

    /// Follows a response that is a redirect, as far as it leads.
    nonisolated(nonsending) func follow(
        _ first: Response<ResponseBody>, to request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        var state = RedirectState(policy)
        var (request, response) = (request, first)
        var attempts = first.attempts
        do {
            while let following = try await self.following(response.head, to: request, &state, next.context.observed) {
                await response.body.discard(response.head)
                request = following
                response = try await next(request)
                attempts += response.attempts
            }
        } catch let error as MartletError {
            throw error.with {
                $0.redirects = state.history
                $0.attempts = attempts + $0.attempts
                $0.request = $0.request ?? request.summary
                // The request that was redirected has been there.
                $0.mayHaveReachedServer = true
            }
        }
        response.redirects = state.history
        response.attempts = attempts
        return response
    }

    nonisolated(nonsending) private func following(
        _ head: ResponseHead, to request: Request, _ state: inout RedirectState, _ observed: ObservedCall?
    ) async throws -> Request? {
        guard policy.mayFollow(head.status) else { return nil }
        do {
            let next = try await decided(head, to: request, &state)
            observed?.emit(
                .decisions, next.map { .redirecting(head.status, to: $0.url) } ?? .notRedirecting(head.status, nil))
            return next
        } catch {
            observed?.emit(.decisions, .notRedirecting(head.status, error as? MartletError))
            throw error
        }
    }

    nonisolated(nonsending) private func decided(
        _ head: ResponseHead, to request: Request, _ state: inout RedirectState
    ) async throws -> Request? {
        guard let proposal = try state.proposal(after: head, to: request) else { return nil }
        guard let decide = policy.decide else {
            return try state.accept(proposal, proposed: proposal, after: head, to: request)
        }
        let redirect = Redirect(number: state.history.count + 1, response: head, request: request, next: proposal)
        guard let chosen = try await Self.asked(decide, redirect) else { return nil }
        return try state.accept(chosen, proposed: proposal, after: head, to: request)
    }

    nonisolated(nonsending) private static func asked(
        _ decide: RedirectPolicy.Decide, _ redirect: Redirect
    ) async throws -> Request? {
        do {
            return try await decide(redirect)
        } catch let error where !(error is MartletError || error is CancellationError) {
            throw MartletError(.interceptorFailed, "The decision about a redirect failed.", underlying: error)
        }
    }
}
