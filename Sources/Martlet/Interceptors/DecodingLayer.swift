// Content decoding as a layer, for calls that walk layers: above the cache, which holds what the wire sent, and below the
// redirects, whose every answer it sees.

/// Takes the content codings off a response.
struct DecodingLayer: Interceptor {
    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        try await next(request).decoded(for: request)
    }
}
