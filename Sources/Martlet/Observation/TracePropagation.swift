// Trace context on the wire: an attempt interceptor, so that each attempt is a span of its own. Default: not there; it is asked for by
// adding it.

/// Sends a `traceparent` field with each attempt, and the `tracestate` that came with it.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.defaults.attemptInterceptors = [.traceContext()]
/// ```
///
/// The trace that is continued is ``TraceContext/current``, else that of a `traceparent` field which the request has already; an invalid one
/// is replaced, and its `tracestate` left out. Without any a trace is begun.
public struct TracePropagation: Interceptor {
    private let makesSpans: Bool
    private let startsSampled: Bool
    private let randomness: Lock<any RandomNumberGenerator & Sendable>

    fileprivate init(makesSpans: Bool, startsSampled: Bool, _ randomness: any RandomNumberGenerator & Sendable) {
        self.makesSpans = makesSpans
        self.startsSampled = startsSampled
        self.randomness = Lock(randomness)
    }

    /// Passes the request on with the fields.
    public nonisolated(nonsending) func intercept(
        _ request: Request, _ next: Next
    ) async throws -> Response<ResponseBody> {
        var request = request
        let context = context(of: request)
        request.headers["traceparent"] = context.traceparent
        request.headers["tracestate"] = context.state
        return try await next(request)
    }

    private func context(of request: Request) -> TraceContext {
        if let current = TraceContext.current { return makesSpans ? span(of: current) : current }
        let parents = request.headers.values(for: "traceparent")
        // More than one is as invalid as a broken one (section 3.2).
        let own = parents.count == 1 ? parents.first : nil
        if let parent = TraceContext(traceparent: own, state: request.headers.combined(for: "tracestate")) {
            return span(of: parent)
        }
        return randomness.withLock { Self.root(startsSampled, &$0) }
    }

    private func span(of parent: TraceContext) -> TraceContext {
        randomness.withLock { Self.child(parent, &$0) }
    }

    private static func root(_ isSampled: Bool, _ generator: inout any RandomNumberGenerator & Sendable) -> TraceContext
    {
        TraceContext.root(isSampled: isSampled, using: &generator)
    }

    private static func child(
        _ parent: TraceContext, _ generator: inout any RandomNumberGenerator & Sendable
    ) -> TraceContext {
        parent.child(using: &generator)
    }
}

extension Interceptor where Self == TracePropagation {
    /// Sends W3C trace context; for ``CallDefaults/attemptInterceptors`` and ``Call/interceptingAttempts(_:)``.
    ///
    /// - Parameters:
    ///   - makesSpans: whether each attempt gets a span of its own, which is the default. False sends ``TraceContext/current`` as it is,
    ///     for where your tracer has made a span for the attempt.
    ///   - startsSampled: whether traces that begin here are marked as recorded; true by default.
    ///   - randomness: where identifiers come from; the system's generator by default.
    public static func traceContext(
        makesSpans: Bool = true, startsSampled: Bool = true,
        randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) -> TracePropagation {
        TracePropagation(makesSpans: makesSpans, startsSampled: startsSampled, randomness)
    }
}
