// Connection recovery as a layer, for calls that walk layers: what goes again passes the attempt interceptors again.

/// Sends a request again, once, that its connection lost before it did anything.
struct RecoveryLayer: Interceptor {
    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        do {
            return try await next(request)
        } catch let error as MartletError {
            guard ConnectionRecovery.applies(to: request, after: error) else {
                throw error.request == nil ? error.with { $0.request = request.summary } : error
            }
            return try await ConnectionRecovery.send(request, again: error, through: next)
        }
    }
}
