// The layers of one call. A change makes the call layers of its own; without one it shares those of its client.

extension Call {
    /// Adds layers around the whole call, inside those of the client; the first one given is the outermost.
    ///
    /// ```swift
    /// let report = try await client.get("/report")
    ///     .intercepting(.adapt { $0.headers["X-Trace"] = "7" })
    ///     .data()
    /// ```
    public func intercepting(_ interceptors: any Interceptor...) -> Call {
        changingPolicies { $0.interceptors += interceptors }
    }

    /// Adds layers around each attempt, inside those of the client and just before the wire: the place to sign.
    public func interceptingAttempts(_ interceptors: any Interceptor...) -> Call {
        changingPolicies { $0.attemptInterceptors += interceptors }
    }

    /// Sets whether and where redirects are followed; see ``RedirectPolicy``.
    public func redirects(_ policy: RedirectPolicy) -> Call { changingPolicies { $0.redirects = policy } }

    /// Sets whether and when the request is sent again; see ``RetryPolicy``.
    ///
    /// With ``RetryPolicy/idempotent`` on a POST or PATCH it is your word that the call may be repeated: unless it has an
    /// `Idempotency-Key` it gets one, made when the call is sent and kept over its attempts. A server that does not know
    /// that field may do the work twice.
    public func retry(_ policy: RetryPolicy) -> Call {
        changingPolicies {
            $0.retry = policy
            $0.makesIdempotencyKeys = policy.rule == .idempotent
        }
    }

    /// Sets the `Idempotency-Key` that makes a POST or PATCH repeatable; see ``RetryPolicy/idempotent``.
    public func idempotencyKey(_ key: String) -> Call { header(RetryPolicy.idempotencyKeyField, key) }

    func changingPolicies(_ change: (inout CallPolicies) -> Void) -> Call {
        with { $0.ownLayers = $0.layers.changing(change) }
    }

    /// The layers that the call is sent through.
    var layers: LayerStack { ownLayers ?? client.prepared.layers }
}
