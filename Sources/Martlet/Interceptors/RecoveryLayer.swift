// Connection recovery as a layer, for calls that walk layers: what goes again passes the attempt interceptors again.

/// Sends a request again, once, that its connection lost before it did anything.
struct RecoveryLayer: Interceptor {
    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        do {
            return try await next(request)
        } catch let error as MartletError {
            return try await ConnectionRecovery.recover(request, after: error, through: next)
        }
    }
}
