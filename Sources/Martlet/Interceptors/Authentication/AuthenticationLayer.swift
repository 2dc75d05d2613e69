// The driver of authentication: finds the credential of the hop's origin, has it added, and sends once more when the server
// refuses and the authenticator has an answer. Layer 4, inside redirects and outside retries.

/// Adds credentials to requests.
struct AuthenticationLayer: Interceptor {
    let bindings: [AuthenticationBinding]

    /// A request is sent at most so often again for its credentials; the second time is for a nonce that was too old.
    private static let maximumAnswers = 2

    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        guard let binding = try binding(for: request) else { return try await next(request) }
        var sent = request
        let generation = try await prepare(&sent, binding, after: nil, next.context)
        var response = try await next(sent)
        if binding.refuses(response.head) {
            response = try await answer(response, to: sent, request, binding, generation, next)
        }
        // A credential in the query is nobody's business.
        if sent.url != request.url { response.url = request.url }
        return response
    }

    /// Answers a refusal as often as the authenticator has something to say.
    nonisolated(nonsending) private func answer(
        _ first: Response<ResponseBody>, to firstSent: Request, _ request: Request, _ binding: AuthenticationBinding,
        _ firstGeneration: Int?, _ next: Next
    ) async throws -> Response<ResponseBody> {
        var (response, sent, generation) = (first, firstSent, firstGeneration)
        var history = AttemptHistory()
        var number = 1
        while number <= Self.maximumAnswers, binding.refuses(response.head) {
            let refusal = AuthenticationRefusal(request: sent, response: response.head, number: number)
            // A request that went without is not ours to answer for.
            guard sent.headers != request.headers || sent.url != request.url || number == 1 && binding.isPlain,
                try await answers(refusal, binding, generation, history)
            else { break }
            history.add(.response(response), to: request, nil)
            // Before anything is waited for: what is waited for may need the connection.
            await response.body.discard(response.head)
            sent = request
            do {
                generation = try await prepare(&sent, binding, after: generation, next.context)
                response = try await next(sent)
            } catch let error as MartletError {
                throw history.completing(error)
            }
            number += 1
        }
        return history.completing(response)
    }

    nonisolated(nonsending) private func answers(
        _ refusal: AuthenticationRefusal, _ binding: AuthenticationBinding, _ generation: Int?,
        _ history: AttemptHistory
    ) async throws -> Bool {
        let isReplayable = refusal.request.body.isReplayable
        switch binding.kind {
        case .refreshing(let authenticator):
            guard let generation, refusal.number == 1 else { return false }
            if !isReplayable { authenticator.refuse(generation) }
            return isReplayable
        case .plain(let authenticator):
            do {
                return try await authenticator.respond(to: refusal) && isReplayable
            } catch {
                let typed = try Self.typed(error, refusal.request)
                throw history.completing(typed.with { $0.mayHaveReachedServer = true })
            }
        }
    }

    /// The credential for the request, the latest that was set.
    private func binding(for request: Request) throws(MartletError) -> AuthenticationBinding? {
        var index = bindings.count
        while index > 0 {
            index -= 1
            let binding = bindings[index]
            guard try binding.isFor(request) else { continue }
            let origin = request.url.origin
            guard origin.scheme == .https || binding.allowsPlainHTTP || origin.isLoopback else {
                throw MartletError(
                    .insecureCredential,
                    "The credential would go over plain http, where everybody on the way can read it: use https, or allow"
                        + " it with `allowingPlainHTTP: true`."
                ).with { $0.request = request.summary }
            }
            return binding
        }
        return nil
    }

    /// Has the credential added; returns its generation, where there are any.
    nonisolated(nonsending) private func prepare(
        _ request: inout Request, _ binding: AuthenticationBinding, after refused: Int?, _ context: CallContext
    ) async throws -> Int? {
        do {
            switch binding.kind {
            case .plain(let authenticator):
                try await authenticator.prepare(&request)
                return nil
            case .refreshing(let authenticator):
                if refused == nil, let generation = try authenticator.prepareAtOnce(&request) { return generation }
                return try await wait(for: authenticator, &request, after: refused, context)
            }
        } catch {
            let typed = try Self.typed(error, request)
            throw refused == nil ? typed : typed.with { $0.mayHaveReachedServer = true }
        }
    }

    nonisolated(nonsending) private func wait(
        for authenticator: any GenerationalAuthenticator, _ request: inout Request, after refused: Int?,
        _ context: CallContext
    ) async throws -> Int? {
        guard let deadline = context.deadline else { return try await authenticator.prepare(&request, after: refused) }
        let (prepared, generation) = try await DeadlineWatch.run(
            request, for: deadline.since(context.core.time.now())
        ) { request in
            var prepared = request
            let generation = try await authenticator.prepare(&prepared, after: refused)
            return (prepared, generation)
        }
        request = prepared
        return generation
    }

    /// What an authenticator failed with, as an error of the call; throws cancellation on.
    private static func typed(_ error: any Error, _ request: Request) throws(CancellationError) -> MartletError {
        switch error {
        case let error as CancellationError: throw error
        case let error as MartletError:
            return error.request == nil ? error.with { $0.request = request.summary } : error
        default:
            return MartletError(.authenticationFailed, "The authenticator failed.", underlying: error).with {
                $0.request = request.summary
            }
        }
    }
}

extension AuthenticationBinding {
    /// Whether a first request may go without a credential, to see what the server asks for.
    fileprivate var isPlain: Bool {
        if case .plain = kind { true } else { false }
    }

    fileprivate func refuses(_ head: ResponseHead) -> Bool {
        switch kind {
        case .plain(let authenticator): authenticator.isRefusal(head)
        case .refreshing(let authenticator): authenticator.isRefusal(head)
        }
    }
}
