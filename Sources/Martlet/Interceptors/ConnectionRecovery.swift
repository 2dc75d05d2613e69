// The one case in which a request is put on the wire twice without having been asked to: its connection was lost before it
// did anything, or its server wants it over HTTP/1.1. RFC 9110, section 9.2.2 (idempotent methods), RFC 9112, section 9.3.1,
// RFC 9113, section 7 (HTTP_1_1_REQUIRED).

/// Sends a request again that its connection lost; at most once.
enum ConnectionRecovery {
    /// Whether the request may go on another connection.
    ///
    /// One that the server cannot have processed may, whatever its method; one that was sent on a pooled connection which
    /// turned out to be closed, if its method is idempotent. Either way its body must be there to be sent again.
    static func applies(to request: Request, after error: MartletError) -> Bool {
        guard let recovery = error.recovery, request.body.isReplayable else { return false }
        let isFirst = !request.options.requiresFreshConnection
        switch recovery {
        case .unprocessed: return isFirst
        case .staleConnection: return isFirst && request.method.isIdempotent
        case .http1Required: return !request.options.requiresHTTP1
        }
    }

    /// Sends a request that failed again where it may be, and throws the error on where it may not.
    nonisolated(nonsending) static func recover(
        _ request: Request, after error: MartletError, through next: Next
    ) async throws -> Response<ResponseBody> {
        guard applies(to: request, after: error) else {
            throw error.request == nil ? error.with { $0.request = request.summary } : error
        }
        return try await send(request, again: error, through: next)
    }

    nonisolated(nonsending) private static func send(
        _ request: Request, again error: MartletError, through next: Next
    ) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        next.context.observed?.emit(.decisions, .recovering(error))
        let record = MartletError.AttemptRecord(number: 1, cause: error)
        var request = request
        request.options.requiresFreshConnection = true
        request.options.connectionMadeSince = error.lostAt
        if error.recovery == .http1Required { request.options.requiresHTTP1 = true }
        do {
            var response = try await next(request)
            response.attempts.insert(record, at: 0)
            return response
        } catch let later as MartletError {
            throw later.with {
                $0.attempts.insert(record, at: 0)
                $0.request = $0.request ?? request.summary
                $0.mayHaveReachedServer = $0.mayHaveReachedServer || error.mayHaveReachedServer
            }
        }
    }
}
