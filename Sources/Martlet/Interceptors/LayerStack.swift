// The layers of a call in their fixed order, outermost first:
//
//   1. deadline and call events          ClientCore
//   2. the user's interceptors           once per call
//   3. redirects
//   4. per hop: address policy, cookies, authentication
//   5. content decoding
//   6. cache
//   7. retry, hedging, connection recovery
//   8. circuit breaker, limiters
//   9. the user's attemptInterceptors    once per attempt
//  10. the transport                     ClientCore
//
// Built once for a client and shared by its calls; a call that changes a policy builds its own. A layer that is off is absent.
// Without any of the user's, `isBare` holds and nothing is walked: `ClientCore.sendBare` puts the request on the wire, looks at
// what came of it, and enters the layers only where one of them is concerned.

/// What decides which layers a call has.
struct CallPolicies: Sendable {
    var interceptors: [any Interceptor] = []
    var attemptInterceptors: [any Interceptor] = []
    var redirects = RedirectPolicy.follow
    var retry = RetryPolicy.never
    /// Whether a POST or PATCH gets an `Idempotency-Key` when it has none.
    var makesIdempotencyKeys = false
    /// The credentials, those that come before others last.
    var authentication: [AuthenticationBinding] = []
    /// Who is told what happens; they are no layer.
    var observers: ObserverSet?
}

/// The layers of a call.
final class LayerStack: Sendable {
    let policies: CallPolicies
    /// All layers between the call and the transport.
    let layers: [any Interceptor]
    /// Whether the layers need not be walked before the first attempt.
    let isBare: Bool
    /// What sends again; nil when nothing does.
    let retry: RetryLayer?
    /// Where the layers inside the retries begin.
    let retryStart: Int
    /// Whether a layer may wait for something that knows nothing of the call's deadline.
    let mayWait: Bool
    /// The first of the user's attempt layers.
    private let attemptStart: Int
    /// The first layer that each hop passes.
    let hopStart: Int

    init(_ policies: CallPolicies) {
        self.policies = policies
        var layers = policies.interceptors
        if policies.redirects.isOn { layers.append(RedirectLayer(policy: policies.redirects)) }
        hopStart = layers.count
        if !policies.authentication.isEmpty { layers.append(AuthenticationLayer(bindings: policies.authentication)) }
        if ContentCoding.acceptList != nil { layers.append(DecodingLayer()) }
        retry = policies.retry.isOn ? RetryLayer(policy: policies.retry) : nil
        if let retry { layers.append(retry) }
        retryStart = layers.count
        layers.append(RecoveryLayer())
        attemptStart = layers.count
        layers += policies.attemptInterceptors
        self.layers = layers
        mayWait =
            !policies.interceptors.isEmpty || !policies.attemptInterceptors.isEmpty
            || policies.redirects.decide != nil || policies.retry.decide != nil
            || policies.authentication.contains { $0.mayWait }
        isBare =
            policies.interceptors.isEmpty && policies.attemptInterceptors.isEmpty && !policies.makesIdempotencyKeys
            && policies.authentication.isEmpty
    }

    /// The same layers with changed policies.
    func changing(_ change: (inout CallPolicies) -> Void) -> LayerStack {
        var policies = policies
        change(&policies)
        return LayerStack(policies)
    }

    /// Whether the layer is one of the user's.
    func isUsers(_ index: Int) -> Bool { index < policies.interceptors.count || index >= attemptStart }
}
