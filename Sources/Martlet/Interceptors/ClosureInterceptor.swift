// Layers that are one closure: an interceptor, an adapter that changes the request, an observer that changes nothing.

/// A layer made of a closure: `.interceptor { … }`, `.adapt { … }` or `.observe { … }`.
public struct ClosureInterceptor: Interceptor {
    fileprivate typealias Around =
        nonisolated(nonsending) @Sendable (Request, Next) async throws -> Response<ResponseBody>
    fileprivate typealias Adapt = nonisolated(nonsending) @Sendable (inout Request) async throws -> Void
    fileprivate typealias Observe = @Sendable (Request, Result<ResponseHead, any Error>) -> Void

    fileprivate enum Kind: Sendable {
        case around(Around)
        case adapt(Adapt)
        case observe(Observe)
    }

    fileprivate let kind: Kind

    /// Does what the closure does.
    public nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        switch kind {
        case .around(let body):
            return try await body(request, next)
        case .adapt(let change):
            var request = request
            try await change(&request)
            return try await next(request)
        case .observe(let tell):
            do {
                let response = try await next(request)
                tell(request, .success(response.head))
                return response
            } catch {
                tell(request, .failure(error))
                throw error
            }
        }
    }
}

extension Interceptor where Self == ClosureInterceptor {
    /// A layer that does what the closure does: `.interceptor { request, next in try await next(request) }`.
    public static func interceptor(
        _ body: nonisolated(nonsending) @escaping @Sendable (Request, Next) async throws -> Response<ResponseBody>
    ) -> ClosureInterceptor {
        ClosureInterceptor(kind: .around(body))
    }

    /// A layer that changes the request on its way out: `.adapt { $0.headers["X-Stamp"] = "1" }`. What it throws ends
    /// the call before anything is sent.
    public static func adapt(
        _ change: nonisolated(nonsending) @escaping @Sendable (inout Request) async throws -> Void
    ) -> ClosureInterceptor {
        ClosureInterceptor(kind: .adapt(change))
    }

    /// A layer that is told the response head, or the error, once it is there, and changes nothing:
    /// `.observe { request, result in print(request, result) }`. It must not block.
    public static func observe(
        _ tell: @escaping @Sendable (Request, Result<ResponseHead, any Error>) -> Void
    ) -> ClosureInterceptor {
        ClosureInterceptor(kind: .observe(tell))
    }
}
