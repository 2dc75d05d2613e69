// One layer of behaviour around a request. Policies of the library and of its users are the same kind of thing; what differs
// is their place in the fixed order that `LayerStack` builds. Default: none, and then no layer is walked at all.

/// A layer that a request passes on its way out and its response on the way back.
///
/// ```swift
/// struct Stamp: Interceptor {
///     nonisolated(nonsending) func intercept(
///         _ request: Request, _ next: Next
///     ) async throws -> Response<ResponseBody> {
///         var request = request
///         request.headers["X-Stamp"] = "1"
///         return try await next(request)
///     }
/// }
/// ```
///
/// What a layer changes in the request is seen by the layers inside it and by nobody else. A layer may call `next` once,
/// not at all (and answer by itself), or again.
public protocol Interceptor: Sendable {
    /// Passes the request on with `next`, changed or not, and returns the response, changed or not.
    ///
    /// - Throws: what `next` throws, or what the layer fails with itself: an error that is no ``MartletError`` reaches
    ///   the caller as the cause of one with the code `interceptorFailed`.
    nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody>
}

/// The rest of the way: the layers inside the one that holds it, and the wire.
public struct Next: Sendable {
    let context: CallContext
    let index: Int

    init(_ context: CallContext, _ index: Int) {
        self.context = context
        self.index = index
    }

    /// Sends the request on and returns its response, whose body is still on its way.
    ///
    /// - Throws: what the call failed with as a ``MartletError``, or `CancellationError`.
    public nonisolated(nonsending) func callAsFunction(_ request: Request) async throws -> Response<ResponseBody> {
        try Task.checkCancellation()
        let layers = context.layers
        guard index < layers.layers.count else {
            return try await context.core.transmit(context.bounded(request), context.observed)
        }
        let next = Next(context, index + 1)
        guard layers.isUsers(index) else { return try await layers.layers[index].intercept(request, next) }
        context.observed?.emit(.layers, .layerEntered("\(type(of: layers.layers[index]))"))
        defer { context.observed?.emit(.layers, .layerLeft("\(type(of: layers.layers[index]))")) }
        do {
            return try await layers.layers[index].intercept(request, next)
        } catch let error where !(error is MartletError || error is CancellationError) {
            throw MartletError(.interceptorFailed, "An interceptor failed.", underlying: error).with {
                $0.request = request.summary
                $0.mayHaveReachedServer = context.mayHaveReachedServer
            }
        }
    }
}
