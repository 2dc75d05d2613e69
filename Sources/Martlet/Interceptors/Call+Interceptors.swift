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

    func changingPolicies(_ change: (inout CallPolicies) -> Void) -> Call {
        with { $0.ownLayers = $0.layers.changing(change) }
    }

    /// The layers that the call is sent through.
    var layers: LayerStack { ownLayers ?? client.prepared.layers }
}
