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
// Without any, `isBare` holds and nothing is walked: what has to look at each response does so in `ClientCore.sendBare`.

/// What decides which layers a call has.
struct CallPolicies: Sendable {
    var interceptors: [any Interceptor] = []
    var attemptInterceptors: [any Interceptor] = []
    var redirects = RedirectPolicy.follow
    var retry = RetryPolicy.never
    /// Whether a POST or PATCH gets an `Idempotency-Key` when it has none.
    var makesIdempotencyKeys = false
}

/// The layers of a call.
final class LayerStack: Sendable {
    let policies: CallPolicies
    /// All layers between the call and the transport.
    let layers: [any Interceptor]
    /// Whether there is nothing to walk.
    let isBare: Bool
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
        if ContentCoding.acceptList != nil { layers.append(DecodingLayer()) }
        if policies.retry.isOn { layers.append(RetryLayer(policy: policies.retry)) }
        layers.append(RecoveryLayer())
        attemptStart = layers.count
        layers += policies.attemptInterceptors
        self.layers = layers
        mayWait =
            !policies.interceptors.isEmpty || !policies.attemptInterceptors.isEmpty
            || policies.redirects.decide != nil || policies.retry.decide != nil
        isBare = !mayWait && !policies.retry.isOn
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
